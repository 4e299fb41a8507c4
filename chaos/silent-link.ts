import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Figure } from '../bench/figure.ts';
import { type Fleet, withFleet } from './fleet.ts';
import { manyScopes, regions, scopesWith } from './fleet-specs.ts';
import { violationsFigure } from './violations.ts';

/** Promised for the first write after it. */
const promisedMs = 15_000;
const longestMs = 180_000;

/**
 * All connections to PostgreSQL that there are fall silent while the fleet writes, `--times` (5) over: packets are dropped, no
 * connection ends, and new ones work. The next write must come within 15 s, all scopes must come to hold the newest specs, and no
 * worker end.
 */
export async function silentLink(args: readonly string[]): Promise<readonly Figure[]> {
  const { values } = parseArgs({ args: [...args], options: { times: { type: 'string', default: '5' } } });
  return withFleet({ count: 2, specs: (endpoint) => manyScopes(endpoint, 8000) }, async (fleet) => {
    await converged(fleet, 8000);
    const firsts: number[] = [];
    for (let n = 1; n <= Number(values.times); n += 1) firsts.push(await silenced(fleet, 8000 + n));
    const late = firsts.filter((first) => first > promisedMs);
    const violations = [
      ...late.map((first) => `the first write came after ${Math.round(first)} ms`),
      ...(await fleet.verify()),
      ...fleet.workers.fallen(),
    ];
    return [
      violationsFigure('silent-link', violations),
      { name: 'silent-link-first-write', value: Math.round(Math.max(...firsts)) / 1000, unit: 's' },
    ];
  });
}

/** In ms, until the first write after the silence. */
async function silenced(fleet: Fleet, port: number): Promise<number> {
  const { sandbox, servers } = fleet;
  const writes = (): number => sandbox.control.log.entries({ mutating: true }).length;
  const quiet = writes();
  await fleet.want(manyScopes(sandbox.url, port));
  await until(() => writes() > quiet, 'no worker began to write');
  servers.silence();
  await sleep(100); // why: an answer of the cloud may be on its way
  const [before, from] = [writes(), performance.now()];
  await until(() => writes() > before || scopesWith(sandbox, port).length === regions.length, 'nobody wrote again');
  const first = performance.now() - from;
  await converged(fleet, port);
  console.error(
    `silent-link: first write after ${(first / 1000).toFixed(1)} s, all scopes after ${((performance.now() - from) / 1000).toFixed(1)} s`,
  );
  return first;
}

const converged = ({ sandbox }: Fleet, port: number): Promise<void> =>
  until(() => scopesWith(sandbox, port).length === regions.length, `not all scopes let ${port} through`);

async function until(isSo: () => boolean, otherwise: string): Promise<void> {
  for (const end = performance.now() + longestMs; !isSo(); await sleep(20))
    if (performance.now() > end) throw new Error(`${otherwise} within ${longestMs / 1000} s`);
}

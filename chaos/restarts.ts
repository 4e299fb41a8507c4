import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Figure } from '../bench/figure.ts';
import { withFleet } from './fleet.ts';
import { manyGroups, untilEachLets } from './fleet-specs.ts';
import { violationsFigure } from './violations.ts';

const groups = 60;

/**
 * Redis and PostgreSQL restarted under load, `--times` (20) each, and then all that Redis knows lost once: in the moment in
 * which the specs ask for something new. Each time the cloud must hold exactly that within a minute, and no answer of it may
 * ever say that a rate limit was over its budget, and none of the three workers end. `--within`: that minute, in seconds.
 */
export async function restarts(args: readonly string[]): Promise<readonly Figure[]> {
  const { values } = parseArgs({
    args: [...args],
    options: { times: { type: 'string', default: '20' }, within: { type: 'string', default: '60' } },
  });
  const times = Number(values.times);
  const convergesInMs = Number(values.within) * 1000;
  let port = 8000;
  return withFleet({ count: 3, specs: (endpoint) => manyGroups(endpoint, groups, port) }, async (fleet) => {
    const { sandbox, servers } = fleet;
    const blows: readonly (readonly [string, () => Promise<void>])[] = [
      ...Array.from({ length: times }, () => ['PostgreSQL restarted', servers.restartDatabase] as const),
      ...Array.from({ length: times }, () => ['Redis restarted', servers.restartRedis] as const),
      ['Redis emptied', servers.flushRedis] as const,
    ];
    let slowest = 0;
    const lost: string[] = [];
    await untilEachLets(port, { groups, mostMs: 2 * convergesInMs }, fleet);
    for (const [name, blow] of blows) {
      port += 1;
      await fleet.want(manyGroups(sandbox.url, groups, port));
      await sleep(Math.random() * 3000);
      await blow();
      const ms = await untilEachLets(port, { groups, mostMs: 2 * convergesInMs }, fleet);
      console.error(`restarts: ${name}, converged after ${(ms / 1000).toFixed(1)} s`);
      slowest = Math.max(slowest, ms);
      if (ms > convergesInMs) lost.push(`${name}: converged after ${ms} ms`);
    }
    const over = sandbox.control.log.entries({ errorCode: 'RequestLimitExceeded' }).length;
    const violations = [
      ...lost,
      ...Array.from({ length: over }, () => 'a call went over the budget'),
      ...(await fleet.verify()),
      ...fleet.workers.fallen(),
    ];
    if (fleet.workers.fallen().length > 0) console.error(fleet.workers.said());
    return [
      violationsFigure('restarts', violations),
      { name: 'restarts-slowest', value: Math.round(slowest) / 1000, unit: 's' },
      { name: 'restarts-over-budget', value: over, unit: 'calls', floor: 0 },
    ];
  });
}

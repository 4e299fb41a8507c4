import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Figure } from '../bench/figure.ts';
import { type Fleet, type FleetOptions, withFleet } from './fleet.ts';
import { manyGroups, untilEachLets } from './fleet-specs.ts';
import { violationsFigure } from './violations.ts';

const groups = 60;
const readyMs = 10_000;
const convergesInMs = 120_000;

/** Fills a server, and frees it again. */
interface Server {
  readonly name: 'full-disk' | 'full-redis';
  readonly options: Pick<FleetOptions, 'diskMb'>;
  fill(fleet: Fleet): Promise<void>;
  free(fleet: Fleet): Promise<void>;
}

const disk: Server = {
  name: 'full-disk',
  options: { diskMb: 512 },
  fill: ({ servers }) => servers.fillDisk(),
  free: ({ servers }) => servers.freeDisk(),
};

const redis: Server = {
  name: 'full-redis',
  options: {},
  fill: ({ servers }) => servers.limitRedis('full'),
  free: ({ servers }) => servers.limitRedis('free'),
};

export const fullDisk = (args: readonly string[]): Promise<readonly Figure[]> => full(disk, args);
export const fullRedis = (args: readonly string[]): Promise<readonly Figure[]> => full(redis, args);

/**
 * The server is full for 20 s, `--times` (5), from the moment in which the specs ask for something new. Meanwhile every worker
 * lives and says within 10 s that it is not ready. Once there is room again, a worker writes within 15 s, the cloud holds what
 * the specs ask for by now, every worker is ready, no scope is in quarantine, and the ledger verifies.
 */
async function full(server: Server, args: readonly string[]): Promise<readonly Figure[]> {
  const { values } = parseArgs({ args: [...args], options: { times: { type: 'string', default: '5' } } });
  const { name, options } = server;
  const more = ['--health-port', '0'];
  let port = 8000;
  const specs = (endpoint: string): string => manyGroups(endpoint, groups, port);
  return withFleet({ count: 3, specs, more, ...options }, async (fleet) => {
    const violations: string[] = [];
    let [slowestWrite, slowestReady] = [0, 0];
    await untilEachLets(port, { groups, mostMs: convergesInMs }, fleet);
    violations.push(...(await untilReady(fleet, true)).late);
    for (let time = 0; time < Number(values.times); time += 1) {
      port += 1;
      await fleet.want(specs(fleet.sandbox.url));
      await sleep(Math.random() * 2000);
      await server.fill(fleet);
      const unready = await untilReady(fleet, false);
      slowestReady = Math.max(slowestReady, unready.afterMs);
      violations.push(...unready.late);
      // why: what was asked for before may be done, and then nothing would be left to write
      port += 1;
      await fleet.want(specs(fleet.sandbox.url));
      await sleep(20_000);
      violations.push(...(await dead(fleet)));
      fleet.sandbox.control.log.clear();
      await server.free(fleet);
      const [wroteMs] = await Promise.all([
        firstWrite(fleet, port),
        untilEachLets(port, { groups, mostMs: convergesInMs }, fleet),
      ]);
      slowestWrite = Math.max(slowestWrite, wroteMs);
      console.error(`${name}: not ready after ${unready.afterMs} ms; first write ${wroteMs} ms after there was room`);
      violations.push(...(await untilReady(fleet, true)).late, ...(await quarantined(fleet)));
    }
    violations.push(...(await fleet.verify()));
    violations.push(...fleet.workers.fallen());
    if (violations.length > 0) console.error(fleet.workers.said());
    return [
      violationsFigure(name, violations),
      { name: `${name}-first-write`, value: Math.round(slowestWrite) / 1000, unit: 's' },
      { name: `${name}-not-ready`, value: Math.round(slowestReady) / 1000, unit: 's' },
    ];
  });
}

/** Until every worker says so; `late`: those that did not within 10 s, or 30 s for being ready again. */
async function untilReady(fleet: Fleet, ready: boolean) {
  const from = performance.now();
  const mostMs = ready ? 3 * readyMs : readyMs;
  for (;;) {
    const addresses = fleet.workers.healthUrls();
    const others: string[] = [];
    for (const url of addresses) {
      const { status } = await fetch(`${url}/readyz`);
      if ((status === 200) !== ready) others.push(url);
    }
    const afterMs = Math.round(performance.now() - from);
    if (addresses.length === fleet.workers.pids().length && others.length === 0) return { afterMs, late: [] };
    if (afterMs > mostMs)
      return {
        afterMs,
        late: [
          `${others.length} of ${addresses.length} workers were not ${ready ? '' : 'un'}ready after ${mostMs / 1000} s`,
        ],
      };
    await sleep(200);
  }
}

async function dead(fleet: Fleet): Promise<readonly string[]> {
  const answers = await Promise.all(fleet.workers.healthUrls().map((url) => fetch(`${url}/livez`)));
  return answers.every(({ status }) => status === 200) ? [] : ['a worker said that it does not live'];
}

/** The time until the first write to the cloud. */
async function firstWrite({ sandbox }: Fleet, port: number): Promise<number> {
  const from = performance.now();
  while (sandbox.control.log.entries({ mutating: true }).length === 0) {
    if (performance.now() - from > convergesInMs) throw new Error(`nothing was written for port ${port}`);
    await sleep(50);
  }
  return Math.round(performance.now() - from);
}

async function quarantined({ servers }: Fleet): Promise<readonly string[]> {
  const row = await servers.ask('SELECT count(*)::int AS held FROM setpoint.quarantine', []);
  return row?.['held'] === 0 ? [] : [`${row?.['held']} scopes are in quarantine`];
}

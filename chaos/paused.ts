import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import type { Figure } from '../bench/figure.ts';
import { type Fleet, withFleet } from './fleet.ts';
import { manyScopes, regions, scopesWith } from './fleet-specs.ts';
import { violationsFigure } from './violations.ts';

/** Promised for the first write of another worker. */
const promisedMs = 15_000;
const longestMs = 180_000;

/**
 * A worker is stopped (SIGSTOP) while its connections wait for the locks of chains, `--times` (5) over; then the locks are let go, so
 * that it is given them and cannot use them. Another worker must write within 15 s, and all scopes must come to hold the newest specs
 * while the worker still stands still. It is woken after that, and must have written nothing over what the others did.
 */
export async function paused(args: readonly string[]): Promise<readonly Figure[]> {
  const { values } = parseArgs({ args: [...args], options: { times: { type: 'string', default: '5' } } });
  return withFleet({ count: 3, specs: (endpoint) => manyScopes(endpoint, 8000) }, async (fleet) => {
    await until(fleet, 8000, () => scopesWith(fleet.sandbox, 8000).length === regions.length);
    const trials: Stopped[] = [];
    for (let n = 1; n <= Number(values.times); n += 1) {
      const trial = await stopped(fleet, 8000 + n);
      trials.push(trial);
      const { others, first, own } = trial;
      console.error(
        `paused: first write after ${seconds(first)} s, in its own scopes after ${seconds(own)} s, all after ${seconds(others)} s`,
      );
    }
    const late = trials.filter(({ first }) => first > promisedMs);
    const violations = [
      ...late.map(({ first }) => `the first write came after ${seconds(first)} s`),
      ...(await fleet.verify()),
      ...fleet.workers.fallen(),
    ];
    return [
      violationsFigure('paused', violations),
      { name: 'paused-first-write', value: seconds(Math.max(...trials.map(({ first }) => first))), unit: 's' },
      { name: 'paused-own-scopes', value: seconds(Math.max(...trials.map(({ own }) => own))), unit: 's' },
    ];
  });
}

/** In ms since the locks were let go: until anybody's first write, the first in a scope of the stopped worker, and all scopes. */
interface Stopped {
  readonly first: number;
  readonly own: number;
  readonly others: number;
}

async function stopped(fleet: Fleet, port: number): Promise<Stopped> {
  const { sandbox, servers, workers } = fleet;
  const keeper = new pg.Client({ connectionString: servers.directUrl() });
  await keeper.connect();
  let pid: number | undefined;
  try {
    await keeper.query('BEGIN');
    await keeper.query('SELECT 1 FROM setpoint.chains ORDER BY chain FOR UPDATE');
    await fleet.want(manyScopes(sandbox.url, port));
    const waits = await waiting(fleet, keeper);
    pid = waits.pid;
    process.kill(pid, 'SIGSTOP');
    const before = sandbox.control.log.entries({ mutating: true }).length;
    await keeper.query('ROLLBACK');
    const from = performance.now();
    await until(fleet, port, () => sandbox.control.log.entries({ mutating: true }).length > before);
    const first = performance.now() - from;
    await until(fleet, port, () => scopesWith(sandbox, port).some((region) => waits.regions.includes(region)));
    const own = performance.now() - from;
    await until(fleet, port, () => scopesWith(sandbox, port).length === regions.length);
    return { first, own, others: performance.now() - from };
  } finally {
    if (pid !== undefined && workers.pids().includes(pid)) process.kill(pid, 'SIGCONT');
    await keeper.end();
  }
}

/** The worker whose writes wait for a lock, by the leases that it holds. */
async function waiting(
  { workers }: Fleet,
  keeper: pg.Client,
): Promise<{ readonly pid: number; readonly regions: readonly string[] }> {
  for (const end = performance.now() + longestMs; performance.now() < end; await sleep(20)) {
    const locked = await keeper.query(
      "SELECT count(*)::integer AS count FROM pg_stat_activity WHERE application_name = 'setpoint' AND wait_event_type = 'Lock'",
    );
    const { rows } = await keeper.query(
      "SELECT holder, scope FROM setpoint.leases WHERE expires_at > clock_timestamp() AND scope LIKE '%/%'",
    );
    if (locked.rows[0].count < 2) continue;
    const pidOf = (holder: string): number => workers.pids().find((pid) => holder.includes(String(pid))) ?? 0;
    const byPid = Map.groupBy(rows, ({ holder }) => pidOf(holder));
    const most = [...byPid].filter(([pid]) => pid > 0).sort(([, a], [, b]) => b.length - a.length)[0];
    if (most) return { pid: most[0], regions: most[1].map(({ scope }) => String(scope).split('/').at(-1) ?? '') };
  }
  throw new Error('no worker came to wait for the lock of a chain');
}

async function until({ workers, sandbox }: Fleet, port: number, isSo: () => boolean): Promise<void> {
  for (const end = performance.now() + longestMs; !isSo(); await sleep(20)) {
    if (performance.now() > end) throw new Error(`only ${scopesWith(sandbox, port)} let ${port} through in time`);
    if (workers.pids().length === 0) throw new Error('no worker is left');
  }
}

const seconds = (ms: number): number => Math.round(ms) / 1000;

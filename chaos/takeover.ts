import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Figure } from '../bench/figure.ts';
import { type Fleet, withFleet } from './fleet/fleet.ts';
import { groupsWith, manyGroups } from './fleet/many-groups.ts';

/**
 * How long a scope stands still when the worker that changes it is killed: from the SIGKILL to the next mutating call that
 * the cloud gets, from another worker. Leases, queue and clocks are as users have them. `--kills` (30) in all, by
 * `--fleets` (3) side by side, each with servers and a cloud of its own.
 */
export async function takeover(args: readonly string[]): Promise<readonly Figure[]> {
  const { values } = parseArgs({
    args: [...args],
    options: { kills: { type: 'string', default: '30' }, fleets: { type: 'string', default: '3' } },
  });
  const [kills, fleets] = [Number(values.kills), Number(values.fleets)];
  const shares = Array.from({ length: fleets }, (_, n) => Math.floor((kills + n) / fleets));
  const all = await Promise.all(shares.map(takeovers));
  const times = all.flat().toSorted((a, b) => a - b);
  console.error(`takeover: ${times.map((ms) => (ms / 1000).toFixed(1)).join(' ')} s`);
  const p95 = times[Math.ceil(times.length * 0.95) - 1] ?? Number.NaN;
  return [{ name: 'takeover', value: Math.round(p95) / 1000, unit: 's' }];
}

const groups = 150;

function takeovers(kills: number): Promise<readonly number[]> {
  let port = 8000;
  return withFleet({ count: 2, specs: (endpoint) => manyGroups(endpoint, groups, port) }, async (fleet) => {
    const { sandbox } = fleet;
    const times: number[] = [];
    while (times.length < kills) {
      if (groupsWith(sandbox, port) === groups) {
        port += 1;
        await fleet.want(manyGroups(sandbox.url, groups, port));
      }
      const ms = await takenOver(fleet);
      times.push(ms);
      console.error(`takeover: ${(ms / 1000).toFixed(1)} s`);
    }
    return times;
  });
}

const longestMs = 60_000;

/** Kills whoever holds the lease while it writes, and waits for the next to write. */
async function takenOver(fleet: Fleet): Promise<number> {
  const { workers } = fleet;
  for (;;) {
    await nextWrite(fleet);
    await sleep(Math.random() * 300);
    const pid = await holder(fleet);
    if (pid === undefined) continue;
    const killed = performance.now();
    if (!workers.kill(pid)) continue;
    // why: what it had sent before may still arrive
    await sleep(200);
    await nextWrite(fleet);
    return performance.now() - killed;
  }
}

/** As the cloud gets it. */
async function nextWrite({ sandbox }: Fleet): Promise<void> {
  const { log } = sandbox.control;
  const { add } = log;
  let written: (() => void) | undefined;
  const write = new Promise<boolean>((resolve) => {
    written = () => resolve(true);
  });
  log.add = (entry) => {
    add(entry);
    if (entry.mutating && entry.errorCode === undefined) written?.();
  };
  try {
    const late = new AbortController();
    const seen = await Promise.race([write, sleep(longestMs, false, { signal: late.signal })]);
    late.abort();
    if (!seen) throw new Error(`nobody wrote in ${longestMs / 1000} s`);
  } finally {
    log.add = add;
  }
}

/** The process that holds the lease of the one scope, by what it calls itself there. */
async function holder({ servers }: Fleet): Promise<number | undefined> {
  const row = await servers.ask('SELECT holder FROM setpoint.leases WHERE expires_at > clock_timestamp()', []);
  const pid = /process (\d+)/.exec(String(row?.['holder'] ?? ''))?.[1];
  return pid === undefined ? undefined : Number(pid);
}

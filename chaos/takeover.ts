import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Figure, p95 } from '../bench/figure.ts';
import type { Sandbox } from '../sandbox/index.ts';
import { type Fleet, withFleet } from './fleet.ts';
import { groupsLetting, manyGroups } from './fleet-specs.ts';

/**
 * The pause of a scope when the worker that changes it is killed: from the SIGKILL to the next mutating call that the cloud
 * gets from the next holder of the lease. Each kill has something new to do, and hits the holder of the lease in the midst of
 * it. It counts only if the holder died with the lease. Leases, queue and clocks are as users have them. `--kills`
 * (30) in all, by `--fleets` (3) side by side, each with servers and a cloud of its own.
 */
export async function takeover(args: readonly string[]): Promise<readonly Figure[]> {
  const { values } = parseArgs({
    args: [...args],
    options: { kills: { type: 'string', default: '30' }, fleets: { type: 'string', default: '3' } },
  });
  const [kills, fleets] = [Number(values.kills), Number(values.fleets)];
  const shares = Array.from({ length: fleets }, (_, n) => Math.floor((kills + n) / fleets));
  // why: one that breaks does not leave the workers of the others running
  const ended = await Promise.allSettled(shares.map(takeovers));
  const times = ended.flatMap(timesOf).toSorted((a, b) => a - b);
  console.error(`takeover: ${times.map((ms) => (ms / 1000).toFixed(1)).join(' ')} s`);
  return [{ name: 'takeover', value: Math.round(p95(times)) / 1000, unit: 's' }];
}

function timesOf(ended: PromiseSettledResult<readonly number[]>): readonly number[] {
  if (ended.status === 'rejected') throw ended.reason;
  return ended.value;
}

const groups = 150;
/** Of several in turn: what killed workers left behind is not to fill a group, which EC2 lets hold 60 rules. */
const portAt = (turn: number): number => 8000 + (turn % 20);
/** A kill that does not count is no news, so many in a row are. */
const mostInVain = 10;

function takeovers(kills: number): Promise<readonly number[]> {
  return withFleet({ count: 2, specs: (endpoint) => manyGroups(endpoint, groups, portAt(0)) }, async (fleet) => {
    const writes = writesOf(fleet.sandbox);
    const times: number[] = [];
    for (let [turn, inVain] = [1, 0]; times.length < kills; turn += 1) {
      const ms = await takenOver(fleet, portAt(turn), writes);
      if (ms === undefined) {
        inVain += 1;
        if (inVain === mostInVain) throw new Error(`${mostInVain} kills in a row met nobody at work with the lease`);
        console.error('takeover: not counted, the killed one had no lease or little left to do');
        continue;
      }
      inVain = 0;
      times.push(ms);
      console.error(`takeover: ${(ms / 1000).toFixed(1)} s`);
    }
    return times;
  });
}

/** When writes reached the cloud, from now on. */
function writesOf({ control: { log } }: Sandbox): readonly number[] {
  const moments: number[] = [];
  const { add } = log;
  log.add = (entry) => {
    add(entry);
    if (entry.mutating && entry.errorCode === undefined) moments.push(Date.now());
  };
  return moments;
}

/** Asks for something new, kills who does it, and waits for the next one to write. Undefined: it was no takeover. */
async function takenOver(fleet: Fleet, port: number, writes: readonly number[]): Promise<number | undefined> {
  const { sandbox, workers } = fleet;
  const done = (): number => groupsLetting(sandbox, port);
  await fleet.want(manyGroups(sandbox.url, groups, port));
  await until(`nobody wrote what is new, port ${port}`, () => done() > 0);
  await sleep(Math.random() * 300);
  const before = await leaseOf(fleet);
  const pid = processOf(before);
  if (before === undefined || pid === undefined || done() > groups / 2) return undefined;
  const killed = Date.now();
  if (!workers.kill(pid)) return undefined;
  await until(`process ${pid} does not end`, () => !workers.pids().includes(pid));
  if (!heldAtDeath(before, await leaseOf(fleet))) return undefined;
  const at = await until(`nobody took over: ${groups - done()} groups wait for port ${port}`, async () =>
    takenOverAt(before, await leaseOf(fleet), writes),
  );
  return at - killed;
}

const longestMs = 300_000;

/** Calls `look` until it gives something. */
async function until<T>(otherwise: string, look: () => T | Promise<T>): Promise<Exclude<T, undefined | false>> {
  for (const end = performance.now() + longestMs; performance.now() < end; await sleep(50)) {
    const found = await look();
    if (found !== undefined && found !== false) return found as Exclude<T, undefined | false>; // why: both are ruled out above
  }
  throw new Error(`${otherwise}, for ${longestMs / 1000} s`);
}

/** Of the one scope that manyGroups speaks of; undefined while the database is away, or nobody ever had it. */
async function leaseOf({ servers }: Fleet): Promise<LeaseRow | undefined> {
  const row = await servers.ask(
    `SELECT holder, epoch, since, expires_at > clock_timestamp() AS runs FROM setpoint.leases
     WHERE estate = 'fleet' AND scope = 'aws/111122223333/eu-west-1'`,
    [],
  );
  if (row === undefined) return undefined;
  const { holder, epoch, since, runs } = row;
  return { holder: String(holder), epoch: Number(epoch), since: Number(since), runs: runs === true };
}

/** A lease as its row says. `since`: when it was taken, ms since the epoch; `runs`: it has not run out. */
export interface LeaseRow {
  readonly holder: string;
  readonly epoch: number;
  readonly since: number;
  readonly runs: boolean;
}

/** The process that holds a lease, by what a worker calls itself there; undefined where nobody does. */
export function processOf(row: LeaseRow | undefined): number | undefined {
  const pid = row?.runs ? /process (\d+)/.exec(row.holder)?.[1] : undefined;
  return pid === undefined ? undefined : Number(pid);
}

/** True if the killed worker died with the lease: a released lease leaves nothing to take over. */
export const heldAtDeath = (before: LeaseRow, after: LeaseRow | undefined): boolean =>
  after?.runs === true && after.holder === before.holder && after.epoch === before.epoch;

/**
 * When the next holder's first write reached the cloud; undefined while it has not. Those before it held the lease are what the
 * killed one had sent. `writes`: moments in ms since the epoch, oldest first.
 */
export function takenOverAt(
  before: LeaseRow,
  now: LeaseRow | undefined,
  writes: readonly number[],
): number | undefined {
  if (now === undefined || now.epoch <= before.epoch) return undefined;
  return writes.find((at) => at >= now.since);
}

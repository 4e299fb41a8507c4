import { createHash } from 'node:crypto';
import { ErrorCode, type JobSchedulerJson, type Queue } from 'bullmq';
import type { Periodic, RequestedScope } from '../ports/queue.ts';
import { keyOf } from './jobs.ts';

/**
 * Makes the schedulers of a queue exactly these. Each comes at a moment of its own within its interval, the same one
 * whoever asks. Those that are right are left alone, so this is cheap to do again: it is how a lost schedule comes back.
 */
export async function syncSchedules(queue: Queue<RequestedScope>, reconciles: readonly Periodic[]): Promise<void> {
  const wanted = new Map(reconciles.map((reconcile) => [keyOf(reconcile), reconcile]));
  // why: two who put the same one back at once put it an interval off; the next look sees it.
  for (let looks = 1; looks <= 3; looks++) if (!(await correctSchedules(queue, wanted))) return;
}

/** True if anything was wrong. */
async function correctSchedules(queue: Queue<RequestedScope>, wanted: ReadonlyMap<string, Periodic>): Promise<boolean> {
  const found = await queue.getJobSchedulers(0, -1, true);
  const right = new Set<string>();
  const wrong: string[] = [];
  for (const scheduler of found)
    if (isRight(scheduler, wanted.get(scheduler.key))) right.add(scheduler.key);
    else wrong.push(scheduler.key);
  const missing = [...wanted].filter(([key]) => !right.has(key));
  for (const key of wrong) await queue.removeJobScheduler(key).catch(unlessGivenWay);
  for (const [key, reconcile] of missing) await put(queue, key, reconcile).catch(unlessGivenWay);
  return wrong.length + missing.length > 0;
}

/**
 * Of two who remove or put back the same one, one gives way: PostgreSQL makes it (deadlock_detected), or BullMQ finds the other's job in its
 * place. The other puts it, and the next look sees whether it did.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
function unlessGivenWay(error: unknown): void {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code !== '40P01' && code !== ErrorCode.SchedulerJobSlotsBusy) throw error;
}

/** One whose moment passed an interval ago, or lies beyond the next, has lost its job or its place. */
function isRight(
  { every, next, template }: Pick<JobSchedulerJson<RequestedScope>, 'every' | 'next' | 'template'>,
  reconcile: Periodic | undefined,
): boolean {
  if (reconcile === undefined || every !== reconcile.everyMs || next === undefined) return false;
  if (template?.data?.criticality !== reconcile.criticality) return false;
  return Math.abs(next - Date.now()) <= reconcile.everyMs;
}

async function put(queue: Queue<RequestedScope>, key: string, { everyMs, ...scope }: Periodic): Promise<void> {
  const opts = { attempts: 3, backoff: { type: 'fixed', delay: 1_000 }, removeOnComplete: true, removeOnFail: true };
  const repeat = { every: everyMs, offset: offsetOf(key, everyMs) };
  await queue.upsertJobScheduler(key, repeat, { name: 'due', data: scope, opts });
}

/** From 1 to `everyMs` - 1: BullMQ takes 0 for none. */
function offsetOf(key: string, everyMs: number): number {
  const hash = createHash('sha256').update(key).digest().readUIntBE(0, 6);
  return 1 + (hash % Math.max(1, everyMs - 1));
}

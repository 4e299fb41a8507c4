import { randomUUID } from 'node:crypto';
import type { Queue } from 'bullmq';
import type { Urgency, Where } from '../ports/queue.ts';
import { type Bull, deadline } from './connection.ts';

/** The reconciles of one cloud that wait. */
export interface CloudQueue {
  readonly cloud: string;
  readonly queue: Queue<Where>;
  request(where: Where, urgency: Urgency): Promise<void>;
}

/** BullMQ takes a lower number first, and among equals the one that has waited longest. */
export const priorities: Readonly<Record<Urgency, number>> = { now: 1, periodic: 2 };

export const cloudOf = ({ scope }: Where): string => scope.split('/', 1)[0] ?? '';

/** Names a place in keys: no estate's name has a slash, so no two places share one. */
export const keyOf = ({ estate, scope }: Where): string => `${estate}/${scope}`;

export function cloudQueueOf(
  bull: Bull,
  name: string,
  { cloud, tries }: { readonly cloud: string; readonly tries: Tries },
): CloudQueue {
  const queue = bull.queue(`${name}-${cloud}`);
  const request = async (where: Where, urgency: Urgency): Promise<void> => {
    const id = randomUUID();
    const held = await queue.add(
      'pass',
      { estate: where.estate, scope: where.scope },
      optionsOf(where, urgency, { id, tries }),
    );
    if (urgency === 'now' && held.id !== undefined && held.id !== id) await hurry(queue, held.id);
  };
  return {
    cloud,
    queue,
    request: (where, urgency) => deadline(request(where, urgency), `a reconcile of ${keyOf(where)} was not queued`),
  };
}

/**
 * A request of `now` during a reconcile is kept for after it. A periodic one is not: it would take the place of an urgent one that
 * is already kept, and the reconcile that runs is as good.
 */
const optionsOf = (where: Where, urgency: Urgency, { id, tries }: { readonly id: string; readonly tries: Tries }) => ({
  jobId: id,
  priority: priorities[urgency],
  deduplication: { id: keyOf(where), ...(urgency === 'now' && { keepLastIfActive: true }) },
  attempts: tries.attempts,
  backoff: { type: 'jitter' },
  removeOnComplete: true,
  removeOnFail: { count: 1_000 },
});

/** One that waits as a periodic reconcile is urgent from now on. One that is urgent keeps its place; one that runs has its successor. */
async function hurry(queue: Queue<Where>, id: string): Promise<void> {
  const job = await queue.getJob(id);
  if (job === undefined || job.priority <= priorities.now) return;
  await job.changePriority({ priority: priorities.now }).catch(async (error: unknown) => {
    // why: it has ended meanwhile, so it began after this request.
    if ((await queue.getJob(id)) !== undefined) throw error;
  });
}

/** The time limits of jobs: to notice a lost worker, to wait, and to end. Milliseconds. */
export interface Pace {
  /** A job is its worker's for so long after the last renewal; it renews every third of that. */
  readonly lockMs: number;
  /** The interval of checks for jobs without a lock. Takeover after a SIGKILL: at most `lockMs` + `stalledMs`. */
  readonly stalledMs: number;
  /** A periodic reconcile that has waited for so long goes ahead of urgent ones in its turn, see `antiStarvation`. */
  readonly patienceMs: number;
  /** `WorkerPool.stop` waits so long for reconciles to end before it takes their jobs from them, and returns within 1.5 of it. */
  readonly graceMs: number;
}

export interface Tries {
  /** Failures in a row after which a reconcile is poison. */
  readonly attempts: number;
  /** Workers that a job may take with it before it is poison. */
  readonly kills: number;
  /** The first pause after a failure is at most this, the next at most twice as long, and so on. */
  readonly backoffMs: number;
  readonly backoffCapMs: number;
}

export interface Settings {
  readonly pace: Pace;
  readonly tries: Tries;
  /** Told what went wrong between us and the queue's server, once for each spell of it. */
  readonly onTrouble: (message: string) => void;
}

/** With a lease of 10 s: a job is somebody else's at most 10 s after its worker died, and 5 s are left for a look. */
export const usualPace: Pace = { lockMs: 8_000, stalledMs: 2_000, patienceMs: 60_000, graceMs: 18_000 };

export const usualTries: Tries = { attempts: 5, kills: 10, backoffMs: 1_000, backoffCapMs: 30_000 };

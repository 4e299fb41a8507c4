import { randomUUID } from 'node:crypto';
import type { Job, Queue } from 'bullmq';
import { type Criticality, criticalities, criticalityOf } from '../core/criticality.ts';
import type { QueuedReconcile, RequestedScope, Urgency, Where } from '../ports/queue.ts';
import { type Bull, deadline } from './connection.ts';

/** The reconciles of one cloud that wait. The criticality of a job is that of its request, and counts again where it goes back. */
export interface CloudQueue {
  readonly cloud: string;
  readonly queue: Queue<RequestedScope>;
  request(scope: RequestedScope, urgency: Urgency): Promise<void>;
}

/**
 * BullMQ takes a lower number first, and among equals the one that has waited longest. A critical scope is observed before anything is done
 * about a scope that is not critical: a flood of requests there delays no alert here. Otherwise requests go before what is due.
 */
export const priorities: Readonly<Record<Urgency, Readonly<Record<Criticality, number>>>> = {
  now: { critical: 2, high: 3, normal: 5, low: 7 },
  periodic: { critical: 4, high: 6, normal: 8, low: 9 },
};

/** Before all others: of the one that has waited too long. It tells nothing of urgency. */
export const firstPriority = 1;
export const lastPriority = priorities.periodic.low;

const urgencies = ['now', 'periodic'] as const;

/** The place of a job in its queue: the highest that a request gave it. `urgency`: absent where it went ahead of all. */
export function placeOf({
  priority,
  data: { criticality = 'normal' },
}: Pick<Job<RequestedScope>, 'priority' | 'data'>): JobPlace {
  const places = urgencies.flatMap((urgency) =>
    criticalities.map((one) => ({ urgency, criticality: one, is: priorities[urgency][one] === priority })),
  );
  const place = places.find(({ is }) => is);
  return place === undefined ? { criticality } : { urgency: place.urgency, criticality: place.criticality };
}

type JobPlace = Pick<QueuedReconcile, 'criticality' | 'urgency'>;

export const cloudOf = ({ scope }: Where): string => scope.split('/', 1)[0] ?? '';

/** Names a place in keys: no estate's name has a slash, so no two places share one. */
export const keyOf = ({ estate, scope }: Where): string => `${estate}/${scope}`;

export function cloudQueueOf(
  bull: Bull,
  name: string,
  { cloud, tries }: { readonly cloud: string; readonly tries: Tries },
): CloudQueue {
  const queue = bull.queue(`${name}-${cloud}`);
  const request = async (
    { estate, scope, criticality = 'normal' }: RequestedScope,
    urgency: Urgency,
  ): Promise<void> => {
    const id = randomUUID();
    const priority = priorities[urgency][criticality];
    const data = { estate, scope, ...criticalityOf([{ criticality }]) };
    const held = await queue.add('pass', data, optionsOf(data, urgency, { id, priority, tries }));
    const isHurried = urgency === 'now' || criticality === 'critical';
    if (isHurried && held.id !== undefined && held.id !== id) await hurry(queue, held.id, priority);
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
const optionsOf = (where: Where, urgency: Urgency, { id, priority, tries }: JobTerms) => ({
  jobId: id,
  priority,
  deduplication: { id: keyOf(where), ...(urgency === 'now' && { keepLastIfActive: true }) },
  attempts: tries.attempts,
  backoff: { type: 'jitter' },
  removeOnComplete: true,
  removeOnFail: { count: 1_000 },
});

interface JobTerms {
  readonly id: string;
  readonly priority: number;
  readonly tries: Tries;
}

/** One that waits behind its new place goes there. One that is before it keeps its own; one that runs has its successor. */
async function hurry(queue: Queue<RequestedScope>, id: string, priority: number): Promise<void> {
  const job = await queue.getJob(id);
  if (job === undefined || job.priority <= priority) return;
  await job.changePriority({ priority }).catch(async (error: unknown) => {
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
  /** A reconcile that has waited for so long goes ahead of all others in its turn, see `antiStarvation`. */
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

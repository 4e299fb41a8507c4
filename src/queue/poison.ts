import type { Job, Queue } from 'bullmq';
import type { JobHandler, RequestedScope } from '../ports/queue.ts';
import type { Settings } from './jobs.ts';

/** A process that died, or a store that was unavailable, leaves failed jobs unreported: they are looked for this often. */
const everyMs = 10_000;

/**
 * Tells `JobHandler.poisoned` of each job that failed for good, and only then removes it: a job that failed stays until somebody
 * was told, whichever process dies in between. It may be told twice.
 */
export function poison(
  queue: Queue<RequestedScope>,
  shift: JobHandler,
  settings: Settings,
): { look(): Promise<void>; close(): Promise<void> } {
  let looking = Promise.resolve();
  const look = (): Promise<void> => {
    looking = looking
      .then(() => tellAll(queue, shift, settings))
      .catch((error: unknown) =>
        settings.onTrouble(`${queue.name}: a failed job could not be reported: ${String(error)}`),
      );
    return looking;
  };
  const timer = setInterval(() => void look(), everyMs);
  void look();
  return {
    look,
    close: () => {
      clearInterval(timer);
      return looking;
    },
  };
}

async function tellAll(queue: Queue<RequestedScope>, shift: JobHandler, settings: Settings): Promise<void> {
  for (const job of await queue.getFailed(0, 99)) {
    await shift.poisoned({ estate: job.data.estate, scope: job.data.scope }, reasonOf(job, settings));
    await job.remove();
  }
}

/** BullMQ's words where a job's lock ran out too often; https://docs.bullmq.io/guide/workers/stalled-jobs */
const stalledTooOften = 'job stalled more than allowable limit';

function reasonOf(job: Job<RequestedScope>, { tries }: Settings): string {
  if (job.failedReason === stalledTooOften)
    return `more than ${tries.kills} workers died or stood still while they ran this reconcile`;
  return `the reconcile failed ${job.attemptsMade} times in a row, at last with: ${job.failedReason}`;
}

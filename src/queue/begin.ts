import type { Worker } from 'bullmq';
import type { Where } from '../ports/queue.ts';

/** It takes jobs from now on. Should its loop ever end by itself, that is told as an error of the worker. */
export const begin = (worker: Worker<Where>): void =>
  void worker
    .run()
    .catch((error: unknown) => worker.emit('error', error instanceof Error ? error : new Error(String(error))));

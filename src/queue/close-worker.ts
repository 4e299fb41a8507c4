import type { Worker } from 'bullmq';
import type { Where } from '../ports/queue.ts';
import { atMost } from './deadline.ts';

/** Closes a worker within `ms`, its server away or not. `force`: without waiting for passes that run. */
export async function closeWorker(worker: Worker<Where>, ms: number, force = false): Promise<void> {
  await atMost(worker.close(force), ms);
  // why: with its server away `close` waits for ever, and this timer, which it would end last, would keep the process.
  await worker['lockManager'].close();
}

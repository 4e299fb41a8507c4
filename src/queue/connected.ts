import { setTimeout as pause } from 'node:timers/promises';
import type { Worker } from 'bullmq';
import type { Where } from '../ports/queue.ts';
import { closeWorker } from './close-worker.ts';
import { deadline } from './deadline.ts';

const mostTries = 5;
const usualPauseMs = 200;

/**
 * A worker that has been connected once. BullMQ keeps the first attempt, whatever came of it: a worker whose first connection
 * was lost would fail with that error for ever, so another one is made.
 */
export async function connected(make: () => Worker<Where>, pauseMs = usualPauseMs): Promise<Worker<Where>> {
  for (let tries = 1; ; tries += 1) {
    const worker = make();
    // why: an error nobody listens to ends the process
    worker.on('error', () => {});
    try {
      await deadline(worker.waitUntilReady(), 'the worker was not connected');
      return worker;
    } catch (error) {
      await closeWorker(worker, 1_000, true);
      if (tries === mostTries) throw error;
      await pause(pauseMs * tries);
    }
  }
}

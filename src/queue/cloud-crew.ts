import { setTimeout as pause } from 'node:timers/promises';
import { type Job, WaitingError, type Worker } from 'bullmq';
import type { Shift, Where } from '../ports/queue.ts';
import { backoff } from './backoff.ts';
import { begin } from './begin.ts';
import { breaker } from './breaker.ts';
import type { Bull, WorkOptions } from './bull.ts';
import { closeWorker } from './close-worker.ts';
import { atMost } from './deadline.ts';
import type { Line } from './line.ts';
import { poison } from './poison.ts';
import { relief } from './relief.ts';
import { type Run, type Running, runningPasses } from './running.ts';
import type { Settings } from './settings.ts';

/** What carries out the passes of one cloud in this process. */
export interface CloudCrew {
  busy(): readonly Where[];
  stop(): Promise<void>;
}

export interface Post {
  readonly bull: Bull;
  readonly line: Line;
  readonly shift: Shift;
  readonly settings: Settings;
}

/** It works as soon as it is there. */
export async function cloudCrew({ bull, line, shift, settings }: Post): Promise<CloudCrew> {
  const { pace, onTrouble } = settings;
  const running = runningPasses(pace.lockMs);
  const relieve = relief(line.queue, pace.patienceMs);
  let stopping = false;
  const process = async (job: Job<Where>, token = ''): Promise<unknown> => {
    // why: a worker that is told to take no more may still be given the one it asked for.
    if (stopping) return handBack(job, token);
    void relieve(job).catch(() => {});
    const ended = await running
      .during(job, token, (signal) => shift.pass(job.data, signal))
      .catch((error: unknown) => {
        if (!stopping) throw asError(error);
        return 'stopped' as const;
      });
    return stopping && ended !== 'done' ? handBack(job, token) : ended;
  };
  const worker = await bull.worker(line.queue.name, process, optionsOf(shift, settings));
  const poisoned = poison(line.queue, shift, settings);
  const brake = breaker(worker, onTrouble);
  listen(worker, running);
  worker.on('failed', () => void poisoned.look());
  worker.on('completed', (job, ended) => {
    if (ended === 'again') void line.request(job.data, 'periodic').catch((error: unknown) => onTrouble(String(error)));
  });
  begin(worker);
  return {
    busy: () => running.list().map(({ job }) => job.data),
    stop: async () => {
      stopping = true;
      brake.close();
      running.abort(new Error('this worker stops'));
      await worker.pause(true);
      await Promise.all([leave(worker, running, pace.graceMs), atMost(poisoned.close(), pace.graceMs)]);
    },
  };
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

const optionsOf = ({ atOnce }: Shift, { pace, tries }: Settings): WorkOptions => ({
  concurrency: atOnce,
  lockDuration: pace.lockMs,
  lockRenewTime: pace.lockMs / 3,
  stalledInterval: pace.stalledMs,
  maxStalledCount: tries.kills,
  runRetryDelay: 1_000,
  drainDelay: 5,
  settings: {
    backoffStrategy: (failures) => backoff(failures, { firstMs: tries.backoffMs, capMs: tries.backoffCapMs }),
  },
});

/** BullMQ tells of a lost lock by events alone. `stalled` comes to whoever looked, for anybody's job. */
function listen(worker: Worker<Where>, running: Running): void {
  worker.on('locksRenewed', ({ jobIds }) => running.renewed(jobIds));
  worker.on('lockRenewalFailed', (ids) => running.lose(ids));
  worker.on('stalled', (id) => running.lose([id]));
}

/** Queued again at once, in its own line, and not counted as a failure. */
async function handBack(job: Job<Where>, token: string): Promise<never> {
  await job.moveToWait(token);
  // why: BullMQ wakes nobody for a job that was moved, but for one whose priority was set.
  await job.changePriority({ priority: job.priority });
  throw new WaitingError();
}

/** Waits for the passes that run, takes their jobs from those that do not end, and closes the worker: at most 1.5 * `graceMs`. */
async function leave(worker: Worker<Where>, running: Running, graceMs: number): Promise<void> {
  for (const end = performance.now() + graceMs; running.list().length > 0 && performance.now() < end; ) await pause(20);
  const left = running.list();
  await atMost(Promise.all(left.map(takeBack)), graceMs / 4);
  await closeWorker(worker, graceMs / 4, left.length > 0);
}

const takeBack = ({ job, token }: Run): Promise<void> => handBack(job, token).catch(() => {});

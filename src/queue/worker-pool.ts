import { setTimeout as pause } from 'node:timers/promises';
import { type Job, type Queue, WaitingError, type Worker } from 'bullmq';
import type { JobHandler, RequestedScope, Where } from '../ports/queue.ts';
import { atMost, type Bull, closeWorker, type WorkOptions } from './connection.ts';
import { type CloudQueue, firstPriority, lastPriority, type Settings } from './jobs.ts';
import { poison } from './poison.ts';

/** The worker for reconciles of one cloud in this process. */
export interface CloudWorkers {
  busy(): readonly Where[];
  stop(): Promise<void>;
}

interface WorkerDependencies {
  readonly bull: Bull;
  readonly line: CloudQueue;
  readonly shift: JobHandler;
  readonly settings: Settings;
}

/** It works as soon as it is there. */
export async function cloudWorkers({ bull, line, shift, settings }: WorkerDependencies): Promise<CloudWorkers> {
  const { pace, onTrouble } = settings;
  const running = runningReconciles(pace.lockMs);
  const relieve = antiStarvation(line.queue, pace.patienceMs);
  let stopping = false;
  const process = async (job: Job<RequestedScope>, token = ''): Promise<unknown> => {
    // why: a worker that is told to take no more may still be given the one it asked for.
    if (stopping) return handBack(job, token);
    void relieve(job).catch(() => {});
    const ended = await running
      .during(job, token, (signal) => shift.reconcile(whereOf(job), signal))
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
    busy: () => running.list().map(({ job }) => whereOf(job)),
    stop: async () => {
      stopping = true;
      brake.close();
      running.abort(new Error('this worker stops'));
      await worker.pause(true);
      await Promise.all([leave(worker, running, pace.graceMs), atMost(poisoned.close(), pace.graceMs)]);
    },
  };
}

const whereOf = ({ data: { estate, scope } }: Job<RequestedScope>): Where => ({ estate, scope });

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

const optionsOf = ({ atOnce }: JobHandler, { pace, tries }: Settings): WorkOptions => ({
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
function listen(worker: Worker<RequestedScope>, running: Running): void {
  worker.on('locksRenewed', ({ jobIds }) => running.renewed(jobIds));
  worker.on('lockRenewalFailed', (ids) => running.lose(ids));
  worker.on('stalled', (id) => running.lose([id]));
}

/** Queued again at once, in its own line, and not counted as a failure. */
async function handBack(job: Job<RequestedScope>, token: string): Promise<never> {
  await job.moveToWait(token);
  // why: BullMQ wakes nobody for a job that was moved, but for one whose priority was set.
  await job.changePriority({ priority: job.priority });
  throw new WaitingError();
}

/** Waits for the reconciles that run, takes their jobs from those that do not end, and closes the worker: at most 1.5 * `graceMs`. */
async function leave(worker: Worker<RequestedScope>, running: Running, graceMs: number): Promise<void> {
  for (const end = performance.now() + graceMs; running.list().length > 0 && performance.now() < end; ) await pause(20);
  const left = running.list();
  await atMost(Promise.all(left.map(takeBack)), graceMs / 4);
  await closeWorker(worker, graceMs / 4, left.length > 0);
}

const takeBack = ({ job, token }: Run): Promise<void> => handBack(job, token).catch(() => {});

/** A reconcile that runs in this process, and the lock under which it does. */
interface Run {
  readonly job: Job<RequestedScope>;
  readonly token: string;
  readonly signal: AbortSignal;
}

/** The reconciles that run in this process. Each is told to end when its job's lock is lost. */
interface Running {
  /** Until the reconcile has ended. */
  during<T>(job: Job<RequestedScope>, token: string, reconcile: (signal: AbortSignal) => Promise<T>): Promise<T>;
  renewed(ids: readonly string[]): void;
  lose(ids: readonly string[]): void;
  /** Tells all to end, those too that begin from now on. */
  abort(why: Error): void;
  list(): readonly Run[];
}

/** `lockMs`: a job whose lock was not renewed for so long is lost, though no server said so: it may be out of reach. */
export function runningReconciles(lockMs: number): Running {
  const runs = new Map<string, Kept>();
  let ended: Error | undefined;
  return {
    during: async (job, token, reconcile) => {
      const kept = keep({ job, token }, lockMs);
      const id = job.id ?? token;
      runs.set(id, kept);
      if (ended) kept.abort.abort(ended);
      try {
        return await reconcile(kept.signal);
      } finally {
        clearTimeout(kept.lapse);
        if (runs.get(id) === kept) runs.delete(id);
      }
    },
    renewed: (ids) => {
      for (const id of ids) {
        const kept = runs.get(id);
        if (kept && !kept.signal.aborted) lapseLater(kept, lockMs);
      }
    },
    lose: (ids) => {
      for (const id of ids) runs.get(id)?.abort.abort(new JobLost());
    },
    abort: (why) => {
      ended = why;
      for (const { abort } of runs.values()) abort.abort(why);
    },
    list: () => [...runs.values()],
  };
}

/** The reason of a signal whose pass another worker may have taken over. */
export class JobLost extends Error {
  override readonly name = 'JobLost';
  constructor() {
    super('the lock of this job is lost: another worker may have taken it over');
  }
}

interface Kept extends Run {
  readonly abort: AbortController;
  lapse?: NodeJS.Timeout;
}

function keep({ job, token }: Pick<Run, 'job' | 'token'>, lockMs: number): Kept {
  const abort = new AbortController();
  const kept: Kept = { job, token, abort, signal: abort.signal };
  // why: it has been told, and one that does not listen may never end: a timer would keep the process.
  abort.signal.addEventListener('abort', () => clearTimeout(kept.lapse));
  lapseLater(kept, lockMs);
  return kept;
}

function lapseLater(kept: Kept, lockMs: number): void {
  clearTimeout(kept.lapse);
  kept.lapse = setTimeout(() => kept.abort.abort(new JobLost()), lockMs);
}

/** Every so many reconciles that begin in a process, one is of those that have waited too long. */
const every = 4;
/** The time until the next check after one that found none. */
const restMs = 1_000;

/**
 * So that no scope starves while reconciles of others come without end: with every fourth reconcile that this process begins, the
 * one that has waited longest of those behind it goes to the front, if it has waited for `patienceMs`. So what is behind has at
 * least a quarter of what the workers do, and what is before it at least three.
 */
function antiStarvation(
  queue: Queue<RequestedScope>,
  patienceMs: number,
): (begun: Job<RequestedScope>) => Promise<void> {
  let begunBefore = 0;
  let nextLook = 0;
  return async ({ priority }) => {
    if (priority >= lastPriority) return;
    begunBefore += 1;
    if (begunBefore < every || performance.now() < nextLook) return;
    begunBefore = 0;
    const oldest = await oldestBehind(queue, priority);
    if (oldest && Date.now() - oldest.timestamp >= patienceMs)
      await oldest.changePriority({ priority: firstPriority, lifo: true });
    else nextLook = performance.now() + restMs;
  };
}

const allPriorities = Array.from({ length: lastPriority }, (_, index) => index + firstPriority);

/** Those of one priority stand together, each in the order in which they came. */
async function oldestBehind(queue: Queue<RequestedScope>, priority: number): Promise<Job<RequestedScope> | undefined> {
  const counts = await queue.getCountsPerPriority(allPriorities);
  let ahead = 0;
  const firsts: Job<RequestedScope>[] = [];
  for (const one of allPriorities) {
    const { [one]: count = 0 } = counts;
    const [first] = one > priority && count > 0 ? await queue.getJobs(['prioritized'], ahead, ahead, true) : [];
    if (first?.priority === one) firsts.push(first);
    ahead += count;
  }
  return firsts.toSorted((a, b) => a.timestamp - b.timestamp)[0];
}

/** So many errors within `withinMs` open the breaker. A worker asks again at once when a query fails. */
const most = 5;
const withinMs = 1_000;
const breakerPause = { firstMs: 500, capMs: 5_000 };
/** After so long without an error a spell of them is over, and with the next it starts from its first pause again. */
const calmMs = 60_000;

type Held = Pick<Worker<RequestedScope>, 'name' | 'on' | 'pause' | 'resume'>;

/**
 * Holds a worker back while its server fails: BullMQ has no pause of its own between failed queries. Jobs that run go on.
 * `onTrouble` is told once of each spell that lasts, of a slow one too: a worker that waits for jobs asks once in five seconds.
 * `close`: for a worker that stops. `now`: in milliseconds, from any moment on.
 */
export function breaker(
  worker: Held,
  onTrouble: (message: string) => void,
  now: () => number = () => performance.now(),
): { close(): void } {
  let recent: number[] = [];
  let failures = 0;
  let lastFailure = 0;
  let opened = 0;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const count = (at: number): void => {
    if (at - lastFailure > calmMs) [failures, opened] = [0, 0];
    lastFailure = at;
    failures += 1;
    recent = [...recent.filter((each) => at - each < withinMs), at];
  };
  const open = (): void => {
    opened += 1;
    recent = [];
    void worker.pause(true).catch(() => {});
    timer = setTimeout(() => {
      timer = undefined;
      if (!closed) void worker.resume();
    }, 100 + backoff(opened, breakerPause));
  };
  worker.on('error', (error) => {
    if (closed) return;
    count(now());
    if (failures === most) onTrouble(`${worker.name}: the queue's server fails: ${error.message}`);
    if (recent.length >= most && timer === undefined) open();
  });
  return {
    close: () => {
      closed = true;
      clearTimeout(timer);
    },
  };
}

/**
 * A pause before try number `tries` + 1, in milliseconds: anything up to a ceiling that doubles with each failure (full
 * jitter, https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/). `random`: in [0, 1).
 */
export function backoff(tries: number, { firstMs, capMs }: Ceiling, random: () => number = Math.random): number {
  const ceiling = Math.min(capMs, firstMs * 2 ** Math.max(0, tries - 1));
  return Math.floor(random() * ceiling);
}

interface Ceiling {
  readonly firstMs: number;
  readonly capMs: number;
}

/** It takes jobs from now on. Should its loop ever end by itself, that is told as an error of the worker. */
export const begin = (worker: Worker<RequestedScope>): void =>
  void worker
    .run()
    .catch((error: unknown) => worker.emit('error', error instanceof Error ? error : new Error(String(error))));

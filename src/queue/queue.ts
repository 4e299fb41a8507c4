import type { Queue as BullQueue, Job, Worker } from 'bullmq';
import type {
  JobHandler,
  Queue,
  QueueCount,
  QueuedReconcile,
  QueuedReconciles,
  RequestedScope,
  Where,
  WorkerPool,
} from '../ports/queue.ts';
import { atMost, type Backend, type Bull, bullOf, closeWorker, deadline } from './connection.ts';
import {
  type CloudQueue,
  cloudOf,
  cloudQueueOf,
  type Pace,
  placeOf,
  type Settings,
  type Tries,
  usualPace,
  usualTries,
} from './jobs.ts';
import { syncSchedules } from './schedules.ts';
import { begin, breaker, type CloudWorkers, cloudWorkers } from './worker-pool.ts';

export interface QueueOptions {
  /** A line for each. */
  readonly clouds: readonly string[];
  /** Keeps fleets apart that share a server: two databases, two names. `setpoint` where it is not named. */
  readonly name?: string;
  readonly pace?: Partial<Pace>;
  readonly tries?: Partial<Tries>;
  readonly onTrouble?: (message: string) => void;
}

/** The time limit of closing: an unavailable server never answers. */
const closeMs = 5_000;

/** BullMQ's queues, one for each cloud and one for what is due, on Redis or on PostgreSQL. Throws where it cannot be reached. */
export async function openQueue(backend: Backend, options: QueueOptions): Promise<Queue> {
  const { clouds, name = 'setpoint', pace, tries, onTrouble = () => {} } = options;
  const settings: Settings = { pace: { ...usualPace, ...pace }, tries: { ...usualTries, ...tries }, onTrouble };
  const bull = bullOf(backend);
  const lines = new Map(clouds.map((cloud) => [cloud, cloudQueueOf(bull, name, { cloud, tries: settings.tries })]));
  const due = bull.queue(`${name}-due`);
  const queues = [due, ...[...lines.values()].map(({ queue }) => queue)];
  // why: an error nobody listens to ends the process. Workers tell of what lasts; a call that fails says so itself.
  for (const queue of queues) queue.on('error', () => {});
  const close = async (): Promise<void> => {
    bull.closing();
    await atMost(Promise.all(queues.map((queue) => queue.close())), closeMs);
    await atMost(bull.end(), closeMs);
  };
  try {
    await Promise.all(queues.map((queue) => deadline(queue.waitUntilReady(), 'the queue was not opened')));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    request: (scope, urgency) => cloudQueueFor(lines, scope).request(scope, urgency),
    schedule: (reconciles) => deadline(syncSchedules(due, reconciles), 'the periodic reconciles were not scheduled'),
    work: async (shift) => workerPoolOf({ bull, due, lines, settings }, shift),
    probe: async () => {
      await bull.probe();
      await Promise.all([...lines.values()].map(countsOf));
    },
    counts: async () => (await Promise.all([...lines.values()].map(countsOf))).flat(),
    list: async (most) => {
      const all = await Promise.all([...lines.values()].map((line) => listOf(line, most)));
      return {
        reconciles: all.flatMap(({ reconciles }) => reconciles),
        truncated: all.some(({ truncated }) => truncated),
      };
    },
    close,
  };
}

function cloudQueueFor(lines: ReadonlyMap<string, CloudQueue>, where: Where): CloudQueue {
  const line = lines.get(cloudOf(where));
  if (line) return line;
  throw new Error(`no queue for the scope ${where.scope}: this process knows ${[...lines.keys()].join(', ')}`);
}

interface QueueParts {
  readonly bull: Bull;
  readonly due: BullQueue<RequestedScope>;
  readonly lines: ReadonlyMap<string, CloudQueue>;
  readonly settings: Settings;
}

async function workerPoolOf({ bull, due, lines, settings }: QueueParts, shift: JobHandler): Promise<WorkerPool> {
  const clerk = await dueWorkerOf(bull, due, lines);
  const pools = await cloudWorkersOf({ bull, due, lines, settings }, shift).catch(async (error: unknown) => {
    await closeWorker(clerk, closeMs);
    throw error;
  });
  begin(clerk);
  const brake = breaker(clerk, settings.onTrouble);
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    brake.close();
    await Promise.all([...pools.map((pool) => pool.stop()), closeWorker(clerk, closeMs)]);
  };
  return {
    busy: () => pools.flatMap((pool) => pool.busy()),
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** All of them, or none. */
async function cloudWorkersOf(
  { bull, lines, settings }: QueueParts,
  shift: JobHandler,
): Promise<readonly CloudWorkers[]> {
  const pools: CloudWorkers[] = [];
  try {
    for (const line of lines.values()) pools.push(await cloudWorkers({ bull, line, shift, settings }));
    return pools;
  } catch (error) {
    await Promise.all(pools.map((pool) => pool.stop()));
    throw error;
  }
}

/** Puts what is due into its line, where it is one reconcile with whatever else asks for it. Passes never keep it waiting. */
const dueWorkerOf = (
  bull: Bull,
  due: BullQueue<RequestedScope>,
  lines: ReadonlyMap<string, CloudQueue>,
): Promise<Worker<RequestedScope>> =>
  bull.worker(due.name, ({ data }) => cloudQueueFor(lines, data).request(data, 'periodic'), {
    concurrency: 8,
    runRetryDelay: 1_000,
  });

async function countsOf({ cloud, queue }: CloudQueue): Promise<readonly QueueCount[]> {
  const {
    wait = 0,
    prioritized = 0,
    active = 0,
    delayed = 0,
    failed = 0,
  } = await deadline(
    queue.getJobCounts('wait', 'prioritized', 'active', 'delayed', 'failed'),
    `the reconciles of ${cloud} were not counted`,
  );
  return [
    { cloud, state: 'waiting', count: wait + prioritized },
    { cloud, state: 'running', count: active },
    { cloud, state: 'delayed', count: delayed },
    { cloud, state: 'failed', count: failed },
  ];
}

/** Workers take the jobs of `wait` before all others: those of lost workers, on Redis. */
const states = { running: ['active'], waiting: ['wait', 'prioritized'], delayed: ['delayed'] } as const;
const stateNames = ['running', 'waiting', 'delayed'] as const;

/** BullMQ asks for each job on its own. */
async function listOf({ cloud, queue }: CloudQueue, most: number): Promise<QueuedReconciles> {
  const found = await deadline(
    Promise.all(stateNames.map((state) => queue.getJobs([...states[state]], 0, most, true))),
    `the reconciles of ${cloud} were not listed`,
  );
  const reconciles = stateNames.flatMap((state, at) =>
    (found[at] ?? []).slice(0, most).map((job) => queuedReconcile(job, { cloud, state })),
  );
  return { reconciles, truncated: found.some((jobs) => jobs.length > most) };
}

function queuedReconcile(job: Job<RequestedScope>, place: Pick<QueuedReconcile, 'cloud' | 'state'>): QueuedReconcile {
  const { estate, scope } = job.data;
  return { estate, scope, ...place, ...placeOf(job), queuedAt: job.timestamp, failures: job.attemptsMade };
}

import { bullOf } from '../../src/queue/connection.ts';
import { openQueue } from '../../src/queue/queue.ts';
import { begin } from '../../src/queue/worker-pool.ts';
import type { Stage } from './stages.ts';

const atOnce = 50;

const placeOf = (index: number) => ({ estate: 'bench', scope: `aws/1/region-${index}` });

/** Passes a second of a crew, once all are queued. */
export async function ourPasses({ connection }: Stage, passes: number, name: string): Promise<number> {
  const queue = await openQueue(connection, { clouds: ['aws'], name });
  for (let from = 0; from < passes; from += 1_000)
    await Promise.all(
      Array.from({ length: Math.min(1_000, passes - from) }, (_, index) => queue.request(placeOf(from + index), 'now')),
    );
  const done = countdown(passes);
  const start = performance.now();
  const crew = await queue.work({
    atOnce,
    pass: async () => {
      done.one();
      return 'done';
    },
    poisoned: async () => {},
  });
  await done.all;
  const seconds = (performance.now() - start) / 1_000;
  await crew.stop();
  await queue.close();
  return passes / seconds;
}

/** The same jobs without priority, place or anything of ours. */
export async function barePasses({ connection }: Stage, passes: number, name: string): Promise<number> {
  const bull = bullOf(connection);
  const queue = bull.queue(name);
  const jobs = Array.from({ length: passes }, (_, index) => ({
    name: 'pass',
    data: placeOf(index),
    opts: { removeOnComplete: true },
  }));
  for (let from = 0; from < passes; from += 1_000) await queue.addBulk(jobs.slice(from, from + 1_000));
  const done = countdown(passes);
  const start = performance.now();
  const worker = await bull.worker(name, async () => done.one(), { concurrency: atOnce });
  begin(worker);
  await done.all;
  const seconds = (performance.now() - start) / 1_000;
  await worker.close();
  await queue.close();
  await bull.end();
  return passes / seconds;
}

function countdown(from: number): { one(): void; readonly all: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = from;
  return {
    one: () => {
      left -= 1;
      if (left === 0) resolve();
    },
    all: promise,
  };
}

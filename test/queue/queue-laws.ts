import { type TestOptions, test } from 'node:test';
import type { Queue } from '../../src/ports/queue.ts';
import { openQueue, type QueueOptions } from '../../src/queue/queue.ts';
import { steadily } from '../support/steadily.ts';
import { handOverLaws } from './laws/hand-over-laws.ts';
import { lostLaws } from './laws/lost-laws.ts';
import { orderLaws } from './laws/order-laws.ts';
import { poisonLaws } from './laws/poison-laws.ts';
import { requestLaws } from './laws/request-laws.ts';
import { scheduleLaws } from './laws/schedule-laws.ts';
import { type Bench, calmPace, type Harness, type Laws, quickTries } from './support/harness.ts';

const laws: Laws = { ...requestLaws, ...orderLaws, ...scheduleLaws, ...poisonLaws, ...lostLaws, ...handOverLaws };

/** The shortest lock of a law lasts 5 s and is renewed after 1.7 s: a process that stands still for less loses none. */
const leastMs = 1_000;

/** Runs every law over a server. `harness` is asked for once, within the first test. */
export function queueLaws(backend: string, harness: () => Promise<Harness>, options: TestOptions = {}): void {
  let started: Promise<Harness> | undefined;
  for (const [index, [law, run]] of Object.entries(laws).entries())
    test(`${backend}: ${law}`, { timeout: 600_000, ...options }, async () => {
      started ??= harness();
      const server = await started;
      await steadily((attempt) => lawOn(server, `fleet${index}-${attempt}`, run), { leastMs });
    });
}

/** `name`: of a fleet that nobody used before. */
async function lawOn(server: Harness, name: string, run: (bench: Bench) => Promise<void>): Promise<void> {
  const opened: Queue[] = [];
  const open = async (more: Partial<QueueOptions> = {}): Promise<Queue> => {
    const queue = await openQueue(server.backend, {
      clouds: ['aws'],
      name,
      pace: { ...calmPace, ...more.pace },
      tries: { ...quickTries, ...more.tries },
    });
    opened.push(queue);
    return queue;
  };
  try {
    await run({ ...server, name, open });
  } finally {
    await Promise.all(opened.map((queue) => queue.close()));
  }
}

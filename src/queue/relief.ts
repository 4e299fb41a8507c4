import type { Job, Queue } from 'bullmq';
import type { Where } from '../ports/queue.ts';
import { priorities } from './line.ts';

/** Every so many passes that begin in a process, one is of those that have waited too long. */
const every = 4;
/** Where none had, nobody looks again for so long. */
const restMs = 1_000;

/**
 * So that no scope starves while urgent passes come without end: with every fourth urgent pass that this process begins,
 * the periodic one that has waited longest goes to the front of the urgent ones, if it has waited for `patienceMs`. So
 * periodic passes have at least a quarter of what the workers do, urgent ones at least three.
 */
export function relief(queue: Queue<Where>, patienceMs: number): (begun: Job<Where>) => Promise<void> {
  let urgent = 0;
  let nextLook = 0;
  return async (begun) => {
    if (begun.priority !== priorities.now) return;
    urgent += 1;
    if (urgent < every || performance.now() < nextLook) return;
    urgent = 0;
    const oldest = await oldestPeriodic(queue);
    if (oldest && Date.now() - oldest.timestamp >= patienceMs)
      await oldest.changePriority({ priority: priorities.now, lifo: true });
    else nextLook = performance.now() + restMs;
  };
}

/** The urgent ones stand before the periodic ones, each in the order in which they came. */
async function oldestPeriodic(queue: Queue<Where>): Promise<Job<Where> | undefined> {
  const { [priorities.now]: ahead = 0 } = await queue.getCountsPerPriority([priorities.now]);
  const [oldest] = await queue.getJobs(['prioritized'], ahead, ahead, true);
  return oldest?.priority === priorities.periodic ? oldest : undefined;
}

import type { Queue } from 'bullmq';
import type { Where } from '../../../src/ports/queue.ts';
import { type Backend, bullOf } from '../../../src/queue/bull.ts';

/** What BullMQ says of one of its queues, where the port does not tell. */
export async function lookInto<T>(
  backend: Backend,
  name: string,
  look: (queue: Queue<Where>) => Promise<T>,
): Promise<T> {
  const bull = bullOf(backend);
  const queue = bull.queue(name);
  try {
    return await look(queue);
  } finally {
    bull.closing();
    await queue.close();
    await bull.end();
  }
}

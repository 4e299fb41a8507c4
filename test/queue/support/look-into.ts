import { type Backend, type Bull, bullOf } from '../../../src/queue/connection.ts';

/** What BullMQ says of one of its queues, where the port does not tell. */
export async function lookInto<T>(
  backend: Backend,
  name: string,
  look: (queue: ReturnType<Bull['queue']>) => Promise<T>,
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

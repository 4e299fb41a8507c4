import type { Worker } from 'bullmq';
import type { Where } from '../ports/queue.ts';
import { backoff } from './backoff.ts';

/** So many errors within `withinMs` open the breaker. A worker asks again at once when a query fails. */
const most = 5;
const withinMs = 1_000;
const pause = { firstMs: 500, capMs: 5_000 };
/** After so long without opening it starts from its first pause again. */
const calmMs = 60_000;

type Held = Pick<Worker<Where>, 'name' | 'on' | 'pause' | 'resume'>;

/**
 * Holds a worker back while its server fails: BullMQ has no pause of its own between failed queries. Jobs that run go on.
 * `close`: for a worker that stops.
 */
export function breaker(worker: Held, onTrouble: (message: string) => void): { close(): void } {
  let recent: number[] = [];
  let opened = 0;
  let lastOpen = 0;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const open = (now: number, error: Error): void => {
    if (now - lastOpen > calmMs) opened = 0;
    opened += 1;
    lastOpen = now;
    recent = [];
    if (opened === 1) onTrouble(`${worker.name}: the queue's server fails: ${error.message}`);
    void worker.pause(true).catch(() => {});
    timer = setTimeout(() => {
      timer = undefined;
      if (!closed) void worker.resume();
    }, 100 + backoff(opened, pause));
  };
  worker.on('error', (error) => {
    const now = performance.now();
    recent = [...recent.filter((at) => now - at < withinMs), now];
    if (recent.length >= most && timer === undefined && !closed) open(now, error);
  });
  return {
    close: () => {
      closed = true;
      clearTimeout(timer);
    },
  };
}

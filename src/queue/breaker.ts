import type { Worker } from 'bullmq';
import type { Where } from '../ports/queue.ts';
import { backoff } from './backoff.ts';

/** So many errors within `withinMs` open the breaker. A worker asks again at once when a query fails. */
const most = 5;
const withinMs = 1_000;
const pause = { firstMs: 500, capMs: 5_000 };
/** After so long without an error a spell of them is over, and with the next it starts from its first pause again. */
const calmMs = 60_000;

type Held = Pick<Worker<Where>, 'name' | 'on' | 'pause' | 'resume'>;

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
    }, 100 + backoff(opened, pause));
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

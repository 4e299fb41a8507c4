import type { Result } from '../../src/core/failure.ts';
import { failed } from './answer.ts';

/** The number of requests of one batch that run at once; the limiter paces them, this limits sockets. */
const width = 16;

/**
 * Runs each item by itself and answers in order. When the reconcile is stopped (`run` throws) while other items have their
 * answer, those answers are kept, what was begun may have happened, and the rest is told to plan again; nothing that was
 * written goes unreported.
 */
export async function each<T, R>(
  items: readonly T[],
  run: (item: T) => Promise<Result<R>>,
): Promise<readonly Result<R>[]> {
  const results = new Map<number, Result<R>>();
  const stops: unknown[] = [];
  const cut = new Set<number>();
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) {
      if (stops.length > 0) return;
      try {
        results.set(index, await run(item));
      } catch (stop) {
        stops.push(stop);
        cut.add(index);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  if (stops.length > 0 && results.size === 0) throw stops[0];
  return items.map((_, index) => results.get(index) ?? (cut.has(index) ? cutShort : notSent));
}

const cutShort = failed('ambiguous', 'CutShort', 'the reconcile stopped during this');

export const notSent = failed('conflict', 'NotSent', 'the reconcile stopped before Setpoint sent this');

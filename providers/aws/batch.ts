import type { Failure, Result } from '../../src/core/failure.ts';
import { done, failed } from './answer.ts';
import { chunks, groupBy } from './split.ts';

/** How many requests of one batch are under way at once; the limiter paces them, this bounds sockets. */
const width = 16;

/**
 * Runs each item by itself and answers in order. When the pass is stopped (`run` throws) while other items have their
 * answer, those answers are kept and the rest is told to plan again; nothing that was written goes unreported.
 */
export async function each<T, R>(
  items: readonly T[],
  run: (item: T) => Promise<Result<R>>,
): Promise<readonly Result<R>[]> {
  const results = new Map<number, Result<R>>();
  const stops: unknown[] = [];
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) {
      if (stops.length > 0) return;
      try {
        results.set(index, await run(item));
      } catch (stop) {
        stops.push(stop);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  if (stops.length > 0 && results.size === 0) throw stops[0];
  return items.map((_, index) => results.get(index) ?? notSent);
}

const notSent = failed('conflict', 'NotSent', 'the pass was stopped before this was sent');

/**
 * What is still to do once an object stands: a stop in between must not lose the object's id, so it is answered with
 * `otherwise` and the next pass goes on from what it sees.
 */
export async function standing<T>(work: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await work;
  } catch {
    return otherwise;
  }
}

/**
 * Sends items together and, when one bad item sinks the call, in halves down to the single ones: k bad items among n
 * cost about 2k·log2 n calls. What was not answered is never sent again, nor what was throttled or may be retried whole.
 */
export async function together<T>(
  items: readonly T[],
  send: (items: readonly T[]) => Promise<Result<unknown>>,
): Promise<readonly Result<void>[]> {
  if (items.length === 0) return [];
  const answer = await send(items);
  if (answer.ok) return items.map(() => done);
  if (items.length === 1 || !sinks(answer.failure)) return items.map(() => answer);
  const half = Math.ceil(items.length / 2);
  const first = await together(items.slice(0, half), send);
  return [...first, ...(await together(items.slice(half), send))];
}

/** Whether the call was refused for what it says, so that a smaller one may pass. */
export const sinks = ({ kind, code }: Failure): boolean =>
  (kind === 'not-found' || kind === 'conflict' || kind === 'terminal') && !refusesAnySize.has(code);

const refusesAnySize: ReadonlySet<string> = new Set([
  'UnauthorizedOperation',
  'AccessDenied',
  'AuthFailure',
  'ExpiredToken',
  'OptInRequired',
  'CredentialsProviderError',
]);

/** Like `each`, with the items that share a key in one run of at most `size`; still one answer per item, in order. */
export async function eachChunk<T, R>(
  items: readonly T[],
  { key, size }: { readonly key: (item: T) => string; readonly size: number },
  run: (some: readonly T[]) => Promise<readonly Result<R>[]>,
): Promise<readonly Result<R>[]> {
  const groups = groupBy([...items.keys()], (index) => key(at(items, index))).flatMap((same) => chunks(same, size));
  const answers = await each(groups, async (indexes) => ({
    ok: true,
    value: await run(indexes.map((index) => at(items, index))),
  }));
  const results = new Map<number, Result<R>>();
  for (const [g, indexes] of groups.entries()) {
    const answer = answers[g] ?? notSent;
    for (const [i, index] of indexes.entries())
      results.set(index, answer.ok ? (answer.value[i] ?? unanswered) : answer);
  }
  return items.map((_, index) => results.get(index) ?? unanswered);
}

const unanswered = failed('ambiguous', 'Unanswered', 'the cloud did not answer for this item');

function at<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new RangeError(`no item ${index}`);
  return item;
}

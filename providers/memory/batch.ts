import type { Failure, Result } from '../../src/core/failure.ts';
import { sinksBatch } from './errors.ts';

export const done: Result<void> = { ok: true, value: undefined };
export const failed = (failure: Failure): Result<never> => ({ ok: false, failure });

/** The answer to a deletion: what was not there is gone too. */
export const gone = (answer: Result<void>): Result<void> =>
  !answer.ok && answer.failure.kind === 'not-found' ? done : answer;

/** One after the other; results in order. */
export async function singly<T, R>(items: readonly T[], send: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await send(item));
  return results;
}

/** Rules that cut a batch into calls: items with one key go together, at most `size` at once. */
export interface Grouping<T, R> {
  key(item: T): string;
  readonly size: number;
  /** One result for each item, in order, or the failure of them all. */
  send(items: readonly T[]): Promise<Result<readonly R[]>>;
}

/** One result for each item, in order. When one item may have sunk a call of several, its items go singly, once. */
export async function sendGrouped<T, R>(items: readonly T[], how: Grouping<T, R>): Promise<readonly Result<R>[]> {
  const results = new Map<T, Result<R>>();
  for (const alike of Map.groupBy(items, (item) => how.key(item)).values()) {
    for (let from = 0; from < alike.length; from += how.size) {
      const chunk = alike.slice(from, from + how.size);
      for (const [item, result] of await sendChunk(chunk, how)) results.set(item, result);
    }
  }
  return items.map((item) => results.get(item) ?? failed(unanswered));
}

async function sendChunk<T, R>(
  chunk: readonly T[],
  how: Grouping<T, R>,
): Promise<readonly (readonly [T, Result<R>])[]> {
  const answer = await how.send(chunk);
  if (!answer.ok && chunk.length > 1 && sinksBatch(answer.failure)) {
    const alone = await singly(chunk, (item) => sendChunk([item], how));
    return alone.flat();
  }
  return chunk.map((item, index) => [item, answer.ok ? resultAt(answer.value, index) : answer]);
}

function resultAt<R>(values: readonly R[], index: number): Result<R> {
  // why: an R may itself be undefined, so the bounds decide
  return index < values.length ? { ok: true, value: values[index] as R } : failed(unanswered);
}

const unanswered: Failure = {
  kind: 'ambiguous',
  code: 'Unanswered',
  message: 'the cloud did not answer for this item',
};

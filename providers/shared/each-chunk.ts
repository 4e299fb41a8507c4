import type { Result } from '../../src/core/failure.ts';
import { failed } from './answer.ts';
import { chunks } from './chunks.ts';
import { each, notSent } from './each.ts';

/** Like `each`, with the items that share a key in one run of at most `size`; still one answer per item, in order. */
export async function eachChunk<T, R>(
  items: readonly T[],
  { key, size }: { readonly key: (item: T) => string; readonly size: number },
  run: (some: readonly T[]) => Promise<readonly Result<R>[]>,
): Promise<readonly Result<R>[]> {
  const alike = Map.groupBy([...items.entries()], ([, item]) => key(item));
  const runs = [...alike.values()].flatMap((same) => chunks(same, size));
  const answers = await each(runs, async (some) => ({ ok: true, value: await run(some.map(([, item]) => item)) }));
  const results = new Map<number, Result<R>>();
  for (const [r, some] of runs.entries()) {
    const answer = answers[r] ?? notSent;
    for (const [i, [index]] of some.entries()) results.set(index, answer.ok ? (answer.value[i] ?? unanswered) : answer);
  }
  return items.map((_, index) => results.get(index) ?? unanswered);
}

const unanswered = failed('ambiguous', 'Unanswered', 'the cloud did not answer for this item');

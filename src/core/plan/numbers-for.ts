import type { Numbering } from '../compile/dialect.ts';

/**
 * Rising numbers for things in a row. `current`: what each has now; `held`: all numbers in use, by these or by others.
 *
 * As many as can keep theirs do; the others take numbers that nothing holds now, not even what is about to go, so that no
 * step on the way meets a number twice. Where there is no room between two that stay, all move to free numbers. Undefined
 * for those beyond what there is room for.
 */
export function numbersFor(
  current: readonly (number | undefined)[],
  held: ReadonlySet<number>,
  numbering: Numbering,
): readonly (number | undefined)[] {
  const kept = keepers(current, numbering);
  const numbers: (number | undefined)[] = [];
  for (let at = 0; at < current.length; ) {
    const own = kept.has(at) ? current[at] : undefined;
    if (own !== undefined) {
      numbers.push(own);
      at += 1;
      continue;
    }
    let end = at;
    while (end < current.length && !kept.has(end)) end += 1;
    const span = { after: numbers.at(-1), before: end < current.length ? current[end] : undefined };
    const filled = fill(end - at, span, held, numbering);
    if (filled.length < end - at) return spread(current.length, freeIn(numbering.first, numbering.last, held));
    numbers.push(...filled);
    at = end;
  }
  return numbers;
}

/**
 * Positions of the longest rising run of numbers in range: patience sorting from the right, n log n. Of equally long ones
 * that with the higher numbers, as there is more room below them.
 */
function keepers(current: readonly (number | undefined)[], { first, last }: Numbering): ReadonlySet<number> {
  const tails: number[] = [];
  const before = new Map<number, number | undefined>();
  for (const [at, value] of [...current.entries()].reverse()) {
    if (value === undefined || value < first || value > last) continue;
    const pile = pileFor(value, tails, current);
    before.set(at, tails[pile - 1]);
    tails[pile] = at;
  }
  const kept = new Set<number>();
  for (let at = tails.at(-1); at !== undefined; at = before.get(at)) kept.add(at);
  return kept;
}

function pileFor(value: number, tails: readonly number[], current: readonly (number | undefined)[]): number {
  let [low, high] = [0, tails.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((current[tails[middle] ?? 0] ?? 0) > value) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Span {
  readonly after: number | undefined;
  readonly before: number | undefined;
}

/** Fewer than `count` where there is no room. At the open end they stand `gap` apart as long as that fits. */
function fill(
  count: number,
  { after, before }: Span,
  held: ReadonlySet<number>,
  { first, last, gap }: Numbering,
): readonly number[] {
  if (before === undefined) {
    const apart: number[] = [];
    for (let next = (after ?? first - 1) + gap; apart.length < count && next <= last; next += 1) {
      if (held.has(next)) continue;
      apart.push(next);
      next += gap - 1;
    }
    if (apart.length === count) return apart;
  }
  const free = freeIn((after ?? first - 1) + 1, (before ?? last + 1) - 1, held);
  return free.length < count ? [] : spread(count, free);
}

function freeIn(from: number, to: number, held: ReadonlySet<number>): readonly number[] {
  const free: number[] = [];
  for (let number = from; number <= to; number += 1) if (!held.has(number)) free.push(number);
  return free;
}

/** So many of them, as far apart as they lie. */
const spread = (count: number, free: readonly number[]): readonly number[] =>
  Array.from({ length: Math.min(count, free.length) }, (_, at) =>
    count > free.length ? at : Math.floor(((at + 1) * free.length) / (count + 1)),
  ).flatMap((at) => free.slice(at, at + 1));

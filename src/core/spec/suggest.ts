/**
 * The candidate that was most likely meant, if one is near enough. Bounded: long words and more than a thousand
 * candidates are not compared.
 */
export function suggest(given: string, candidates: Iterable<string>): string | undefined {
  if (given.length > LONGEST) return undefined;
  const wanted = given.toLowerCase();
  let best: string | undefined;
  let least = tolerance(wanted.length) + 1;
  let compared = 0;
  for (const candidate of candidates) {
    compared += 1;
    if (compared > MOST) break;
    if (Math.abs(candidate.length - wanted.length) >= least) continue;
    const distance = distanceOf(wanted, candidate.toLowerCase());
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

const LONGEST = 64;
const MOST = 1000;

const tolerance = (length: number): number => {
  if (length < 3) return 0;
  return length < 6 ? 1 : 2;
};

/** Edits from one word to the other, two swapped neighbours counting as one (optimal string alignment). */
function distanceOf(a: string, b: string): number {
  let before: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) row.push(cell(a, b, { i, j, row, last, before }));
    [before, last] = [last, row];
  }
  return last[b.length] ?? 0;
}

interface Cell {
  readonly i: number;
  readonly j: number;
  readonly row: readonly number[];
  readonly last: readonly number[];
  readonly before: readonly number[];
}

function cell(a: string, b: string, { i, j, row, last, before }: Cell): number {
  const at = (from: readonly number[], index: number): number => from[index] ?? Number.POSITIVE_INFINITY;
  const same = a[i - 1] === b[j - 1] ? 0 : 1;
  const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
  return Math.min(
    at(row, j - 1) + 1,
    at(last, j) + 1,
    at(last, j - 1) + same,
    swapped ? at(before, j - 2) + 1 : Number.POSITIVE_INFINITY,
  );
}

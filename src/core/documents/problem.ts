import { printable } from '../text.ts';
import type { Position } from './tree.ts';

/** Something wrong with the specs, as data. All are collected; a tree with an error is never planned. */
export interface Problem {
  readonly severity: 'error' | 'warning';
  /** Stable, for machines: `unknown-field`. */
  readonly code: string;
  readonly at: Position;
  readonly message: string;
  readonly hint?: Hint;
  /** The line it stands on, secrets masked. */
  readonly source?: string;
}

interface Hint {
  readonly expected?: string | undefined;
  readonly didYouMean?: string | undefined;
}

export const error = (code: string, at: Position, message: string, hint: Hint = {}): Problem => ({
  severity: 'error',
  code,
  at,
  message,
  hint,
});

export const warning = (code: string, at: Position, message: string, hint: Hint = {}): Problem => ({
  ...error(code, at, message, hint),
  severity: 'warning',
});

/**
 * A problem as text for people, several lines and no colour:
 *
 *     specs/core.yaml:12:5: error: unknown field `cdir` in `spec`
 *       12 |     cdir: 10.20.0.0/16
 *          |     ^
 *       expected: targets, cidr, internet
 *       did you mean: cidr
 *
 * Positions name files by their path in the tree; `root` goes before it, so that a terminal can open the file.
 */
export function renderProblem({ source, ...problem }: Problem, root = ''): string {
  const { severity, at, message, hint } = printable(problem);
  const file = root === '' ? at.file : `${root.replace(/\/$/, '')}/${at.file}`;
  return [
    `${file}:${at.line}:${at.column}: ${severity}: ${message}`,
    ...(source === undefined ? [] : excerpt(source, at)),
    ...(hint?.expected ? [`  expected: ${hint.expected}`] : []),
    ...(hint?.didYouMean ? [`  did you mean: ${hint.didYouMean}`] : []),
  ].join('\n');
}

/** In files by position; of one position errors first. The same specs give the same list. */
export function sortProblems(problems: readonly Problem[]): readonly Problem[] {
  return problems.toSorted(
    (a, b) =>
      order(a.at.file, b.at.file) ||
      a.at.line - b.at.line ||
      a.at.column - b.at.column ||
      order(a.severity, b.severity) ||
      order(a.message, b.message),
  );
}

const order = (a: string, b: string): number => Number(a > b) - Number(a < b);

/** Columns shown before and in all of a long line. */
const BEFORE = 60;
const WIDTH = 120;

function excerpt(source: string, at: Position): readonly string[] {
  const from = at.column > WIDTH ? at.column - BEFORE : 0;
  const gutter = String(at.line).length;
  const lead = source.slice(from, at.column - 1).replaceAll(/[^\t]/g, ' ');
  return [`  ${at.line} | ${columned(source.slice(from, from + WIDTH))}`, `  ${' '.repeat(gutter)} | ${lead}^`];
}

/** As many characters as before, so that columns stay what they are; tabs stay too. */
const columned = (source: string): string =>
  source.replace(/\r$/, '').replaceAll(/[^\t]/gu, (one) => (printable(one) === one ? one : '�'.repeat(one.length)));

/**
 * The candidate that was most likely meant, if one is near enough: two slips at most, and the first or last letter
 * right. The cost is bounded whatever is asked (about 30 µs), as thousands of wrong names may be asked about at once.
 */
export function suggest(given: string, candidates: Iterable<string>): string | undefined {
  const wanted = given.toLowerCase();
  let best: string | undefined;
  let least = tolerance(wanted.length) + 1;
  let scanned = 0;
  let compared = 0;
  for (const candidate of candidates) {
    scanned += 1;
    if (scanned > MOST_SCANNED || compared > MOST_COMPARED) break;
    if (!mayBeNear(wanted, candidate, least)) continue;
    compared += 1;
    const distance = distanceOf(wanted, candidate.toLowerCase(), least);
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

const LONGEST = 40;
const MOST_SCANNED = 2000;
const MOST_COMPARED = 100;

function tolerance(length: number): number {
  if (length < 3 || length > LONGEST) return length < 3 ? 0 : -1;
  return length < 6 ? 1 : 2;
}

function mayBeNear(wanted: string, candidate: string, least: number): boolean {
  if (Math.abs(candidate.length - wanted.length) >= least) return false;
  return candidate[0]?.toLowerCase() === wanted[0] || candidate.at(-1)?.toLowerCase() === wanted.at(-1);
}

/**
 * Edits from one word to the other, two swapped neighbours counting as one (optimal string alignment); `most` stands
 * for everything not below it. Only cells near the diagonal can be below it, so only they are looked at.
 */
function distanceOf(a: string, b: string, most: number): number {
  let rows: readonly [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = Array<number>(b.length + 1).fill(most);
    row[0] = i;
    for (let j = Math.max(1, i - most); j <= Math.min(b.length, i + most); j += 1) {
      row[j] = cell({ a, b, i, j }, row, rows);
    }
    rows = [rows[1], row];
  }
  return rows[1][b.length] ?? most;
}

interface Place {
  readonly a: string;
  readonly b: string;
  readonly i: number;
  readonly j: number;
}

function cell({ a, b, i, j }: Place, row: readonly number[], [before, last]: readonly [number[], number[]]): number {
  const far = Number.POSITIVE_INFINITY;
  const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
  return Math.min(
    (row[j - 1] ?? far) + 1,
    (last[j] ?? far) + 1,
    (last[j - 1] ?? far) + (a[i - 1] === b[j - 1] ? 0 : 1),
    swapped ? (before[j - 2] ?? far) + 1 : far,
  );
}

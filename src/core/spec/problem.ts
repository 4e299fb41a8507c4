import { printable } from '../printable.ts';
import type { Position } from './position.ts';

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

export interface Hint {
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
 * What a person reads, several lines and no colour:
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

import type { Position } from '../core/documents/tree.ts';

/**
 * The position of the first character that no spec may hold, or -1: control characters but tab and line ends, lone surrogates,
 * and those that show text in another order than it has (https://trojansource.codes).
 */
export const forbiddenCharacter = (text: string): number => text.search(FORBIDDEN);

const FORBIDDEN = /[^\P{Cc}\t\r\n]|\r(?!\n)|[\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]|\p{Surrogate}/u;

/** Keys that reach an object's prototype where code is careless. None of ours are called so. */
export const forbiddenKey = (key: string): boolean =>
  key === '__proto__' || key === 'constructor' || key === 'prototype';

/** Text out of a tree as people are shown it: nothing in it moves a cursor, colours a terminal or turns text round. */
export const printableText = (text: string): string =>
  text.replaceAll(/[^\P{Cc}\t]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '\ufffd');

/** A file's lines, and where an offset into its text stands. Built once: O(n); each question O(log lines). */
interface LineIndex {
  readonly lines: readonly string[];
  readonly positionAt: (offset: number) => Position;
}

export function indexLines(file: string, text: string): LineIndex {
  const raw = text.split('\n');
  const starts: number[] = [];
  let offset = 0;
  for (const line of raw) {
    starts.push(offset);
    offset += line.length + 1;
  }
  return {
    lines: raw.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line)),
    positionAt: (at) => {
      const line = lastAtOrBelow(starts, at);
      return { file, line: line + 1, column: at - (starts[line] ?? 0) + 1 };
    },
  };
}

function lastAtOrBelow(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

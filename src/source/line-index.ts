import type { Position } from '../core/documents/tree.ts';

/** A file's lines, and where an offset into its text stands. Built once: O(n); each question O(log lines). */
export interface LineIndex {
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

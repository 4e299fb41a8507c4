import { printable } from '../../core/printable.ts';

/** Rows as aligned columns, two blanks apart; the last column is never padded. No rows: no text. No cell holds a colour. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const all = [head, ...printable(rows)];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) => `${line(row, widths)}\n`).join('');
}

const line = (row: readonly string[], widths: readonly number[]): string =>
  row
    .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
    .join('  ')
    .trimEnd();

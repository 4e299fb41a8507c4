import stringWidth from 'string-width';
import { printable } from '../../core/text.ts';

const gap = 2;
/** A column is never cut to less. */
const narrowest = 6;

/**
 * Rows as aligned columns, two blanks apart; the last column is never padded. No rows: no text. No cell holds a colour. Where `width`
 * is less than a line, the widest columns are cut, all to one width, and a cell that was cut ends in `…`.
 */
export function table(head: readonly string[], rows: readonly (readonly string[])[], width = Infinity): string {
  if (rows.length === 0) return '';
  const all = [head, ...printable(rows)];
  const natural = head.map((_, column) => Math.max(...all.map((row) => stringWidth(row[column] ?? ''))));
  const widths = fitting(natural, width - gap * (head.length - 1));
  return all.map((row) => `${line(row, widths)}\n`).join('');
}

/** The widest are cut to one width, so that all of them take `room`. */
function fitting(natural: readonly number[], room: number): readonly number[] {
  const cutTo = (most: number): readonly number[] => natural.map((one) => Math.min(one, most));
  const sum = (widths: readonly number[]): number => widths.reduce((all, one) => all + one, 0);
  let most = Math.max(...natural);
  while (most > narrowest && sum(cutTo(most)) > room) most -= 1;
  return cutTo(most);
}

const line = (row: readonly string[], widths: readonly number[]): string =>
  row
    .map((cell, column) => {
      const width = widths[column] ?? 0;
      const text = cut(cell, width);
      return column === row.length - 1 ? text : text + ' '.repeat(width - stringWidth(text));
    })
    .join(' '.repeat(gap))
    .trimEnd();

const letters = new Intl.Segmenter();

function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = '';
  for (const { segment } of letters.segment(text)) {
    if (stringWidth(kept + segment) > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

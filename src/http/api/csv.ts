import { printable } from '../../core/text.ts';

/** Lines of comma-separated values, as https://www.rfc-editor.org/rfc/rfc4180 has them. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(cell).join(',')}\r\n`;

/**
 * A program that shows tables takes what begins like this for a formula, and who may name an object on a cloud may write one:
 * it is told as text. https://owasp.org/www-community/attacks/CSV_Injection
 */
const formula = /^[=+\-@＝＋－＠]/;

/** Where tables are parted by semicolons, as in most of Europe, a cell begins here too: quotes of ours hold none together. */
const within = /([;|][\s"]*)(?=[=+\-@＝＋－＠])/g;

/** A terminal obeys control characters, line breaks and signs that turn text round: they are written as JSON escapes them. */
function cell(given: string): string {
  const text = printable(given);
  const safe = (formula.test(text) ? `'${text}` : text).replaceAll(within, "$1'");
  return /[",]/.test(safe) || safe !== text ? `"${safe.replaceAll('"', '""')}"` : safe;
}

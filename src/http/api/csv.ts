/** Lines of comma-separated values, as https://www.rfc-editor.org/rfc/rfc4180 has them. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(cell).join(',')}\r\n`;

/**
 * A program that shows tables takes what begins like this for a formula, and who may name an object on a cloud may write one:
 * it is told as text. https://owasp.org/www-community/attacks/CSV_Injection
 */
const formula = /^[=+\-@\t\r\n＝＋－＠]/;

function cell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) || safe !== text ? `"${safe.replaceAll('"', '""')}"` : safe;
}

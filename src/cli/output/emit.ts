import { printableLines } from '../../core/printable.ts';
import type { Terminal } from '../terminal.ts';

/** The one object of `--json`. */
export const emitJson = (terminal: Terminal, value: object): void =>
  terminal.out.write(`${printableLines(JSON.stringify(value, null, 2))}\n`);

/** A verdict and what follows it; the verdict is always the first line. */
export function emitText(terminal: Terminal, verdict: string, body = ''): void {
  terminal.out.write(`${verdict}\n`);
  if (body !== '') terminal.out.write(body.endsWith('\n') ? body : `${body}\n`);
}

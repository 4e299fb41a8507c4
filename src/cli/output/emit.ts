import { type WithheldDrift, withheldText } from '../../core/inventory/withheld-drift.ts';
import { printable, printableLines } from '../../core/text.ts';
import type { Terminal } from '../terminal.ts';
import { paintFor } from './paint.ts';

/** The one object of `--json`. */
export const emitJson = (terminal: Terminal, value: object): void =>
  terminal.out.write(`${printableLines(JSON.stringify(value, null, 2))}\n`);

/** The first line where workers leave drift alone, with the commands that let it pass. */
export function emitWithheld(terminal: Terminal, withheld: readonly WithheldDrift[] = []): void {
  const text = withheldText(withheld);
  if (text !== undefined) terminal.out.write(`${paintFor(terminal.out)('warn', printable(text))}\n`);
}

/** A verdict and what follows it; the verdict is the first line but for drift that is withheld. */
export function emitText(terminal: Terminal, verdict: string, body = ''): void {
  terminal.out.write(`${verdict}\n`);
  if (body !== '') terminal.out.write(body.endsWith('\n') ? body : `${body}\n`);
}

import type { Mark } from '../../../src/core/observed.ts';
import { readLine, writeLine } from '../marks.ts';

/** A description: the user's text, and our mark if it bears one. */
export interface Described {
  readonly text: string;
  readonly mark?: Mark;
  readonly part?: string;
}

export function describe(text: string, mark: Mark, part?: string): string {
  const line = writeLine(mark, part);
  return text === '' ? line : `${text}\n${line}`;
}

/** A description that no mark of ours ends is all text. */
export function readDescription(description: string | null | undefined): Described {
  const whole = description ?? '';
  const cut = whole.lastIndexOf('\n');
  const line = readLine(whole.slice(cut + 1));
  return line ? { text: cut < 0 ? '' : whole.slice(0, cut), ...line } : { text: whole };
}

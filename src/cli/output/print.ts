import { styleText } from 'node:util';
import { type WithheldDrift, withheldText } from '../../core/inventory/withheld-drift.ts';
import type { Style } from '../../core/render/wording.ts';
import { printable, printableLines } from '../../core/text.ts';
import type { Output, Terminal } from '../terminal.ts';

/** The one object of `--json`. */
export const printJson = (terminal: Terminal, value: object): void =>
  terminal.out.write(`${printableLines(JSON.stringify(value, null, 2))}\n`);

/** The first line where workers leave drift alone, with the commands that let it pass, as `complete` completes them. */
export function printWithheld(
  terminal: Terminal,
  withheld: readonly WithheldDrift[] = [],
  complete: (line: string) => string = (line) => line,
): void {
  const text = withheldText(withheld, complete);
  if (text !== undefined) terminal.out.write(`${paintFor(terminal.out)('warn', printable(text))}\n`);
}

/** A verdict and what follows it; the verdict is the first line but for drift that is withheld. */
export function printText(terminal: Terminal, verdict: string, body = ''): void {
  terminal.out.write(`${verdict}\n`);
  if (body !== '') terminal.out.write(body.endsWith('\n') ? body : `${body}\n`);
}

type Tone = Style | 'good' | 'bad' | 'warn';

const styles = {
  good: 'green',
  bad: 'red',
  warn: 'yellow',
  add: 'green',
  change: 'yellow',
  remove: 'red',
  note: 'magenta',
  strong: 'bold',
  dim: 'dim',
} as const satisfies Record<Tone, string>;

export type Paint = (tone: Tone, text: string) => string;

/** Colours text for one output, or leaves it as it is where colour is not wanted. */
export const paintFor = (output: Pick<Output, 'colour'>): Paint =>
  output.colour ? (tone, text) => styleText(styles[tone], text, { validateStream: false }) : (_, text) => text;

/**
 * The same data with the keys of all objects in one order, however and wherever it was made: those that say what it is first, all
 * others by the alphabet. So what is printed from here and from a server is the same text.
 */
export function sortKeys<T>(value: T): T {
  return ordered(value) as T; // why: only the order of keys changes
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1))
      .map(([key, one]) => [key, ordered(one)]),
  );
}

const first = ['seq', 'type', 'verb', 'kind', 'address', 'id', 'name', 'claim', 'code', 'reason', 'cause'];

const rank = (key: string): number => {
  const at = first.indexOf(key);
  return at === -1 ? first.length : at;
};

import { styleText } from 'node:util';
import type { Output } from '../terminal.ts';

export type Tone = 'good' | 'bad' | 'warn' | 'change' | 'strong' | 'quiet';

const styles = {
  good: 'green',
  bad: 'red',
  warn: 'yellow',
  change: 'cyan',
  strong: 'bold',
  quiet: 'dim',
} as const satisfies Record<Tone, string>;

export type Paint = (tone: Tone, text: string) => string;

/** Colours text for one output, or leaves it as it is where colour is not wanted. */
export const paintFor = (output: Pick<Output, 'colour'>): Paint =>
  output.colour ? (tone, text) => styleText(styles[tone], text, { validateStream: false }) : (_, text) => text;

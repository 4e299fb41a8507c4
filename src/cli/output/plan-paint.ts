import { styleText } from 'node:util';
import { type Paint, plain, type Style } from '../../core/render/wording.ts';
import type { Output } from '../terminal.ts';

const styles = {
  add: 'green',
  change: 'yellow',
  remove: 'red',
  note: 'magenta',
  strong: 'bold',
  dim: 'dim',
} as const satisfies Record<Style, string>;

/** Colours a plan for one output, or leaves it as it is where colour is not wanted. */
export const planPaintFor = (output: Pick<Output, 'colour'>): Paint =>
  output.colour ? (style, text) => styleText(styles[style], text, { validateStream: false }) : plain;

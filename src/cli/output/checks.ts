import { printable } from '../../core/text.ts';
import type { Check } from '../local/doctor.ts';
import type { Paint } from './print.ts';

/** A line for each check, and its fix. */
export const checksText = (checks: readonly Check[], paint: Paint): string =>
  printable(checks)
    .map((check) => text(check, paint))
    .join('');

/** The number of failed checks. */
export const countProblems = (checks: readonly Check[]): number => checks.filter(({ state }) => state === 'bad').length;

const tones = { good: 'good', note: 'warn', bad: 'bad' } as const;
const words = { good: 'ok  ', note: 'note', bad: 'BAD ' } as const;

const text = ({ name, state, detail, next }: Check, paint: Paint): string =>
  `  ${paint(tones[state], words[state])}  ${name}: ${detail}\n${next === undefined ? '' : `        → ${next}\n`}`;

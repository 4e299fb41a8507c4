import type { TouchedBy } from '../touch.ts';
import { formatMoment } from './moment.ts';

/** When something was, for people: `3 min ago`. Given from outside: the core has no clock. */
export type Ago = (at: number) => string;

export const moment: Ago = (at) => `at ${formatMoment(at, 'second')}`;

/** `changed by arn:aws:iam::111122223333:user/bob (StopInstances from 203.0.113.9) 3 min ago` */
export const touchedText = ({ who, action, from, at }: TouchedBy, ago: Ago = moment): string =>
  `changed by ${who} (${action}${from === undefined ? '' : ` from ${from}`}) ${ago(at)}`;

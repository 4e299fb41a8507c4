import type { Jwk } from './remote-keys.ts';
import type { Rule } from './rule.ts';

export interface Keyed {
  readonly key: Jwk;
  readonly head: Readonly<Record<string, unknown>>;
}

/** https://www.rfc-editor.org/rfc/rfc7517#section-4: what a key may be used for. */
export const keyRules: readonly Rule<Keyed>[] = [
  { name: 'use', holds: ({ key }) => key.use === undefined || key.use === 'sig' },
  { name: 'key-algorithm', holds: ({ key, head }) => key.alg === undefined || key.alg === head['alg'] },
];

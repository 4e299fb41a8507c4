import type { Issuer } from '../../../core/access/access-document.ts';
import type { Rule } from './rule.ts';

export interface Headed {
  readonly head: Readonly<Record<string, unknown>>;
  readonly issuer: Issuer;
}

/** https://www.rfc-editor.org/rfc/rfc8725: what its sender wrote in the head decides nothing. */
export const headRules: readonly Rule<Headed>[] = [
  { name: 'typ', holds: ({ head, issuer }) => isTyped(head['typ'], issuer) },
  { name: 'crit', holds: ({ head }) => head['crit'] === undefined },
  { name: 'own-keys', holds: ({ head }) => ['jwk', 'jku', 'x5c', 'x5u'].every((name) => head[name] === undefined) },
  { name: 'kid', holds: ({ head }) => typeof head['kid'] === 'string' && /^[\x21-\x7e]{1,256}$/.test(head['kid']) },
];

/** Tokens of other kinds are signed by the same keys: for logging out, for proving that somebody has a key. */
const isTyped = (typ: unknown, { untyped = false }: Issuer): boolean =>
  typ === undefined
    ? untyped
    : typeof typ === 'string' && ['jwt', 'at+jwt', 'application/at+jwt'].includes(typ.toLowerCase());

import type { Token } from '../ports/tokens.ts';

/** What the ledger says of tokens. Never anything of a secret, not even its hash. */
export const makeTokenNote = ({ id, name, grants, expiresAt, maker, ...token }: Token) => ({
  makeToken: {
    id,
    name,
    grants,
    expiresAt,
    person: maker.person,
    ...(token.for === undefined ? {} : { for: token.for }),
  },
});

export const revokeTokenNote = ({ id, name }: Token, person: string) => ({ revokeToken: { id, name, person } });

import type { Grant } from '../core/access/grant.ts';

/**
 * API tokens. Of a secret only its hash is kept. Making and revoking are notes in the ledger of every estate there is that the
 * token reaches, in the same transaction. What this answers is true at once for all processes.
 */
export interface Tokens {
  make(draft: TokenDraft): Promise<MadeToken>;
  /** The same, where no token was ever made; undefined where one was. Of several who ask at once one makes it. */
  makeFirst(draft: TokenDraft): Promise<MadeToken | undefined>;
  /** Those of these ids that there are, revoked and expired ones as well. */
  find(ids: readonly string[]): Promise<readonly KeptToken[]>;
  /** Newest first, of those older than `before`, a token's id. */
  list(page: { readonly most: number; readonly before?: string }): Promise<readonly Token[]>;
  /** The token, revoked; one that was revoked before stays as it was. Undefined: there is none. `person`: who says so. */
  revoke(id: string, person: string): Promise<Token | undefined>;
  /** That it is used now. */
  used(id: string): Promise<void>;
}

/** Times are ms since the epoch. */
export interface TokenDraft {
  /** The purpose, in a word: `ci`. */
  readonly name: string;
  readonly grants: readonly Grant[];
  readonly expiresAt: number;
  /** The person that it speaks for; absent: for no one, as a machine's. */
  readonly for?: string;
  readonly maker: Maker;
}

/** `identities`: all names that are the maker's by proof: whatever the token does, they have done. */
export interface Maker {
  readonly person: string;
  readonly identities: readonly string[];
}

export interface Token extends TokenDraft {
  readonly id: string;
  readonly at: number;
  readonly revoked?: { readonly at: number; readonly person: string };
  /** To within an hour; absent: never. */
  readonly usedAt?: number;
}

/** `text`: the whole token, shown only once. */
export interface MadeToken {
  readonly token: Token;
  readonly text: string;
}

/** `hash`: SHA-256 of the secret, in hex. */
export interface KeptToken extends Token {
  readonly hash: string;
}

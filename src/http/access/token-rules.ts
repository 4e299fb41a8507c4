import { createHash, timingSafeEqual } from 'node:crypto';
import type { KeptToken } from '../../ports/tokens.ts';

/** A token as it was sent, and what is kept under its id. */
export interface ShownToken {
  readonly secret: string;
  readonly kept: Pick<KeptToken, 'hash' | 'revoked' | 'expiresAt'>;
  readonly now: number;
}

export interface TokenRule {
  readonly name: string;
  holds(shown: ShownToken): boolean;
}

/** All must hold, and all are asked, so that how long it takes tells nothing. */
export const tokenRules: readonly TokenRule[] = [
  { name: 'secret', holds: ({ secret, kept }) => timingSafeEqual(sha256(secret), Buffer.from(kept.hash, 'hex')) },
  { name: 'expired', holds: ({ kept, now }) => now < kept.expiresAt },
  { name: 'revoked', holds: ({ kept }) => kept.revoked === undefined },
];

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

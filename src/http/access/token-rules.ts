import { timingSafeEqual } from 'node:crypto';
import type { KeptToken } from '../../ports/tokens.ts';
import { sha256 } from '../sha256.ts';

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
  { name: 'secret', holds: ({ secret, kept }) => timingSafeEqual(bytes(sha256(secret)), bytes(kept.hash)) },
  { name: 'expired', holds: ({ kept, now }) => now < kept.expiresAt },
  { name: 'revoked', holds: ({ kept }) => kept.revoked === undefined },
];

const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');

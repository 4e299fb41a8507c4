import { randomBytes } from 'node:crypto';
import { tokenText } from '../core/access/token-text.ts';
import { sha256 } from './signing.ts';

/** `text` leaves the process once; of the secret in it only `hash` is kept. A secret of 256 random bits needs no slow hash. */
export interface Minted {
  readonly id: string;
  readonly text: string;
  readonly hash: string;
}

export function mintToken(): Minted {
  const id = randomBytes(8).toString('hex');
  const secret = randomBytes(32).toString('base64url');
  return { id, text: tokenText(id, secret), hash: sha256(secret) };
}

import { canonical } from './canonical.ts';

/** What a chain was at a moment, kept outside the database. `at`: milliseconds since the epoch. */
export interface Checkpoint {
  readonly store: string;
  readonly estate: string;
  readonly seq: number;
  readonly hash: string;
  readonly at: number;
}

/** `key`: fingerprint of the public key; `signature`: Ed25519 over `checkpointText`, base64. */
export interface SignedCheckpoint extends Checkpoint {
  readonly key: string;
  readonly signature: string;
}

/** What is signed. */
export const checkpointText = ({ store, estate, seq, hash, at }: Checkpoint): string =>
  canonical({ checkpoint: 'setpoint', version: 1, store, estate, seq, hash, at });

/** One line of the checkpoints file. Throws where the line is none. */
export function readCheckpoint(line: string): SignedCheckpoint {
  const value: unknown = JSON.parse(line);
  if (!isCheckpoint(value)) throw new TypeError('not a checkpoint');
  return value;
}

function isCheckpoint(value: unknown): value is SignedCheckpoint {
  if (typeof value !== 'object' || value === null) return false;
  const { store, estate, seq, hash, at, key, signature } = value as Readonly<Record<string, unknown>>; // why: asked member by member
  return [store, estate, hash, key, signature].every(isText) && Number.isSafeInteger(seq) && Number.isSafeInteger(at);
}

const isText = (value: unknown): value is string => typeof value === 'string';

import { canonical } from './canonical.ts';
import type { EstateHead, Head } from './chain.ts';

/** One signature over the ends of several chains of an estate at a moment, kept outside the database. `at`: ms since the epoch. */
export interface Checkpoint {
  readonly store: string;
  readonly estate: string;
  readonly at: number;
  /** Sorted by chain. */
  readonly heads: readonly Head[];
}

/** `key`: fingerprint of the public key; `signature`: Ed25519 over the text of the checkpoint, base64. */
export interface Signature {
  readonly key: string;
  readonly signature: string;
}

export type SignedCheckpoint = Checkpoint & Signature;

/**
 * A checkpoint of the first version, over the one chain that an estate had. The last one is the estate's seal: the genesis of all
 * its chains covers it. An estate made since is sealed at `seq` 0.
 */
export type EstateCheckpoint = Omit<Checkpoint, 'heads'> & EstateHead & Signature;

export type AnyCheckpoint = SignedCheckpoint | EstateCheckpoint;

/** The signed text. */
export const checkpointText = ({ store, estate, at, heads }: Checkpoint): string =>
  canonical({ checkpoint: 'setpoint', version: 2, store, estate, at, heads });

export const sealText = ({ store, estate, seq, hash, at }: Omit<EstateCheckpoint, keyof Signature>): string =>
  canonical({ checkpoint: 'setpoint', version: 1, store, estate, seq, hash, at });

/** One line of the checkpoints file. Throws where the line is none. */
export function readCheckpoint(line: string): AnyCheckpoint {
  const value: unknown = JSON.parse(line);
  if (isEstateCheckpoint(value) || isCheckpoint(value)) return value;
  throw new TypeError('not a checkpoint');
}

export function isEstateCheckpoint(value: unknown): value is EstateCheckpoint {
  const { hash, seq } = fieldsOf(value);
  return isText(hash) && Number.isSafeInteger(seq) && isSignedMoment(value);
}

const isCheckpoint = (value: unknown): value is SignedCheckpoint => {
  const { heads } = fieldsOf(value);
  return Array.isArray(heads) && heads.every(isHead) && isSignedMoment(value);
};

function isHead(value: unknown): value is Head {
  const { of, number, hash } = fieldsOf(value);
  return isText(of) && isText(hash) && Number.isSafeInteger(number);
}

function isSignedMoment(value: unknown): boolean {
  const { store, estate, at, key, signature } = fieldsOf(value);
  return [store, estate, key, signature].every(isText) && Number.isSafeInteger(at);
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

const isText = (value: unknown): value is string => typeof value === 'string';

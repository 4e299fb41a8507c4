import { canonical } from './canonical.ts';
import type { EstateHead, Hash, Head } from './chain.ts';

/**
 * The heads of an estate's chains at a moment. Each checkpoint holds the heads that moved since the one before and covers its root,
 * so one signature covers the heads of all chains. `at`: ms since the epoch.
 */
export interface Checkpoint {
  readonly store: string;
  readonly estate: string;
  /** Counts the checkpoints of an estate from 1, without a gap. */
  readonly number: number;
  readonly at: number;
  /** The root of the checkpoint before; empty in the first. */
  readonly previous: string;
  /** Sorted by chain. */
  readonly heads: readonly Head[];
  /**
   * In the first checkpoint after a person accepted that entries are lost, as with a restored backup: the number of the checkpoint that
   * the database went back to. Those between it and this one prove nothing any more.
   */
  readonly restoredTo?: number;
}

/** `key`: fingerprint of the public key; `signature`: Ed25519 over the text of the checkpoint, base64. */
export interface Signature {
  readonly key: string;
  readonly signature: string;
}

export type SignedCheckpoint = Checkpoint & Signature;

/** The signed part of a checkpoint without its heads: short enough for one line of a system log. */
export type CheckpointRoot = Pick<Checkpoint, 'store' | 'estate' | 'number' | 'at'> & { readonly root: string };

/** A checkpoint as a witness keeps it: whole, or its root alone. */
export type WitnessedCheckpoint = SignedCheckpoint | (CheckpointRoot & Signature);

/** A checkpoint of the second version: each process signed the chains that it wrote to, and numbered nothing. */
export type ProcessCheckpoint = Pick<Checkpoint, 'store' | 'estate' | 'at' | 'heads'> & Signature;

/**
 * A checkpoint of the first version, over the one chain that an estate had. The last one is the estate's seal: the genesis of all
 * its chains covers it. An estate made since is sealed at `seq` 0.
 */
export type EstateCheckpoint = Pick<Checkpoint, 'store' | 'estate' | 'at'> & EstateHead & Signature;

export type AnyCheckpoint = SignedCheckpoint | ProcessCheckpoint | EstateCheckpoint;

export const rootOf = (
  { previous, heads, restoredTo }: Pick<Checkpoint, 'previous' | 'heads' | 'restoredTo'>,
  hash: Hash,
): string => hash(canonical({ previous, heads, ...(restoredTo !== undefined && { restoredTo }) }));

/** The signed text of a checkpoint, and of its root alone. */
export const checkpointText = (checkpoint: Checkpoint | CheckpointRoot, hash: Hash): string => {
  const { store, estate, number, at } = checkpoint;
  const root = 'root' in checkpoint ? checkpoint.root : rootOf(checkpoint, hash);
  return canonical({ checkpoint: 'setpoint', version: 3, store, estate, number, at, root });
};

export const processText = ({ store, estate, at, heads }: Omit<ProcessCheckpoint, keyof Signature>): string =>
  canonical({ checkpoint: 'setpoint', version: 2, store, estate, at, heads });

export const sealText = ({ store, estate, seq, hash, at }: Omit<EstateCheckpoint, keyof Signature>): string =>
  canonical({ checkpoint: 'setpoint', version: 1, store, estate, seq, hash, at });

/** One line of the checkpoints file. Throws where the line is none. */
export function readCheckpoint(line: string): AnyCheckpoint {
  const value: unknown = JSON.parse(line);
  if (isEstateCheckpoint(value) || isSignedCheckpoint(value) || isProcessCheckpoint(value)) return value;
  throw new TypeError('not a checkpoint');
}

/** A line that a witness kept: JSON, behind whatever a log puts before it. Undefined where there is no checkpoint in it. */
export function readWitnessed(line: string): WitnessedCheckpoint | undefined {
  const text = line.slice(Math.max(0, line.indexOf('{')));
  try {
    const value: unknown = JSON.parse(text);
    return isSignedCheckpoint(value) || isSignedRoot(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isEstateCheckpoint(value: unknown): value is EstateCheckpoint {
  const { hash, seq } = fieldsOf(value);
  return isText(hash) && Number.isSafeInteger(seq) && isSignedMoment(value);
}

export function isSignedCheckpoint(value: unknown): value is SignedCheckpoint {
  const { number, previous, restoredTo = 0 } = fieldsOf(value);
  return Number.isSafeInteger(number) && isText(previous) && Number.isSafeInteger(restoredTo) && hasHeads(value);
}

function isSignedRoot(value: unknown): value is CheckpointRoot & Signature {
  const { number, root } = fieldsOf(value);
  return Number.isSafeInteger(number) && isText(root) && isSignedMoment(value);
}

function isProcessCheckpoint(value: unknown): value is ProcessCheckpoint {
  return !('number' in fieldsOf(value)) && hasHeads(value);
}

function hasHeads(value: unknown): boolean {
  const { heads } = fieldsOf(value);
  return Array.isArray(heads) && heads.every(isHead) && isSignedMoment(value);
}

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

import { formatMoment } from '../render/wording.ts';
import { canonical } from './canonical.ts';
import type { Content, Linked } from './entry.ts';

/** SHA-256 of the UTF-8 text, as lower-case hex. Passed in: the core computes no hashes itself. */
export type Hash = (text: string) => string;

/** The chain of an estate's notes. Every other chain is named after its scope, which always holds a slash. */
export const peopleChain = 'people';

/** The end of the one chain that an estate had in the first version: the last entry's number and hash; `seq` 0 before the first. */
export interface EstateHead {
  readonly seq: number;
  readonly hash: string;
}

/** The end of a chain. `of`: a scope, or `people`; `number` 0 before the first entry. */
export interface Head {
  readonly of: string;
  readonly number: number;
  readonly hash: string;
}

/** The head of an estate before its first entry. It names store and estate, so that no chain can stand in for another. */
export const genesis = (store: string, estate: string, hash: Hash): EstateHead => ({
  seq: 0,
  hash: hash(canonical({ ledger: 'setpoint', version: 1, store, estate })),
});

/** The head of a chain before its first entry. It covers the signed checkpoint in which the estate's first chain ended. */
export const chainGenesis = (seal: EstateCheckpoint, of: string, hash: Hash): Head => ({
  of,
  number: 0,
  hash: hash(canonical({ ledger: 'setpoint', version: 2, chain: of, seal })),
});

/** The next entry after `head`. Its hash covers its chain, numbers, content and predecessor's hash. */
export function link(head: Head, seq: number, content: Content, hash: Hash): Linked {
  const { at, type, body } = content;
  const { of } = head;
  const number = head.number + 1;
  const previous = head.hash;
  const text = canonical({ chain: of, number, seq, at, type, body, previous });
  return { seq, at, type, body, chain: { of, number, previous, hash: hash(text) } };
}

/** The next entry of an estate's chain of the first version. Only verification needs it. */
export function linkFirst(head: EstateHead, content: Content, hash: Hash): Linked {
  const { at, type, body } = content;
  const seq = head.seq + 1;
  const previous = head.hash;
  return { seq, at, type, body, chain: { previous, hash: hash(canonical({ seq, at, type, body, previous })) } };
}

export const headOf = ({ chain: { of = '', number = 0, hash } }: Linked): Head => ({ of, number, hash });

export const estateHeadOf = ({ seq, chain }: Linked): EstateHead => ({ seq, hash: chain.hash });

/** The reason for which `entry` cannot follow `head`; undefined where it does. */
export function broken(head: Head, entry: Linked, hash: Hash): string | undefined {
  const { number = 0 } = entry.chain;
  const found = misplaced(head.number, number) ?? unlinked(head.hash, entry);
  if (found !== undefined) return found;
  return entry.chain.hash === link(head, entry.seq, entry, hash).chain.hash ? undefined : altered;
}

/** The same for a chain of the first version. */
export function brokenFirst(head: EstateHead, entry: Linked, hash: Hash): string | undefined {
  const found = misplaced(head.seq, entry.seq) ?? unlinked(head.hash, entry);
  if (found !== undefined) return found;
  return entry.chain.hash === linkFirst(head, entry, hash).chain.hash ? undefined : altered;
}

const altered = 'its content was changed after it was written';

function misplaced(last: number, number: number): string | undefined {
  if (number > last + 1) return `entry ${last + 1} is missing: ${number} follows ${last}`;
  return number <= last ? `out of order: ${number} follows ${last}` : undefined;
}

const unlinked = (last: string, { chain }: Linked): string | undefined =>
  chain.previous === last ? undefined : 'its predecessor is not the one it was chained to';

/**
 * The heads of an estate's chains at a moment. Each checkpoint holds the heads that moved since the one before and covers its root,
 * so one signature covers the heads of all chains. `at`: ms since the epoch.
 */
interface Checkpoint {
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
type CheckpointRoot = Pick<Checkpoint, 'store' | 'estate' | 'number' | 'at'> & { readonly root: string };

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

/** The reason for which these are not all checkpoints of one ledger, in one line without a gap; undefined where they are. */
export function brokenSequence(checkpoints: readonly SignedCheckpoint[], hash: Hash): string | undefined {
  let last = { number: 0, root: '' };
  for (const checkpoint of checkpoints.toSorted((a, b) => a.number - b.number)) {
    const { number, previous, restoredTo = 0 } = checkpoint;
    const root = rootOf(checkpoint, hash);
    if (number === last.number && root === last.root) continue;
    if (number === last.number) return `two different checkpoints have the number ${number}: somebody else has the key`;
    if (number > last.number + 1) return `checkpoint ${last.number + 1} is missing: ${number} follows ${last.number}`;
    if (previous !== last.root) return `checkpoint ${number} does not follow checkpoint ${last.number}`;
    if (restoredTo >= number) return `checkpoint ${number} goes back to ${restoredTo}, which does not come before it`;
    last = { number, root };
  }
  return undefined;
}

interface Trust {
  readonly hash: Hash;
  readonly isSigned: (text: string, signature: string) => boolean;
}

/** The reason for which our checkpoints cannot be those that the witness was sent; undefined where they can. */
export function unlikeWitness(
  ours: readonly SignedCheckpoint[],
  witness: readonly WitnessedCheckpoint[],
  { hash, isSigned }: Trust,
): string | undefined {
  const roots = new Map(ours.map((one) => [one.number, rootOf(one, hash)]));
  for (const line of witness) {
    const { number, at, key, signature } = line;
    if (!isSigned(checkpointText(line, hash), signature))
      return `checkpoint ${number} of the witness is signed by the key ${key}, which is not trusted here, or was altered`;
    const root = roots.get(number);
    if (root === undefined)
      return `the witness holds checkpoint ${number} of ${formatMoment(at)}, which is missing here: the end was cut`;
    if (root !== rootIn(line, hash))
      return `checkpoint ${number} is not the one that the witness holds: it was rewritten`;
  }
  return undefined;
}

const rootIn = (line: WitnessedCheckpoint, hash: Hash): string => ('root' in line ? line.root : rootOf(line, hash));

/** As short as a line of a system log must be. */
export const withoutHeads = (
  checkpoint: SignedCheckpoint,
  hash: Hash,
): CheckpointRoot & Pick<SignedCheckpoint, 'key' | 'signature'> => {
  const { store, estate, number, at, key, signature } = checkpoint;
  return { store, estate, number, at, root: rootOf(checkpoint, hash), key, signature };
};

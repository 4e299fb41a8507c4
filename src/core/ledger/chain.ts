import { canonical } from './canonical.ts';
import type { EstateCheckpoint } from './checkpoint.ts';
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

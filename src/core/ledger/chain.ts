import { canonical } from './canonical.ts';
import type { Content, Linked } from './entry.ts';

/** SHA-256 of the UTF-8 text, as lower-case hex. Passed in: the core computes no hashes itself. */
export type Hash = (text: string) => string;

/** Where a chain stands: the last entry's number and hash; `seq` 0 before the first. */
export interface Head {
  readonly seq: number;
  readonly hash: string;
}

/** The head of an empty chain. It names store and estate, so that no chain can stand in for another. */
export const genesis = (store: string, estate: string, hash: Hash): Head => ({
  seq: 0,
  hash: hash(canonical({ ledger: 'setpoint', version: 1, store, estate })),
});

/** The next entry after `head`. Its hash covers its number, content and predecessor's hash. */
export function link(head: Head, content: Content, hash: Hash): Linked {
  const { at, type, body } = content;
  const seq = head.seq + 1;
  const previous = head.hash;
  return { seq, at, type, body, chain: { previous, hash: hash(canonical({ seq, at, type, body, previous })) } };
}

export const headOf = ({ seq, chain }: Linked): Head => ({ seq, hash: chain.hash });

/** Why `entry` cannot follow `head`; undefined where it does. */
export function broken(head: Head, entry: Linked, hash: Hash): string | undefined {
  if (entry.seq > head.seq + 1) return `entry ${head.seq + 1} is missing: ${entry.seq} follows ${head.seq}`;
  if (entry.seq <= head.seq) return `out of order: ${entry.seq} follows ${head.seq}`;
  if (entry.chain.previous !== head.hash) return 'its predecessor is not the one it was chained to';
  if (entry.chain.hash !== link(head, entry, hash).chain.hash) return 'its content was changed after it was written';
  return undefined;
}

import { broken, genesis, type Hash, type Head, headOf } from './chain.ts';
import { checkpointText, type SignedCheckpoint } from './checkpoint.ts';
import type { Linked } from './entry.ts';

/** What a ledger is worth. The first bad entry is named; `seq` is the number it has or should have. */
export type Verdict =
  | { readonly ok: true; readonly entries: number; readonly checkpoints: number; readonly head: Head }
  | { readonly ok: false; readonly seq: number; readonly reason: string };

/** `isSigned` tells whether a signature is by the trusted key. */
export interface Proof {
  readonly hash: Hash;
  readonly isSigned: (text: string, signature: string) => boolean;
}

export interface Claimed {
  readonly store: string;
  readonly estate: string;
  /** All that are known; those of other stores and estates are passed over. */
  readonly checkpoints: readonly SignedCheckpoint[];
}

/**
 * Checks one chain, entry by entry. An altered entry breaks its own hash; a removed one leaves a gap; a chain recomputed
 * from some entry on, or cut at its tail, no longer has the hash that a signed checkpoint gives for that number.
 */
export interface Verification {
  /** False once something was found: the rest need not be read. */
  follow(entry: Linked): boolean;
  /** `recorded`: where the database says the chain ends; absent for an export. */
  end(recorded?: Head): Verdict;
}

export function verification(claimed: Claimed, proof: Proof): Verification {
  const checkpoints = claimed.checkpoints.filter((c) => c.store === claimed.store && c.estate === claimed.estate);
  const wanted = new Map<number, SignedCheckpoint[]>();
  for (const checkpoint of checkpoints) wanted.set(checkpoint.seq, [...(wanted.get(checkpoint.seq) ?? []), checkpoint]);
  let head = genesis(claimed.store, claimed.estate, proof.hash);
  let bad: { readonly seq: number; readonly reason: string } | undefined;

  const follow = (entry: Linked): boolean => {
    const reason = broken(head, entry, proof.hash) ?? unproven(entry, wanted.get(entry.seq) ?? [], proof);
    if (reason !== undefined) bad = { seq: Math.min(entry.seq, head.seq + 1), reason };
    else head = headOf(entry);
    return bad === undefined;
  };

  const end = (recorded?: Head): Verdict => {
    const found = bad ?? cutTail(head, checkpoints, proof) ?? unlikeRecorded(head, recorded);
    return found ? { ok: false, ...found } : { ok: true, entries: head.seq, checkpoints: checkpoints.length, head };
  };
  return { follow, end };
}

function unproven(entry: Linked, checkpoints: readonly SignedCheckpoint[], proof: Proof): string | undefined {
  for (const checkpoint of checkpoints) {
    const forged = forgery(checkpoint, proof);
    if (forged !== undefined) return forged;
    if (checkpoint.hash !== entry.chain.hash)
      return 'the chain was recomputed: a signed checkpoint has another hash for this entry';
  }
  return undefined;
}

function cutTail(head: Head, checkpoints: readonly SignedCheckpoint[], proof: Proof) {
  const last = checkpoints.reduce<SignedCheckpoint | undefined>((a, b) => (a && a.seq >= b.seq ? a : b), undefined);
  if (last === undefined || last.seq <= head.seq) return undefined;
  const reason =
    forgery(last, proof) ??
    `the tail is cut: a signed checkpoint names entry ${last.seq}, the last one here is ${head.seq}`;
  return { seq: head.seq + 1, reason };
}

function unlikeRecorded(head: Head, recorded: Head | undefined) {
  if (recorded === undefined || (recorded.seq === head.seq && recorded.hash === head.hash)) return undefined;
  return {
    seq: Math.min(head.seq, recorded.seq) + 1,
    reason: `the chain ends at ${head.seq}, the database recorded its end at ${recorded.seq}`,
  };
}

const forgery = (checkpoint: SignedCheckpoint, proof: Proof): string | undefined =>
  proof.isSigned(checkpointText(checkpoint), checkpoint.signature)
    ? undefined
    : `the checkpoint of entry ${checkpoint.seq} has no valid signature`;

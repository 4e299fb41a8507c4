import { formatMoment } from '../render/wording.ts';
import {
  type AnyCheckpoint,
  broken,
  brokenFirst,
  brokenSequence,
  chainGenesis,
  checkpointText,
  type EstateCheckpoint,
  type EstateHead,
  estateHeadOf,
  genesis,
  type Hash,
  type Head,
  headOf,
  isEstateCheckpoint,
  isSignedCheckpoint,
  processText,
  type SignedCheckpoint,
  sealText,
  unlikeWitness,
  type WitnessedCheckpoint,
} from './chain.ts';
import type { Linked } from './entry.ts';

/**
 * The worth of a ledger. `head`: the newest entry. `signedAt`: when the newest checkpoint was signed.
 *
 *   ok    | problem    | the ledger
 *   ------+------------+--------------------------------------------------------------------------------------
 *   true  |            | is whole; entries behind the newest signature are counted in `unsigned`
 *   false | tampered   | was changed. `seq`: the first bad entry, or where one is missing a number that it can have
 *   false | unverified | shows no change, but signatures or the witness do not reach far enough
 */
export type Verdict =
  | {
      readonly ok: true;
      readonly entries: number;
      readonly checkpoints: number;
      readonly head: EstateHead;
      readonly signedAt?: number;
      readonly chains: readonly ChainVerdict[];
      readonly unsigned?: Unsigned;
      /** The newest checkpoint that the witness holds, and when it was signed; absent: no witness was asked. */
      readonly witnessed?: Pick<SignedCheckpoint, 'number' | 'at'>;
      /** Checkpoints whose entries are lost, as with a restored backup, and when a person accepted that. */
      readonly lost?: readonly LostRange[];
      /** Entries that checkpoints name and that an export made by the first version cannot hold. */
      readonly later?: number;
    }
  | ({ readonly ok: false } & Problem);

/** Numbers of checkpoints. `at`: ms since the epoch. */
export interface LostRange {
  readonly first: number;
  readonly last: number;
  readonly at: number;
}

/** `seq`: absent where a checkpoint is bad and not an entry. */
export interface Problem {
  readonly problem: 'tampered' | 'unverified';
  readonly seq?: number;
  readonly reason: string;
}

/** Entries that no signature covers. `seq`, `at`: of the oldest one. */
export interface Unsigned {
  readonly entries: number;
  readonly seq: number;
  readonly at: number;
}

/** `chain`: a scope, `people`, or `estate` for the one chain of the first version. Signatures cover the first `signed` entries. */
export interface ChainVerdict {
  readonly chain: string;
  readonly entries: number;
  readonly signed: number;
}

/** `isSigned` tells whether a signature is by a trusted key; `keys` are the fingerprints of these. */
export interface Proof {
  readonly hash: Hash;
  readonly keys: readonly string[];
  readonly isSigned: (text: string, signature: string) => boolean;
}

export interface Claimed {
  readonly store: string;
  readonly estate: string;
  /** All that are known; those of other stores and estates are passed over. */
  readonly checkpoints: readonly AnyCheckpoint[];
  /** All that a witness holds, to be compared; absent: no witness is asked. */
  readonly witness?: readonly WitnessedCheckpoint[];
  /** Entries may be unsigned, and checkpoints unwitnessed, for so long; absent: for ever. */
  readonly unsignedLimit?: UnsignedLimit;
}

/** `now`: ms since the epoch. */
export interface UnsignedLimit {
  readonly now: number;
  readonly limitMs: number;
}

/** The ends that the database recorded: of the first chain, and of all others. */
export interface Recorded {
  readonly first: EstateHead;
  readonly heads: readonly Head[];
}

/** The seal stands between the entries of the first version and all others. */
export type LedgerItem = Linked | { readonly seal: EstateCheckpoint };

/**
 * Checks the chains of an estate, entry by entry in the order of `seq`. An altered entry breaks its own hash; a removed one leaves a
 * gap; a chain recomputed from some entry on, or cut at its tail, no longer has the hash that a signed checkpoint gives for that number.
 */
export interface Verification {
  /** False once something was found: the rest need not be read. */
  follow(item: LedgerItem): boolean;
  /** `recorded` is absent for an export. */
  end(recorded?: Recorded): Verdict;
}

/** A bad entry, or a bad checkpoint. */
type Bad = Pick<Problem, 'seq' | 'reason'>;

/** The position up to which a chain was read. `seq`: of its last entry. */
interface Reached {
  readonly head: Head;
  readonly seq: number;
}

interface State {
  first: EstateHead;
  seal: EstateCheckpoint | undefined;
  readonly chains: Map<string, Reached>;
  newest: EstateHead;
  unsigned: Unsigned | undefined;
}

export function verification(claimed: Claimed, proof: Proof): Verification {
  const signed = signedOf(claimed, proof);
  const first = genesis(claimed.store, claimed.estate, proof.hash);
  const state: State = { first, seal: undefined, chains: new Map(), newest: first, unsigned: undefined };
  let bad: Bad | undefined;

  const follow = (item: LedgerItem): boolean => {
    if ('seal' in item) bad = unsealed(item.seal, { claimed, proof, state });
    else if (item.chain.of === undefined) bad = followFirst(item, { proof, signed, state });
    else bad = followChain(item, { proof, signed, state });
    return bad === undefined;
  };

  const end = (recorded?: Recorded): Verdict => {
    const found = bad ?? cutFirst(state, signed) ?? cutTail(state, signed, recorded) ?? unlikeRecorded(state, recorded);
    const broken = found ?? badCheckpoint(claimed, signed, proof);
    if (broken) return { ok: false, problem: 'tampered', ...broken };
    const unproven = unsignedTooLong(state, claimed) ?? unwitnessed(claimed, signed);
    return unproven ? { ok: false, problem: 'unverified', ...unproven } : wholeOf(state, signed, claimed);
  };
  return { follow, end };
}

/** Of the checkpoints those of this estate: by the first version's number, and by chain and number. */
interface Signed {
  readonly count: number;
  readonly numbered: readonly SignedCheckpoint[];
  readonly lost: readonly LostRange[];
  readonly at: number | undefined;
  readonly first: readonly EstateCheckpoint[];
  readonly firstReach: number;
  readonly chains: ReadonlyMap<string, ReadonlyMap<number, readonly Promised[]>>;
  /** By chain, the number up to which signatures cover it. */
  readonly reach: ReadonlyMap<string, number>;
  isForged(checkpoint: AnyCheckpoint): boolean;
}

/** A checkpoint says that this entry of a chain has this hash. */
interface Promised {
  readonly hash: string;
  readonly checkpoint: AnyCheckpoint;
}

function signedOf({ store, estate, checkpoints }: Claimed, proof: Proof): Signed {
  const ours = checkpoints.filter((one) => one.store === store && one.estate === estate);
  const forged = new Map<AnyCheckpoint, boolean>();
  const isForged = (checkpoint: AnyCheckpoint): boolean => {
    const known = forged.get(checkpoint) ?? !proof.isSigned(textOf(checkpoint, proof.hash), checkpoint.signature);
    forged.set(checkpoint, known);
    return known;
  };
  const numbered = ours.filter(isSignedCheckpoint);
  const lost = numbered.flatMap((one) =>
    one.restoredTo === undefined || isForged(one)
      ? []
      : [{ first: one.restoredTo + 1, last: one.number - 1, at: one.at }],
  );
  const isLost = (one: AnyCheckpoint): boolean =>
    isSignedCheckpoint(one) && lost.some(({ first, last }) => one.number >= first && one.number <= last);
  const chains = new Map<string, Map<number, Promised[]>>();
  for (const checkpoint of ours.filter((one) => !isLost(one)))
    for (const { of, number, hash } of isEstateCheckpoint(checkpoint) ? [] : checkpoint.heads) {
      const promises = chains.get(of) ?? new Map<number, Promised[]>();
      promises.set(number, [...(promises.get(number) ?? []), { hash, checkpoint }]);
      chains.set(of, promises);
    }
  const reach = new Map([...chains].map(([of, promises]) => [of, Math.max(...promises.keys())]));
  const at = ours.length === 0 ? undefined : ours.reduce((newest, one) => Math.max(newest, one.at), 0);
  const first = ours.filter(isEstateCheckpoint);
  // why: the genesis of every chain covers the seal, which covers the first chain to its end
  const firstReach =
    chains.size > 0 ? Number.POSITIVE_INFINITY : first.reduce((most, { seq }) => Math.max(most, seq), 0);
  return { count: ours.length, numbered, lost, at, first, firstReach, chains, reach, isForged };
}

function textOf(checkpoint: AnyCheckpoint, hash: Hash): string {
  if (isEstateCheckpoint(checkpoint)) return sealText(checkpoint);
  return isSignedCheckpoint(checkpoint) ? checkpointText(checkpoint, hash) : processText(checkpoint);
}

/** An estate's seal may be by the key of another process of the fleet, which is not here. */
function unsealed(
  seal: EstateCheckpoint,
  { claimed, proof, state }: { readonly claimed: Claimed; readonly proof: Proof; readonly state: State },
): Bad | undefined {
  const { first } = state;
  const seq = first.seq + 1;
  if (seal.store !== claimed.store || seal.estate !== claimed.estate)
    return { seq, reason: 'the seal is of another ledger' };
  if (state.seal !== undefined) return { seq, reason: 'the estate is sealed twice' };
  if (seal.seq !== first.seq || seal.hash !== first.hash)
    return {
      seq: Math.min(seal.seq, first.seq) + 1,
      reason: `the first chain ends at ${first.seq}, it was sealed at ${seal.seq}`,
    };
  if (proof.keys.includes(seal.key) && !proof.isSigned(sealText(seal), seal.signature))
    return { seq, reason: 'the seal of the estate has no valid signature' };
  state.seal = seal;
  return undefined;
}

interface Following {
  readonly proof: Proof;
  readonly signed: Signed;
  readonly state: State;
}

function followFirst(entry: Linked, { proof, signed, state }: Following): Bad | undefined {
  const { first } = state;
  const seq = Math.min(entry.seq, first.seq + 1);
  if (state.seal !== undefined)
    return { seq: entry.seq, reason: 'it is of the first version, and the estate is sealed' };
  const promises = signed.first.flatMap((one) => (one.seq === entry.seq ? [{ hash: one.hash, checkpoint: one }] : []));
  const reason = brokenFirst(first, entry, proof.hash) ?? unproven(entry, promises, signed);
  if (reason !== undefined) return { seq, reason };
  state.first = estateHeadOf(entry);
  state.newest = state.first;
  if (entry.seq > signed.firstReach) countUnsigned(state, entry);
  return undefined;
}

function countUnsigned(state: State, { seq, at }: Linked): void {
  const { unsigned } = state;
  state.unsigned = unsigned === undefined ? { entries: 1, seq, at } : { ...unsigned, entries: unsigned.entries + 1 };
}

function followChain(entry: Linked, { proof, signed, state }: Following): Bad | undefined {
  const { of = '', number = 0 } = entry.chain;
  const { seal } = state;
  const begun = seal && { head: chainGenesis(seal, of, proof.hash), seq: seal.seq };
  const reached = state.chains.get(of) ?? begun;
  if (reached === undefined)
    return { seq: entry.seq, reason: 'the seal of the estate, with which its chains begin, is missing' };
  const promises = signed.chains.get(of)?.get(number) ?? [];
  const early = entry.seq <= reached.seq ? `out of order: ${entry.seq} follows ${reached.seq}` : undefined;
  const reason = broken(reached.head, entry, proof.hash) ?? early ?? unproven(entry, promises, signed);
  if (reason !== undefined)
    return { seq: number > reached.head.number + 1 ? reached.seq + 1 : entry.seq, reason: `${reason} (chain ${of})` };
  state.chains.set(of, { head: headOf(entry), seq: entry.seq });
  if (entry.seq > state.newest.seq) state.newest = estateHeadOf(entry);
  if (number > (signed.reach.get(of) ?? 0)) countUnsigned(state, entry);
  return undefined;
}

function unproven(entry: Linked, promises: readonly Promised[], signed: Signed): string | undefined {
  for (const { checkpoint, hash } of promises) {
    if (signed.isForged(checkpoint)) return forged(entry.chain.number ?? entry.seq);
    if (hash !== entry.chain.hash)
      return 'the chain was recomputed: a signed checkpoint has another hash for this entry';
  }
  return undefined;
}

const forged = (number: number): string => `the checkpoint of entry ${number} has no valid signature`;

function cutFirst({ first }: State, signed: Signed): Bad | undefined {
  const last = signed.first.reduce<EstateCheckpoint | undefined>((a, b) => (a && a.seq >= b.seq ? a : b), undefined);
  if (last === undefined || last.seq <= first.seq) return undefined;
  const cut = `the tail is cut: a signed checkpoint names entry ${last.seq}, the last one here is ${first.seq}`;
  return { seq: first.seq + 1, reason: signed.isForged(last) ? forged(last.seq) : cut };
}

/** An export of the first version, which has no seal, cannot hold what came after it. */
function cutTail({ seal, chains, first }: State, signed: Signed, recorded?: Recorded): Bad | undefined {
  if (seal === undefined && recorded === undefined && first.seq > 0) return undefined;
  for (const [of, promises] of signed.chains) {
    const number = signed.reach.get(of) ?? 0;
    const { head, seq } = chains.get(of) ?? { head: { number: 0 }, seq: seal?.seq ?? first.seq };
    if (number <= head.number) continue;
    const cut = `the tail is cut: a signed checkpoint names entry ${number}, the last one here is ${head.number}`;
    const isForged = (promises.get(number) ?? []).some(({ checkpoint }) => signed.isForged(checkpoint));
    return { seq: seq + 1, reason: `${isForged ? forged(number) : cut} (chain ${of})` };
  }
  return undefined;
}

function unlikeRecorded({ first, seal, chains }: State, recorded?: Recorded): Bad | undefined {
  if (recorded === undefined) return undefined;
  if (recorded.first.seq !== first.seq || recorded.first.hash !== first.hash)
    return { seq: Math.min(first.seq, recorded.first.seq) + 1, reason: endsAt(first.seq, recorded.first.seq) };
  for (const { of, number, hash } of recorded.heads) {
    const found = chains.get(of);
    if (number === (found?.head.number ?? 0) && (found === undefined || found.head.hash === hash)) continue;
    return {
      seq: (found?.seq ?? seal?.seq ?? 0) + 1,
      reason: `${endsAt(found?.head.number ?? 0, number)} (chain ${of})`,
    };
  }
  return undefined;
}

const endsAt = (found: number, recorded: number): string =>
  `the chain ends at ${found}, the database recorded its end at ${recorded}`;

function badCheckpoint(claimed: Claimed, { numbered, isForged }: Signed, proof: Proof): Bad | undefined {
  const forgedOne = numbered.find(isForged);
  const witness = witnessOf(claimed);
  const reason =
    (forgedOne && `checkpoint ${forgedOne.number} has no valid signature`) ??
    brokenSequence(numbered, proof.hash) ??
    (witness && unlikeWitness(numbered, witness, proof));
  return reason === undefined ? undefined : { reason };
}

/** A witness may serve several ledgers. */
const witnessOf = ({ witness, store, estate }: Claimed): readonly WitnessedCheckpoint[] | undefined =>
  witness?.filter((one) => one.store === store && one.estate === estate);

const newestIn = (witness: readonly WitnessedCheckpoint[]): Pick<SignedCheckpoint, 'number' | 'at'> =>
  witness.reduce((newest, { number, at }) => (number > newest.number ? { number, at } : newest), { number: 0, at: 0 });

function unsignedTooLong({ unsigned }: State, { unsignedLimit }: Claimed): Bad | undefined {
  if (unsigned === undefined || unsignedLimit === undefined || unsignedLimit.now - unsigned.at <= unsignedLimit.limitMs)
    return undefined;
  const { entries, seq, at } = unsigned;
  const are = entries === 1 ? '1 entry is' : `${entries} entries are`;
  return { seq, reason: `${are} not signed, the oldest since ${formatMoment(at)}: no signer runs` };
}

/** A witness that holds nothing, or nothing new for long, proves nothing. */
function unwitnessed(claimed: Claimed, { numbered }: Signed): Bad | undefined {
  const witness = witnessOf(claimed);
  if (witness === undefined || numbered.length === 0) return undefined;
  const { number: last } = newestIn(witness);
  if (last === 0) return { reason: 'the witness holds no checkpoint of this ledger: nothing was compared' };
  const { unsignedLimit } = claimed;
  const next = numbered.filter(({ number }) => number > last).map(({ at }) => at);
  const since = next.reduce((first, at) => Math.min(first, at), Number.POSITIVE_INFINITY);
  if (unsignedLimit === undefined || unsignedLimit.now - since <= unsignedLimit.limitMs) return undefined;
  return { reason: `the witness holds checkpoints up to ${last} only, the next one was signed ${formatMoment(since)}` };
}

function wholeOf({ first, seal, chains, newest, unsigned }: State, signed: Signed, claimed: Claimed): Verdict {
  const whole = [
    ...(first.seq === 0
      ? []
      : [{ chain: 'estate', entries: first.seq, signed: Math.min(first.seq, signed.firstReach) }]),
    ...[...chains.values()]
      .map(({ head: { of, number } }) => ({
        chain: of,
        entries: number,
        signed: signed.reach.get(of) ?? 0,
      }))
      .sort((a, b) => (a.chain < b.chain ? -1 : 1)),
  ];
  const later = [...signed.reach.values()].reduce((sum, number) => sum + number, 0);
  const witness = witnessOf(claimed);
  return {
    ok: true,
    entries: whole.reduce((sum, { entries }) => sum + entries, 0),
    checkpoints: signed.count,
    head: newest,
    ...(signed.at === undefined ? {} : { signedAt: signed.at }),
    chains: whole,
    ...(unsigned && { unsigned }),
    ...(witness && { witnessed: newestIn(witness) }),
    ...(signed.lost.length > 0 && { lost: signed.lost }),
    ...(seal === undefined && later > 0 ? { later } : {}),
  };
}

import type { Action, WithholdCode } from '../action.ts';
import type { Dialect } from '../compile/dialect.ts';
import type { Desired, Mode } from '../desired.ts';
import type { Knowledge } from '../knowledge.ts';
import type { Gap, Observation } from '../observed.ts';
import type { BatchLimits } from '../pack.ts';
import type { Address, CloudId, Kind } from '../resource.ts';
import type { Claimed } from './claim.ts';

/** What one scope is wanted to hold. */
export interface Wanted {
  readonly desired: readonly Desired[];
  /** Every document that speaks of this scope, those that make nothing (0 replicas) included. */
  readonly documents: ReadonlySet<Address>;
  /** Networks in which a rule that nobody wrote is reported, not removed. */
  readonly additive: ReadonlySet<Address>;
  /** The mode of what no document speaks of any more: the target's. */
  readonly mode: Mode;
}

export interface PlanInput {
  readonly wanted: Wanted;
  readonly observation: Observation;
  readonly knowledge: Knowledge;
  readonly dialect: Dialect;
  readonly choices?: Choices;
  /** How many actions a call may carry, to predict how many calls there will be. */
  readonly batches?: BatchLimits;
}

/** What a person, or the lack of one, adds to the specs. */
export interface Choices {
  /** Orphans to delete. */
  readonly prune?: ReadonlySet<Address>;
  /** The loop runs without a person: only what is in mode `enforce` is acted on. */
  readonly unattended?: boolean;
  /** Further reasons to withhold. */
  readonly policies?: readonly Policy[];
}

/** Gives a reason to withhold an action, or undefined to let it pass. */
export type Policy = (action: Action) => { readonly code: WithholdCode; readonly why: string } | undefined;

/** The input, indexed once. */
export interface World {
  readonly input: PlanInput;
  readonly claimed: readonly Claimed[];
  readonly ours: ReadonlyMap<Address, readonly Claimed[]>;
  readonly byId: ReadonlyMap<CloudId, Claimed>;
  /** Every wanted address. */
  readonly addresses: ReadonlySet<Address>;
  readonly pending: ReadonlySet<Address>;
}

export function worldOf(input: PlanInput, claimed: readonly Claimed[]): World {
  const ours = new Map<Address, Claimed[]>();
  for (const one of claimed) {
    if (one.claim.by !== 'us') continue;
    const twins = ours.get(one.claim.address);
    if (twins === undefined) ours.set(one.claim.address, [one]);
    else twins.push(one);
  }
  return {
    input,
    claimed,
    ours,
    byId: new Map(claimed.map((one) => [one.observed.id, one])),
    addresses: new Set(input.wanted.desired.map(({ address }) => address)),
    pending: pendingAddresses(input),
  };
}

/** What kept this kind from being listed completely, if anything did. */
export const gapOf = ({ input }: World, kind: Kind): Gap | undefined =>
  input.observation.gaps.find((gap) => gap.kind === kind);

/** Creations that may have happened, and settled objects that a listing missed too soon after their last write. */
function pendingAddresses({ knowledge, observation }: PlanInput): ReadonlySet<Address> {
  const unseen = observation.pending.flatMap((id) => knowledge.settled.get(id)?.address ?? []);
  return new Set([
    ...knowledge.pending.filter(({ verb }) => verb === 'create').map(({ address }) => address),
    ...unseen,
  ]);
}

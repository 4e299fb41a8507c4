import type { Standing } from '../core/action.ts';
import { type Applied, neverHappened } from '../core/knowledge.ts';
import { canonical } from '../core/ledger/canonical.ts';
import type { Address, CloudId } from '../core/resource.ts';
import type { Effect, Reconcile, Settlement } from '../ports/ledger.ts';
import type { Accepted } from '../ports/store.ts';
import type { IntentRecord } from './ledger-entries.ts';
import { sha256 } from './signing.ts';

/** Everything that one batch of settlements changes beside the ledger; at most one change per key, the last one said. */
export interface SettledChanges extends Closings {
  readonly claims: ReadonlyMap<CloudId, Accepted | EndOfClaim | 'release'>;
  /** Ids that were written to, whether an answer came or not. */
  readonly written: ReadonlySet<CloudId>;
  readonly applied: ReadonlyMap<Address, AppliedChange>;
  readonly updated: ReadonlyMap<Address, IntentRecord>;
}

interface Closings {
  readonly closed: readonly string[];
  /** Deletes and creations that came to nothing: their places in the estate's count are free again. */
  readonly returned: readonly string[];
  /** Of the closed ones, creations that no observation ever showed. */
  readonly expiredIntents: readonly string[];
  /** Creations that were closed so, and whose objects came late. */
  readonly cameLate: readonly string[];
}

/** `generation`: of the intent. `body` absent: it was removed. */
export interface AppliedChange {
  readonly generation: number;
  readonly body: Omit<Applied, 'generation'> | undefined;
}

export interface Settling {
  readonly settlement: Settlement;
  readonly record: IntentRecord;
  /** It was closed before, as one that never happened. */
  readonly cameLate?: true;
}

/** `settled`: its newest settlement, as `settledAs` names it; null where it has none. `expired`: closed unseen. */
export type Settleable = IntentRecord & {
  readonly open: boolean;
  readonly expired: boolean;
  readonly settled: string | null;
};

/** The same text for the same settlement of the same attempt. */
export const settledAs = ({ settlement, record }: Settling): string =>
  sha256(canonical({ attempt: record.attempt, settlement }));

/**
 * Looks up each settlement's intent in `known`, which holds those of this estate and scope. One that repeats the newest settlement
 * of its intent is left out: its transaction was committed, and whoever made it did not hear so. A creation that was closed because
 * nothing showed is settled once more when its object comes late. Throws where any other intent is not open.
 */
export function settling(
  reconcile: Reconcile,
  settlements: readonly Settlement[],
  known: ReadonlyMap<string, Settleable>,
): readonly Settling[] {
  const closed = new Set<string>();
  return settlements.flatMap((settlement) => {
    const found = known.get(settlement.intent);
    if (!found || closed.has(settlement.intent)) throw notOpen(reconcile, settlement);
    const { open, expired, settled, ...record } = found;
    if (settled === settledAs({ settlement, record })) return [];
    if (!open && !(expired && settlement.outcome.ok)) throw notOpen(reconcile, settlement);
    if (settlement.closes) closed.add(settlement.intent);
    return [{ settlement, record, ...(open ? {} : { cameLate: true as const }) }];
  });
}

const notOpen = ({ scope }: Reconcile, { intent }: Settlement): Error =>
  new Error(`intent ${intent} is not open in ${scope}: it cannot be settled`);

/** The addresses of creations that came late: only there may a newer generation have been applied meanwhile. */
export const lateAddresses = (all: readonly Settling[]): readonly Address[] =>
  all.flatMap(({ cameLate, settlement }) =>
    cameLate ? settlement.effects.filter(isAboutApplied).map(({ address }) => address) : [],
  );

/**
 * A creation that came late under a generation older than the one that was applied or removed at its address meanwhile: its object is
 * ours, and nothing is applied by it. `generations`: the newest that was applied or removed, by address.
 */
export const withoutOutdated = (all: readonly Settling[], generations: ReadonlyMap<Address, number>) =>
  all.map((one): Settling => {
    const { cameLate, settlement, record } = one;
    if (!cameLate) return one;
    const isOutdated = (effect: Effect): boolean =>
      isAboutApplied(effect) && (generations.get(effect.address) ?? 0) > record.generation;
    return { ...one, settlement: { ...settlement, effects: settlement.effects.filter((one) => !isOutdated(one)) } };
  });

export function settledChanges(all: readonly Settling[]): SettledChanges {
  const closing = all.filter(({ settlement }) => settlement.closes);
  const effects = all.flatMap(({ settlement }) => settlement.effects);
  return {
    closed: closing.map(({ record }) => record.intent),
    returned: closing.filter(cameToNothing).map(({ record }) => record.intent),
    expiredIntents: closing.filter(isExpired).map(({ record }) => record.intent),
    cameLate: closing.filter(({ cameLate }) => cameLate).map(({ record }) => record.intent),
    claims: new Map(
      effects.filter(isAboutClaim).map((effect) => [claimId(effect), effect.do === 'release' ? 'release' : effect]),
    ),
    written: new Set(
      all.flatMap(({ record: { action } }) => (action.id === '' || action.verb === 'tombstone' ? [] : [action.id])),
    ),
    applied: new Map(all.flatMap(appliedEntries)),
    updated: new Map(closing.filter(isUpdate).map(({ record }) => [record.action.address, record])),
  };
}

/** A creation that left something behind keeps its place, however it ended. */
const cameToNothing = ({ settlement: { outcome, effects }, record: { action } }: Settling): boolean =>
  (action.verb === 'delete' || action.verb === 'create' || action.verb === 'tombstone') &&
  !outcome.ok &&
  !effects.some(({ do: does }) => does === 'claim');

/** Their calls may come late, and only the mark would show it. */
const isExpired = ({ settlement: { outcome }, record: { action } }: Settling): boolean =>
  action.verb === 'create' && !outcome.ok && outcome.failure.code === neverHappened;

/** One that applies nothing is the first step of another. */
const isUpdate = ({ settlement: { outcome, effects }, record }: Settling): boolean =>
  record.action.verb === 'update' && outcome.ok && effects.some(isAboutApplied);

type AboutClaim = Extract<Effect, { readonly do: 'claim' | 'release' | 'end' }>;
export type EndOfClaim = Extract<Effect, { readonly do: 'end' }>;
type AboutApplied = Extract<Effect, { readonly do: 'apply' | 'unapply' }>;

const isAboutClaim = (effect: Effect): effect is AboutClaim =>
  effect.do === 'claim' || effect.do === 'release' || effect.do === 'end';
const isAboutApplied = (effect: Effect): effect is AboutApplied => effect.do === 'apply' || effect.do === 'unapply';

function claimId(effect: AboutClaim): CloudId {
  if (effect.do === 'release') return effect.id;
  if (effect.subject.id === undefined) throw new Error(`a claim of ${effect.subject.address} names no id`);
  return effect.subject.id;
}

const appliedEntries = ({ settlement: { effects }, record: { generation } }: Settling) =>
  effects.filter(isAboutApplied).map((effect): readonly [Address, AppliedChange] => {
    const body = effect.do === 'unapply' ? undefined : appliedOf(effect);
    return [effect.address, { generation, body }];
  });

const appliedOf = ({
  attributes,
  documents,
}: Extract<Effect, { readonly do: 'apply' }>): Omit<Applied, 'generation'> => ({
  attributes: attributes as Applied['attributes'], // why: the port carries them as unknown; the engine put attributes in
  ...(documents ? { documents } : {}),
});

/** Resources that match without a call, as if they had been applied now. */
export const standingChanges = (
  { authority: { generation } }: Reconcile,
  standing: readonly Standing[],
): SettledChanges['applied'] =>
  new Map(
    standing.map(({ address, attributes, documents }) => [address, { generation, body: { attributes, documents } }]),
  );

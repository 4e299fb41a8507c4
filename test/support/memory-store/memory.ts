import type { Row } from '../../../src/core/inventory/row.ts';
import type { Birth, Ended, PendingIntent, Settled } from '../../../src/core/knowledge.ts';
import type { TouchedObject } from '../../../src/core/last-modified.ts';
import { canonical } from '../../../src/core/ledger/canonical.ts';
import {
  chainGenesis,
  type EstateCheckpoint,
  genesis,
  type Head,
  headOf,
  link,
  peopleChain,
} from '../../../src/core/ledger/chain.ts';
import type { Content, Linked } from '../../../src/core/ledger/entry.ts';
import { countOfPlaces, healingWindowMs, type Place, placeKey } from '../../../src/core/ledger/estate-count.ts';
import { budgetOf } from '../../../src/core/limits.ts';
import type { Observation, Observed } from '../../../src/core/observed.ts';
import type { EndedPatch, Patch } from '../../../src/core/patch.ts';
import type { Address, CloudId, ScopeKey } from '../../../src/core/resource.ts';
import type { KeptLifetime } from '../../../src/core/ttl.ts';
import type { EventDraft, StoredEvent } from '../../../src/ports/events.ts';
import type {
  Approval,
  Assignment,
  ListedHealing,
  Pause,
  Quarantined,
  Refusal,
  Refused,
  ResourceComment,
  ScopeCost,
  ScopeCount,
  SpecSnapshot,
  StoppedRollout,
} from '../../../src/ports/fleet-state.ts';
import type { RowLook } from '../../../src/ports/inventory-rows.ts';
import type { Generation, Sighting, Spent } from '../../../src/ports/knowledge.ts';
import { type HeldLease, LeaseLost } from '../../../src/ports/leases.ts';
import type { IntentDraft, Reconcile } from '../../../src/ports/ledger.ts';
import type { Proposal } from '../../../src/ports/queries.ts';
import type { Where } from '../../../src/ports/queue.ts';
import type { ReconcileDraft, ReconcileEnding } from '../../../src/ports/reconciles.ts';
import type { Pin, SourceState } from '../../../src/ports/sources.ts';
import type { KeptToken } from '../../../src/ports/tokens.ts';
import type { ApprovalUse } from '../../../src/store/approvals.ts';
import { wordsOf } from '../../../src/store/ledger-chain.ts';
import type { IntentRecord } from '../../../src/store/ledger-entries.ts';
import type { KnownResource } from '../../../src/store/observations.ts';
import type { AppliedChange } from '../../../src/store/settled-changes.ts';
import { sha256 } from '../../../src/store/signing.ts';
import type { NewTombstone } from '../../../src/store/tombstones.ts';

/** The rows of proposals and authors. `authors`: by estate, revision and generation before. */
interface ProposalMemory {
  kept: readonly Proposal[];
  readonly authors: Map<string, { readonly names: Set<string>; more: boolean }>;
}

const proposalMemory = (): ProposalMemory => ({ kept: [], authors: new Map() });

/** The rows of sources and events. By estate, then by source, head, delivery, or scope and object. */
interface SourceMemory {
  readonly states: Map<string, Map<string, SourceState>>;
  readonly pins: Map<string, Pin>;
  readonly histories: Set<string>;
  readonly wakeUps: Map<string, number>;
  readonly deliveries: Map<string, number>;
  readonly touches: Map<string, Map<string, TouchedObject & { readonly heardAt: number }>>;
}

const sourceMemory = (): SourceMemory => ({
  states: new Map(),
  pins: new Map(),
  histories: new Set(),
  wakeUps: new Map(),
  deliveries: new Map(),
  touches: new Map(),
});

/** The rows of the fleet. Keys of maps: `whereKey`, of spec snapshots estate and revision. */
interface FleetMemory {
  readonly specSnapshots: Map<string, SpecSnapshot>;
  readonly requests: Map<string, RequestMemory>;
  readonly rollouts: Map<string, RolloutMemory>;
  readonly quarantine: Map<string, Quarantined>;
  readonly backoffs: Map<string, Map<string, Refused & { readonly until: number }>>;
  /** By `whereKey`, then by `fightKey`. */
  readonly fights: Map<string, Map<string, FightMemory>>;
  readonly pauses: PauseMemory[];
  readonly approvals: Approval[];
  readonly refusals: Refusal[];
  assignments: Assignment[];
  comments: ResourceComment[];
  /** Scope and id. */
  readonly onceProtected: Set<string>;
  /** By intent. */
  readonly approvedIntents: Map<string, ApprovalUse & { readonly estate: string; readonly intent: string }>;
  /** Estate and number. */
  readonly withdrawn: Set<string>;
}

interface RequestMemory {
  readonly where: Where;
  readonly request: number;
  readonly answered: number;
  readonly reason: string;
}

export interface RolloutMemory {
  standing: number;
  butGraces: number;
  readonly inGrace: Set<string>;
  readonly stopped: Map<string, StoppedRollout>;
}

export type FightMemory = Omit<ListedHealing, 'waits'>;

export interface PauseMemory {
  readonly estate: string;
  readonly pause: Pause;
  ended: boolean;
}

const fleetMemory = (): FleetMemory => ({
  specSnapshots: new Map(),
  requests: new Map(),
  rollouts: new Map(),
  quarantine: new Map(),
  backoffs: new Map(),
  fights: new Map(),
  pauses: [],
  approvals: [],
  refusals: [],
  assignments: [],
  comments: [],
  onceProtected: new Set(),
  approvedIntents: new Map(),
  withdrawn: new Set(),
});

export const whereKey = ({ estate, scope }: Where): string => `${estate} ${scope}`;

/** Places that count against `generation` at this moment. */
export function countedAt(estate: EstateMemory, generation: number, now: number): readonly CountedPlace[] {
  return [...estate.places.values()].filter((place) =>
    place.by === 'generation' ? place.generation === generation : place.at > now - healingWindowMs,
  );
}

/** Counts owned addresses. A new resource is not owned before its claim. */
export function ownedBy(estate: EstateMemory, places: readonly Place[]): number {
  const ran = places.filter(({ as }) => budgetOf[as] === 'deletes');
  const claimed = [...estate.scopes.values()].flatMap(({ claims }) => [...claims.values()]);
  return new Set([...claimed, ...ran].map(({ address }) => address)).size;
}

export function spentBy(estate: EstateMemory, generation: number, now: number): Spent {
  const ran = countedAt(estate, generation, now);
  const tally = (by: CountedPlace['by']) => {
    const own = ran.filter((place) => place.by === by);
    return countOfPlaces([...new Map(own.map((place) => [placeKey(place), place])).values()]);
  };
  return { generation: tally('generation'), healing: tally('healing'), owned: ownedBy(estate, ran) };
}

/** The tables of the real store, as maps. Only whole methods change them, with no await in between: transactions. */
export interface Memory {
  readonly store: string;
  readonly estates: Map<string, EstateMemory>;
  readonly leases: Map<string, LeaseMemory>;
  readonly fleet: FleetMemory;
  readonly sources: SourceMemory;
  readonly events: EventMemory;
  readonly rows: RowMemory;
  /** Oldest first. */
  readonly tokens: KeptToken[];
  readonly reconciles: ReconcileMemory;
  readonly proposals: ProposalMemory;
  nextId(): string;
}

export interface EstateMemory {
  readonly name: string;
  readonly chain: Chain;
  /** Of all estates. */
  readonly events: EventMemory;
  /** Open intents by id, and their ids by scope and action. */
  readonly open: Map<string, IntentMemory>;
  /** Intents that are closed, each with its scope and newest settlement. */
  readonly closed: Map<string, ClosedIntent>;
  readonly openActions: Map<string, string>;
  readonly places: Map<string, CountedPlace>;
  /** The remaining work of a generation, by scope. */
  readonly scopeCounts: Map<ScopeKey, ScopeCount>;
  readonly scopeCosts: Map<ScopeKey, ScopeCost>;
  /** The number of times that people permitted more. */
  countEpoch: number;
  readonly scopes: Map<ScopeKey, ScopeMemory>;
  readonly generations: Generation[];
  readonly patches: PatchMemory[];
  lifetimes: readonly KeptLifetime[];
  /** By number. */
  readonly acceptedAt: Map<number, number>;
  /** The number of times that people made the guards stricter. */
  readonly guard: { epoch: number };
}

export interface PatchMemory {
  readonly patch: Omit<Patch, 'isOver'>;
  end?: EndedPatch['end'];
}

/** All chains of an estate. `heads`: by chain, with the moment of the newest entry. */
interface Chain {
  readonly seal: EstateCheckpoint;
  readonly heads: Map<string, { readonly head: Head; readonly at: number }>;
  readonly entries: Linked[];
}

export interface IntentMemory {
  readonly record: IntentRecord;
  readonly scope: ScopeKey;
  readonly details: IntentDraft['details'];
  readonly guardEpoch: number;
  readonly settled: string | null;
}

export const pendingIntent = ({
  record: { intent, attempt, at, action },
  details,
}: Pick<IntentMemory, 'record' | 'details'>): PendingIntent => ({
  intent,
  attempt,
  at,
  address: action.address,
  verb: action.verb,
  draft: { kind: action.kind, ...(action.id === '' ? {} : { id: action.id }), details: structuredClone(details) },
});

interface ClosedIntent extends Omit<IntentMemory, 'details' | 'guardEpoch'> {}

export interface CountedPlace extends Place {
  readonly generation: number;
  readonly at: number;
}

export interface ScopeMemory {
  readonly claims: Map<CloudId, Settled>;
  readonly ended: Map<CloudId, Ended & { readonly was?: Settled }>;
  readonly applied: Map<Address, AppliedChange>;
  readonly incarnations: Map<Address, number>;
  readonly unstuck: Map<Address, { readonly fields: string; readonly generation: number; readonly times: number }>;
  readonly births: Map<CloudId, BirthMemory>;
  looked: Omit<Observation, 'resources'> | undefined;
  readonly resources: Map<string, KnownResource & { readonly resource: Observed }>;
  readonly sightings: Sighting[];
  readonly operations: Map<string, string>;
  /** Oldest first. */
  readonly expiredIntents: Map<string, PendingIntent>;
  readonly tombstones: Map<CloudId, TombstoneMemory>;
}

export interface TombstoneMemory extends Omit<NewTombstone, 'id' | 'forMs'> {
  readonly since: number;
  readonly until: number;
}

/** `before`: the applied specs at its address until its launch. */
export interface BirthMemory extends Birth {
  readonly before: AppliedChange | undefined;
}

/** `expires`: undefined while its holder lives and renews. */
export interface LeaseMemory extends HeldLease {
  readonly lost: AbortController;
  /** When it was taken. */
  readonly guardEpoch: number;
  expires: number | undefined;
  released: boolean;
}

export function memory(store: string): Memory {
  let ids = 0;
  // why: tokens are unique in an account, and two stores may meet there
  const nextId = (): string => `${store.slice(0, 24)}${(++ids).toString(16).padStart(12, '0')}`;
  return {
    store,
    estates: new Map(),
    leases: new Map(),
    fleet: fleetMemory(),
    sources: sourceMemory(),
    events: eventMemory(),
    rows: rowMemory(),
    tokens: [],
    reconciles: new Map(),
    proposals: proposalMemory(),
    nextId,
  };
}

export function estateOf(memory: Memory, name: string): EstateMemory {
  const found = memory.estates.get(name);
  if (found) return found;
  const begun = { store: memory.store, estate: name, ...genesis(memory.store, name, sha256) };
  const chain = { seal: { ...begun, at: 0, key: 'memory', signature: '' }, heads: new Map(), entries: [] };
  const made: EstateMemory = {
    name,
    chain,
    events: memory.events,
    open: new Map(),
    closed: new Map(),
    openActions: new Map(),
    places: new Map(),
    scopeCounts: new Map(),
    scopeCosts: new Map(),
    countEpoch: 0,
    scopes: new Map(),
    generations: [],
    patches: [],
    lifetimes: [],
    acceptedAt: new Map(),
    guard: { epoch: 0 },
  };
  memory.estates.set(name, made);
  return made;
}

export function scopeOf(estate: EstateMemory, scope: ScopeKey): ScopeMemory {
  const found = estate.scopes.get(scope);
  if (found) return found;
  const made: ScopeMemory = {
    claims: new Map(),
    ended: new Map(),
    applied: new Map(),
    incarnations: new Map(),
    unstuck: new Map(),
    births: new Map(),
    looked: undefined,
    resources: new Map(),
    sightings: [],
    operations: new Map(),
    expiredIntents: new Map(),
    tombstones: new Map(),
  };
  estate.scopes.set(scope, made);
  return made;
}

/** Into the chain of its scope; a note into that of people. No entry is earlier than the one before it. */
export function append({ name, chain, events }: EstateMemory, { at, type, body }: Content): number {
  const of = type === 'note' ? peopleChain : String(body['scope']);
  const known = chain.heads.get(of) ?? { head: chainGenesis(chain.seal, of, sha256), at: 0 };
  const content = { at: Math.max(at, known.at), type, body: JSON.parse(canonical(body)) };
  const entry = link(known.head, chain.entries.length + 1, content, sha256);
  chain.entries.push(entry);
  chain.heads.set(of, { head: headOf(entry), at: content.at });
  publishEventsIn(events, entry.at, wordsOf(name, entry));
  return entry.seq;
}

/** The lease of a reconcile, if it still is the newest; `now` is given where an expired one will not do. */
export function checkLease(memory: Memory, { estate, scope, lease }: Reconcile, now?: number): void {
  const held = memory.leases.get(leaseKey(estate, scope));
  const expired = now !== undefined && held?.expires !== undefined && held.expires <= now;
  if (held?.epoch !== lease.epoch || held.holder !== lease.holder || held.released || expired)
    throw new LeaseLost(scope, lease.holder);
}

export const leaseKey = (estate: string, scope: ScopeKey): string => `${estate} ${scope}`;

/** Oldest first. `places`: how many were ever given. */
interface EventMemory {
  readonly told: StoredEvent[];
  places: number;
}

const eventMemory = (): EventMemory => ({ told: [], places: 0 });

/** As `publishEvents` of the real store. Nothing is forgotten here. */
export function publishEventsIn(memory: EventMemory, at: number, drafts: readonly EventDraft[]): void {
  for (const draft of drafts) {
    memory.places += 1;
    memory.told.push({ ...structuredClone(draft), place: placeOf(memory.places), at });
  }
}

export const placeOf = (number: number): string => `memory-${number.toString(16).padStart(16, '0')}`;

/** By id; none is forgotten here. */
type ReconcileMemory = Map<string, { readonly draft: ReconcileDraft; readonly ending?: ReconcileEnding }>;

/** `of`: its line. */
export interface Version {
  readonly of: Where & { readonly row: Row; readonly digest: string };
  readonly number: number;
  readonly since: number;
  readonly began: number;
  generation: number;
  ended: number | null;
  seen: number | null;
  listed: boolean;
}

/** `generation`: the generation of the resources that it found in sync. */
export type Look = RowLook & { readonly generation: number; readonly left?: true };

export interface RowMemory {
  versions: Version[];
  readonly looks: Map<string, Look>;
  numbers: number;
}

const rowMemory = (): RowMemory => ({ versions: [], looks: new Map(), numbers: 0 });

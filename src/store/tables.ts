import type { ColumnType, Generated, Kysely, Transaction } from 'kysely';
import type { Count, Sort } from '../core/limits.ts';
import type { StoredEventType } from '../ports/events.ts';
import type { SourceCondition } from '../ports/sources.ts';
import type { ReconcileOutcome } from '../ports/telemetry.ts';

/** The tables of the schema `setpoint`, as migrations/ makes them. */
export type Tables = RecordTables &
  KnowledgeTables &
  InventoryTables &
  FleetTables &
  SourceTables &
  EventTables &
  AccessTables &
  ProposalTables &
  ReconcileTables &
  RowTables;

/** Tables of past changes. */
interface RecordTables {
  store: { id: Generated<string>; signing_key: string | null };
  estates: {
    name: string;
    seq: number;
    hash: string;
    seal: Generated<string | null>;
    numbers: Generated<string | null>;
  };
  chains: ChainTable;
  checkpoints: { estate: string; number: number; body: string };
  signed_heads: Omit<ChainTable, 'at'>;
  lost_checkpoints: { estate: string; held: number; signed: number; signed_at: number; found_at: number };
  ledger: LedgerTable;
  intents: IntentTable;
  places: PlaceTable;
  limit_counts: LimitCountTable;
}

/** Tables of knowledge, and of the right to act on it. */
interface KnowledgeTables {
  guard_epochs: { estate: string; epoch: number };
  claims: ClaimTable;
  incarnations: InScope & { address: string; number: number };
  applied: AppliedTable;
  unstuck: UnstuckTable;
  births: BirthTable;
  generations: { estate: string; number: number; revision: string; guards: Json };
  leases: LeaseTable;
  operations: OperationTable;
}

/** Tables of observations. */
interface InventoryTables {
  looks: LookTable;
  resources: ResourceTable;
  sightings: SightingTable;
}

export type Database = Kysely<Tables>;
export type Write = Transaction<Tables>;

interface ChainTable {
  estate: string;
  chain: string;
  number: number;
  hash: string;
  at: number;
}

/** `chain` and `number`: null in entries of the first version. */
interface LedgerTable extends ChainColumns {
  estate: string;
  seq: number;
  chain: string | null;
  number: number | null;
  at: number;
  type: 'intent' | 'settlement' | 'note';
  address: string | null;
  body: string;
}

interface ChainColumns {
  previous: string;
  hash: string;
}

interface IntentTable extends InScope, ActionColumns, AttemptColumns {
  intent: string;
  fields: string;
  details: Json;
  open: Generated<boolean>;
  settled: Generated<string | null>;
  never_shown: Generated<boolean>;
  guard_epoch: ColumnType<number | null, number | undefined, number>;
}

interface ActionColumns {
  verb: string;
  kind: string;
  address: string;
  id: string;
}

interface AttemptColumns {
  attempt: number;
  at: number;
  generation: number;
}

interface PlaceTable extends InScope, CountColumns {
  intent: string;
  generation: number;
  period: number;
  at: number;
  expired: Generated<boolean>;
}

interface LimitCountTable {
  estate: string;
  period: number;
  deletes: Generated<number>;
  replaces: Generated<number>;
  creates: Generated<number>;
  closures: Generated<number>;
}

interface CountColumns {
  counts_as: Sort;
  counts_by: 'generation' | 'healing';
  address: string;
  subject: string;
}

interface ClaimTable extends InScope {
  id: string;
  kind: string;
  address: string;
  last_write_at: number;
  seen_at: number | null;
  ended_at: number | null;
  ended_as: string | null;
  terms: Json;
}

/** `body`: null where that generation removed it. */
interface AppliedTable extends InScope {
  address: string;
  generation: number;
  body: ColumnType<unknown, string | null, string | null>;
}

interface UnstuckTable extends InScope {
  address: string;
  generation: number;
  fields: string;
  times: number;
}

interface BirthTable extends InScope {
  id: string;
  address: string;
  document: string;
  attributes: Json;
  generation: number;
  launched_at: number;
  ready_since: number | null;
  proven: Generated<boolean>;
  failed: ColumnType<unknown, string | null, string | null>;
  before_generation: number | null;
  before_body: ColumnType<unknown, string | null, string | null>;
}

interface LeaseTable extends InScope {
  epoch: number;
  holder: string;
  since: Date;
  expires_at: Date;
  guard_epoch: Generated<number>;
}

interface OperationTable extends InScope {
  id: string;
  state: string;
  kept_at: Generated<Date>;
}

interface LookTable extends InScope {
  at: number;
  body: Json;
}

interface ResourceTable extends InScope {
  key: string;
  digest: string;
  listed: boolean;
  body: Json;
}

interface SightingTable extends InScope {
  number: Generated<number>;
  id: string;
  at: number;
  change: 'appeared' | 'changed' | 'vanished';
  body: Json;
}

/** Read as the value, written as its text: the text stays as it was written. */
type Json = ColumnType<unknown, string, string>;

interface InScope {
  estate: string;
  scope: string;
}

/** Tables that a fleet shares. */
type FleetTables = WorkTables & WordTables;

/** Between workers. */
interface WorkTables {
  trees: { estate: string; revision: string; tree: Json };
  requests: RequestTable;
  standing: StandingTable;
  stopped_rollouts: StoppedRolloutTable;
  quarantine: QuarantineTable;
  backoffs: BackoffTable;
  fights: FightTable;
  scope_counts: ScopeCountTable;
  scope_costs: ScopeCostTable;
  tombstones: TombstoneTable;
  count_epochs: { estate: string; epoch: number };
}

/** From people. */
interface WordTables {
  pauses: PauseTable;
  patches: PatchTable;
  lifetimes: LifetimeTable;
  approvals: ApprovalTable;
  approved_intents: ApprovedIntentTable;
  withdrawn_approvals: { estate: string; seq: number };
  resource_notes: InScope & { address: string; seq: number; type: 'assignment' | 'comment'; at: number; body: Json };
  refusals: Omit<ApprovalTable, 'until'> & { at: number };
  once_protected: { scope: string; id: string };
}

interface RequestTable extends InScope {
  wish: number;
  answered: Generated<number>;
  reason: Json;
}

interface LifetimeTable {
  estate: string;
  document: string;
  ttl_ms: number;
  since: number;
  generation: number;
  ended_at: number | null;
}

interface TombstoneTable extends InScope {
  id: string;
  kind: string;
  address: string;
  generation: number;
  since: number;
  until: number;
  by_person: boolean;
  intent: string;
}

interface ScopeCountTable extends InScope, Mutable<Count> {
  generation: number;
  epoch: number;
  until: number | null;
}

interface ScopeCostTable extends InScope {
  generation: number;
  currency: string;
  monthly: number;
  planned_increase: number;
  unpriced: readonly string[];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface StandingTable extends InScope {
  generation: number;
  but_graces: Generated<number>;
  in_grace: Generated<readonly string[]>;
}

interface StoppedRolloutTable extends InScope {
  document: string;
  generation: number;
  why: Json;
}

interface QuarantineTable extends InScope {
  generation: number;
  why: Json;
  since: Date;
}

interface BackoffTable extends InScope {
  address: string;
  digest: string;
  generation: number;
  failures: number;
  said: Json;
  until: Date;
}

interface PatchTable {
  estate: string;
  id: number;
  at: number;
  until: number;
  body: Json;
  ended_at: ColumnType<number | null, never, number>;
  ended: ColumnType<unknown, never, string>;
}

interface FightTable extends InScope {
  address: string;
  field: string;
  times: number;
  body: Json;
  closes: boolean;
  targets: string[];
  owner: string;
  since: number;
  at: number;
  until: number;
}

interface PauseTable extends PauseSubjectColumns {
  id: Generated<number>;
  reason: Json;
  person: string;
  at: number;
  until: number;
  lets_narrow: boolean;
  ended: ColumnType<boolean, never, boolean>;
}

interface PauseSubjectColumns {
  estate: string;
  what: 'healing' | 'rollout' | 'all';
  held_by: 'estate' | 'address' | 'owner' | 'target';
  subject: string;
  incident: string | null;
}

interface ApprovedIntentTable {
  intent: string;
  estate: string;
  seq: number;
  digest: string;
  halves: Json;
  verb: string;
  done: Generated<boolean>;
}

interface ApprovalTable extends InScope {
  seq: number;
  generation: number;
  until: number;
  body: Json;
  bound: Json;
}

/** Tables of spec sources. */
interface SourceTables {
  source_states: SourceStateTable;
  pins: PinTable;
  accepted_histories: { estate: string; head: string; after: string };
  bells: { estate: string; rung: number };
}

/** Tables of changes that clouds and repositories reported. */
interface EventTables {
  deliveries: { estate: string; hook: string; id: string; at: number };
  touches: TouchTable;
  own_calls: { estate: string; request: string; at: number };
}

interface SourceStateTable {
  estate: string;
  source: string;
  head: string | null;
  state: SourceCondition;
  code: 'names-another-estate' | null;
  why: Json;
  since: number;
}

interface PinTable {
  estate: string;
  revision: string;
  person: string;
  reason: Json;
  at: number;
}

interface TouchTable extends InScope {
  object: string;
  event: string;
  at: number;
  heard_at: number;
  request: string | null;
  actor: Json;
}

/** Tables of finished reconciles, for people. */
interface ReconcileTables {
  passes: ReconcileTable;
  last_passes: LastReconcileTable;
}

interface ReconcileTable extends InScope, DraftColumns {
  epoch: number | null;
  quiet: Generated<boolean>;
  ended: number | null;
  outcome: ReconcileOutcome | null;
  ending: Json | null;
  timeline: Json | null;
}

interface LastReconcileTable extends InScope, DraftColumns {
  ended: number;
  outcome: ReconcileOutcome;
  ending: Json;
}

/** `about`: the rest of a `PassDraft`. */
interface DraftColumns {
  id: string;
  targets: readonly string[];
  at: number;
  about: Json;
}

/** The lines of the inventory as they are and as they were. */
interface RowTables {
  row_looks: RowLookTable;
  versions: VersionTable;
  versions_now: VersionTable;
  versions_past: VersionTable;
}

interface RowLookTable extends InScope {
  at: number;
  gaps: readonly string[];
  generation: number;
  left_at: Generated<number | null>;
}

type VersionTable = LineColumns &
  PlaceColumns &
  OwnershipColumns &
  StateColumns &
  SpanColumns &
  FoundColumns &
  TextColumns;

interface LineColumns extends InScope {
  number: Generated<number>;
  current: Generated<boolean>;
  key: string;
  digest: string;
}

interface PlaceColumns {
  cloud: string;
  account: string;
  region: string;
  kind: string;
  targets: readonly string[];
}

interface OwnershipColumns {
  claim: string;
  owner: string;
}

interface StateColumns {
  status: string;
  since: number;
  generation: number;
  cause: string | null;
  policies: Generated<readonly string[]>;
  criticality: Generated<string>;
}

interface SpanColumns {
  began: number;
  ended: number | null;
  seen: number | null;
  listed: Generated<boolean>;
}

/** The columns of a search. */
interface FoundColumns {
  words: string;
  refs: readonly string[];
}

interface TextColumns {
  name: string;
  address: string | null;
  id: string | null;
  labels: Json;
  body: Json;
}

/** Tables of events for watchers. */
interface EventTables {
  happenings: EventTable;
}

interface EventTable extends EventOwnershipColumns {
  number: Generated<number>;
  at: number;
  type: StoredEventType;
  about: Json;
  not_to: Json | null;
}

interface EventOwnershipColumns {
  estate: string;
  targets: readonly string[] | null;
  owner: string | null;
}

/** Tables of requested plans, and of the authors of accepted specs. */
interface ProposalTables {
  proposals: ProposalTable;
  authors: AuthorTable;
}

interface ProposalTable extends ProposalColumns {
  number: Generated<number>;
  id: string;
  head: Json;
  body: Json;
}

interface ProposalColumns {
  estate: string;
  caller: string;
  until: number;
}

interface AuthorTable {
  estate: string;
  revision: string;
  after: number;
  what: 'told' | 'more' | 'name';
  name: string;
}

interface ReplyTable {
  name: string;
  digest: string;
  attempt: string;
  at: number;
  done: Generated<boolean>;
  reply: ColumnType<unknown, string | null, string | null>;
}

/** Tables of callers, and of kept answers for their repeated requests. */
interface AccessTables {
  tokens: TokenTable;
  replies: ReplyTable;
}

interface TokenTable extends TokenTimes {
  number: Generated<number>;
  id: string;
  hash: ColumnType<string, string, never>;
  /** The constant part: name, grants, maker, for. */
  body: ColumnType<unknown, string, never>;
  /** When, and by whom; null: not. */
  revoked: ColumnType<unknown, string | null, string | null>;
}

/** Milliseconds since the epoch. */
interface TokenTimes {
  at: number;
  expires_at: ColumnType<number, number, never>;
  used_at: ColumnType<number | null, never, number>;
}

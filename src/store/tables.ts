import type { ColumnType, Generated, Kysely, Transaction } from 'kysely';
import type { Sort } from '../core/limits.ts';
import type { AccessTables } from './access-tables.ts';
import type { InScope, Json } from './columns.ts';
import type { FleetTables } from './fleet-tables.ts';
import type { HappeningTables } from './happening-tables.ts';
import type { PassTables } from './pass-tables.ts';
import type { ProposalTables } from './proposal-tables.ts';
import type { ReplyTables } from './reply-tables.ts';
import type { RowTables } from './row-tables.ts';
import type { EventTables, SourceTables } from './source-tables.ts';

/** The tables of the schema `setpoint`, as migrations/ makes them. */
export type Tables = RecordTables &
  KnowledgeTables &
  InventoryTables &
  FleetTables &
  SourceTables &
  EventTables &
  AccessTables &
  ReplyTables &
  ProposalTables &
  HappeningTables &
  PassTables &
  RowTables;

/** What was done. */
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

/** What is known, and who may act on it. */
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

/** What was seen. */
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

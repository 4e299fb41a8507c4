import type { ColumnType, Generated, Kysely, Transaction } from 'kysely';
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
  store: { id: string };
  estates: { name: string; seq: number; hash: string };
  ledger: LedgerTable;
  intents: IntentTable;
  places: PlaceTable;
}

/** What is known, and who may act on it. */
interface KnowledgeTables {
  claims: ClaimTable;
  applied: AppliedTable;
  unstuck: UnstuckTable;
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

interface LedgerTable extends ChainColumns {
  estate: string;
  seq: number;
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
  never_shown: Generated<boolean>;
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

interface PlaceTable extends CountColumns {
  intent: string;
  estate: string;
  generation: number;
  at: number;
}

interface CountColumns {
  counts_as: 'delete' | 'replace';
  counts_by: 'generation' | 'healing';
  address: string;
  subject: string;
}

interface ClaimTable extends InScope {
  id: string;
  kind: string;
  address: string;
  last_write_at: number;
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

interface LeaseTable extends InScope {
  epoch: number;
  holder: string;
  since: Date;
  expires_at: Date;
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

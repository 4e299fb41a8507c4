import type { ColumnType, Generated, Kysely, Transaction } from 'kysely';

/** The tables of the schema `setpoint`, as migrations/ makes them. */
export interface Tables {
  store: { id: string };
  estates: { name: string; seq: number; hash: string };
  ledger: LedgerTable;
  intents: IntentTable;
  places: PlaceTable;
  claims: ClaimTable;
  applied: { estate: string; scope: string; address: string; generation: number; body: Json };
  unstuck: UnstuckTable;
  generations: { estate: string; number: number; revision: string; guards: Json };
  leases: LeaseTable;
  looks: { estate: string; scope: string; at: number; body: Json };
  resources: ResourceTable;
  sightings: SightingTable;
}

export type Database = Kysely<Tables>;
export type Write = Transaction<Tables>;

/** Read as the value, written as its text: the text stays as it was written. */
type Json = ColumnType<unknown, string, string>;

interface LedgerTable {
  estate: string;
  seq: number;
  at: number;
  type: 'intent' | 'settlement' | 'note';
  address: string | null;
  body: string;
  previous: string;
  hash: string;
}

interface IntentTable {
  intent: string;
  estate: string;
  scope: string;
  verb: string;
  kind: string;
  address: string;
  id: string;
  attempt: number;
  at: number;
  generation: number;
  fields: string;
  details: Json;
  open: Generated<boolean>;
}

interface PlaceTable {
  intent: string;
  estate: string;
  counts_as: 'delete' | 'replace';
  counts_by: 'generation' | 'healing';
  generation: number;
  address: string;
  subject: string;
  at: number;
}

interface ClaimTable {
  estate: string;
  scope: string;
  id: string;
  kind: string;
  address: string;
  last_write_at: number;
  terms: Json;
}

interface UnstuckTable {
  estate: string;
  scope: string;
  address: string;
  generation: number;
  fields: string;
  times: number;
}

interface LeaseTable {
  estate: string;
  scope: string;
  epoch: number;
  holder: string;
  since: Date;
  expires_at: Date;
}

interface ResourceTable {
  estate: string;
  scope: string;
  key: string;
  digest: string;
  listed: boolean;
  body: Json;
}

interface SightingTable {
  number: Generated<number>;
  estate: string;
  scope: string;
  id: string;
  at: number;
  change: 'appeared' | 'changed' | 'vanished';
  body: Json;
}

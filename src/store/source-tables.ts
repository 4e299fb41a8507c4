import type { SourceCondition } from '../ports/sources.ts';
import type { InScope, Json } from './columns.ts';

/** Where specs come from. */
export interface SourceTables {
  source_states: SourceStateTable;
  pins: PinTable;
  accepted_histories: { estate: string; head: string; after: string };
  bells: { estate: string; rung: number };
}

/** What clouds and repositories told. */
export interface EventTables {
  deliveries: { estate: string; hook: string; id: string; at: number };
  touches: TouchTable;
  own_calls: { estate: string; request: string; at: number };
}

interface SourceStateTable {
  estate: string;
  source: string;
  head: string | null;
  state: SourceCondition;
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

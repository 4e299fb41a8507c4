import type { ColumnType, Generated } from 'kysely';
import type { Count } from '../core/limits.ts';
import type { InScope, Json } from './columns.ts';

/** What a fleet shares. */
export type FleetTables = WorkTables & WordTables;

/** Between workers. */
interface WorkTables {
  trees: { estate: string; revision: string; tree: Json };
  requests: RequestTable;
  standing: StandingTable;
  stopped_rollouts: StoppedRolloutTable;
  quarantine: QuarantineTable;
  backoffs: BackoffTable;
  scope_counts: ScopeCountTable;
  count_epochs: { estate: string; epoch: number };
}

/** From people. */
interface WordTables {
  pauses: PauseTable;
  approvals: ApprovalTable;
  approved_intents: ApprovedIntentTable;
  withdrawn_approvals: { estate: string; seq: number };
}

interface RequestTable extends InScope {
  wish: number;
  answered: Generated<number>;
  reason: Json;
}

interface ScopeCountTable extends InScope, Mutable<Count> {
  generation: number;
  epoch: number;
  until: number | null;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface StandingTable extends InScope {
  generation: number;
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

interface PauseTable extends PauseSubjectColumns {
  id: Generated<number>;
  reason: Json;
  person: string;
  at: number;
  until: number;
  ended: ColumnType<boolean, never, boolean>;
}

interface PauseSubjectColumns {
  estate: string;
  what: 'healing' | 'rollout' | 'all';
  held_by: 'estate' | 'address' | 'owner' | 'target';
  subject: string;
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

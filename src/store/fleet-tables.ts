import type { ColumnType, Generated } from 'kysely';
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
}

/** From people. */
interface WordTables {
  pauses: PauseTable;
  approvals: ApprovalTable;
}

interface RequestTable extends InScope {
  wish: number;
  answered: Generated<number>;
  reason: Json;
}

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

interface ApprovalTable extends InScope {
  seq: number;
  generation: number;
  until: number;
  body: Json;
}

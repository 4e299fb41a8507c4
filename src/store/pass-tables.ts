import type { Generated } from 'kysely';
import type { PassOutcome } from '../ports/telemetry.ts';
import type { InScope, Json } from './columns.ts';

/** What passes leave behind for people. */
export interface PassTables {
  passes: PassTable;
  last_passes: LastPassTable;
}

interface PassTable extends InScope, DraftColumns {
  epoch: number | null;
  quiet: Generated<boolean>;
  ended: number | null;
  outcome: PassOutcome | null;
  ending: Json | null;
  timeline: Json | null;
}

interface LastPassTable extends InScope, DraftColumns {
  ended: number;
  outcome: PassOutcome;
  ending: Json;
}

/** `about`: the rest of a `PassDraft`. */
interface DraftColumns {
  id: string;
  targets: readonly string[];
  at: number;
  about: Json;
}

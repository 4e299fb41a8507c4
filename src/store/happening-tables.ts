import type { Generated } from 'kysely';
import type { HappeningType } from '../ports/happenings.ts';
import type { Json } from './columns.ts';

/** What is told to those who watch. */
export interface HappeningTables {
  happenings: HappeningTable;
}

interface HappeningTable extends WhoseColumns {
  number: Generated<number>;
  at: number;
  type: HappeningType;
  about: Json;
  not_to: Json | null;
}

interface WhoseColumns {
  estate: string;
  targets: readonly string[] | null;
  owner: string | null;
}

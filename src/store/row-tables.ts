import type { Generated } from 'kysely';
import type { InScope, Json } from './columns.ts';

/** The lines of the inventory as they are and as they were. */
export interface RowTables {
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

type VersionTable = LineColumns & PlaceColumns & WhoseColumns & StateColumns & SpanColumns & FoundColumns & TextColumns;

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

interface WhoseColumns {
  claim: string;
  owner: string;
}

interface StateColumns {
  status: string;
  since: number;
  generation: number;
  cause: string | null;
}

interface SpanColumns {
  began: number;
  ended: number | null;
  seen: number | null;
  listed: Generated<boolean>;
}

/** What a search looks through. */
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

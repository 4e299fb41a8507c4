import type { ColumnType, Generated } from 'kysely';

/** Who may ask. */
export interface AccessTables {
  tokens: TokenTable;
}

interface TokenTable extends TokenTimes {
  number: Generated<number>;
  id: string;
  hash: ColumnType<string, string, never>;
  /** What never changes: name, grants, maker, for. */
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

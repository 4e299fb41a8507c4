import type { ColumnType, Generated } from 'kysely';

/** What was answered to whom who may ask again. */
export interface ReplyTables {
  replies: ReplyTable;
}

interface ReplyTable {
  name: string;
  digest: string;
  attempt: string;
  at: number;
  done: Generated<boolean>;
  reply: ColumnType<unknown, string | null, string | null>;
}

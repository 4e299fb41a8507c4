import type { ColumnType } from 'kysely';

/** Read as the value, written as its text: the text stays as it was written. */
export type Json = ColumnType<unknown, string, string>;

export interface InScope {
  estate: string;
  scope: string;
}

import type { Generated } from 'kysely';
import type { Json } from './columns.ts';

/** What was asked of the API to be planned, and who made what came into force. */
export interface ProposalTables {
  proposals: ProposalTable;
  authors: AuthorTable;
}

interface ProposalTable extends ProposalColumns {
  number: Generated<number>;
  id: string;
  head: Json;
  body: Json;
}

interface ProposalColumns {
  estate: string;
  caller: string;
  until: number;
}

interface AuthorTable {
  estate: string;
  revision: string;
  after: number;
  what: 'told' | 'more' | 'name';
  name: string;
}

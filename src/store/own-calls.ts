import { sql } from 'kysely';
import type { Settlement } from '../ports/ledger.ts';
import type { ChainWrite } from './chain-write.ts';
import { inChunks } from './in-chunks.ts';
import type { Database } from './tables.ts';

/** The clouds' ids of the requests behind these settlements, each once. */
export const requestIdsOf = (settlements: readonly Settlement[]): readonly string[] => [
  ...new Set(settlements.flatMap(({ calls }) => calls.flatMap(({ requestId }) => requestId ?? []))),
];

/** By these an event that tells of our own call is known. Settlements of one call share its id. */
export const keepOwnCalls = ({ trx, estate, at }: ChainWrite, settlements: readonly Settlement[]): Promise<void> =>
  inChunks(requestIdsOf(settlements), (chunk) =>
    trx
      .insertInto('own_calls')
      .values(chunk.map((request) => ({ estate, request, at })))
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  );

/** Those of these requests that are our own. */
export async function ownCalls(
  db: Database,
  estate: string,
  requests: readonly string[],
): Promise<ReadonlySet<string>> {
  if (requests.length === 0) return new Set();
  const rows = await db
    .selectFrom('own_calls')
    .select('request')
    .where('estate', '=', estate)
    .where(sql<boolean>`request = ANY(${requests}::text[])`)
    .execute();
  return new Set(rows.map(({ request }) => request));
}

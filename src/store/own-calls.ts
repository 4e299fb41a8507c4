import { sql } from 'kysely';
import type { Settlement } from '../ports/ledger.ts';
import type { ChainWrite } from './ledger-chain.ts';
import type { Database } from './tables.ts';

/** The clouds' ids of the requests behind these settlements, each once. */
const requestIdsOf = (settlements: readonly Settlement[]): readonly string[] => [
  ...new Set(settlements.flatMap(({ calls }) => calls.flatMap(({ requestId }) => requestId ?? []))),
];

/** By these an event that tells of our own call is known. Settlements of one call share its id. */
export async function keepOwnCalls({ trx, estate, at }: ChainWrite, settlements: readonly Settlement[]): Promise<void> {
  const requests = requestIdsOf(settlements);
  if (requests.length === 0) return;
  await sql`
    INSERT INTO setpoint.own_calls (estate, request, at)
    SELECT ${estate}, request, ${at} FROM unnest(${requests}::text[]) AS request
    ON CONFLICT DO NOTHING`.execute(trx);
}

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

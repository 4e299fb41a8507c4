import { sql } from 'kysely';
import type { Where } from '../ports/queue.ts';
import type { Database } from './tables.ts';

/** Of each scope. Quiet ones are many and much alike, and must not push out those in which something happened. */
const mostQuiet = 200;
const most = 2_000;

/** Never rejects: what is not deleted now is deleted after another pass. */
export async function prunePasses(db: Database, { estate, scope }: Where, quiet: boolean): Promise<void> {
  const ofThese = sql`estate = ${estate} AND scope = ${scope} AND quiet = ${quiet}`;
  const beyond = sql`
    SELECT at FROM setpoint.passes WHERE ${ofThese} ORDER BY at DESC OFFSET ${quiet ? mostQuiet : most} LIMIT 1`;
  await sql`DELETE FROM setpoint.passes WHERE ${ofThese} AND at <= (${beyond})`.execute(db).catch(() => {});
}

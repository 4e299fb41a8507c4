import { sql } from 'kysely';
import type { OutOfSyncCount } from '../core/inventory/row.ts';
import type { ViolationCount } from '../core/policy/rules.ts';
import type { CloudId } from '../core/resource.ts';
import type { Reconcile } from '../ports/ledger.ts';
import type { Accepted, Estates } from '../ports/store.ts';
import type { Context } from './context.ts';
import { checkLease } from './leases.ts';
import { chainWrite } from './ledger-chain.ts';
import { noteBody } from './ledger-entries.ts';
import { forgetApplied, saveClaims } from './settle.ts';
import { storableText } from './statements.ts';
import type { Database } from './tables.ts';

export const postgresEstates = (context: Context): Estates => ({
  store: context.store,
  // why: over the connections for writes, which a worker cannot do without
  alive: async () => {
    await sql`SELECT 1`.execute(context.writing);
  },
  list: async () => {
    const rows = await context.db.selectFrom('estates').select('name').orderBy('name').execute();
    return rows.map(({ name }) => name);
  },
  openIntents: () => openIntents(context.db),
  violations: (estate) => violations(context.db, estate),
  outOfSync: () => outOfSync(context.db),
  holdings: (estate) => holdings(context.db, estate),
  takeover: (reconcile, accepted, reason) => takeover(context, reconcile, takeoverOf(reconcile, accepted, reason)),
});

const openIntents = (db: Database): Promise<readonly { readonly cloud: string; readonly count: number }[]> =>
  db
    .selectFrom('intents')
    .select((eb) => [
      sql<string>`split_part(scope, '/', 1)`.as('cloud'),
      eb.cast<number>(eb.fn.countAll(), 'integer').as('count'),
    ])
    .where('open', '=', true)
    .groupBy('cloud')
    .orderBy('cloud')
    .execute();

async function violations(db: Database, estate: string | undefined): Promise<readonly ViolationCount[]> {
  const { rows } = await sql<ViolationCount>`
    SELECT cloud, broken ->> 'policy' AS policy, broken ->> 'effect' AS effect, broken ->> 'mode' AS mode,
      criticality, count(*)::integer AS count
    FROM setpoint.versions_now, jsonb_array_elements(body -> 'violations') AS broken
    WHERE policies <> '{}' AND ${estate === undefined ? sql`true` : sql`estate = ${storableText(estate)}`} GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5`.execute(
    db,
  );
  return rows;
}

const outOfSync = (db: Database): Promise<readonly OutOfSyncCount[]> =>
  db
    .selectFrom('versions_now')
    .select((eb) => ['cloud', 'status', 'criticality', eb.cast<number>(eb.fn.countAll(), 'integer').as('count')])
    .where('status', '<>', 'InSync')
    .groupBy(['cloud', 'status', 'criticality'])
    .orderBy('cloud')
    .orderBy('status')
    .orderBy('criticality')
    .execute();

const holdings = (
  db: Database,
  estate: string,
): Promise<readonly { readonly scope: string; readonly resources: number }[]> =>
  db
    .selectFrom('claims')
    .select((eb) => ['scope', eb.cast<number>(eb.fn.countAll(), 'integer').as('resources')])
    .where('estate', '=', estate)
    .where('ended_at', 'is', null)
    .groupBy('scope')
    .orderBy('scope')
    .execute();

const takeover = (
  context: Context,
  reconcile: Reconcile,
  { claims, note }: ReturnType<typeof takeoverOf>,
): Promise<number> =>
  chainWrite(context, reconcile.estate, async (write) => {
    await checkLease(write.trx, reconcile, 'begin');
    await saveClaims(write, reconcile, claims);
    await forgetApplied(write.trx, reconcile);
    return write.append([{ type: 'note', body: noteBody(reconcile.estate, note) }]);
  });

/** The claims of a takeover, and its note. */
export function takeoverOf({ scope, authority }: Reconcile, accepted: readonly Accepted[], reason: string) {
  const claims = new Map<CloudId, Accepted>();
  for (const claim of accepted) {
    const { id, address } = claim.subject;
    if (id === undefined) throw new Error(`the takeover of ${address} names no id`);
    claims.set(id, claim);
  }
  return { claims, note: { takeover: { scope, reason, ids: [...claims.keys()].sort(), authority } } };
}

import type pg from 'pg';

/**
 * A copy of all tables as they are now. Called later, the database holds that again, as after a failover to a replica that got nothing
 * since. `admin`: one who may do anything.
 */
export async function replicaOf(admin: pg.Client): Promise<() => Promise<void>> {
  const { rows } = await admin.query<{ name: string }>(
    `SELECT quote_ident(relname) AS name FROM pg_class
    WHERE relnamespace = 'setpoint'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY relname`,
  );
  const tables = rows.map(({ name }) => name);
  await admin.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await admin.query('CREATE SCHEMA replica');
  for (const name of tables) await admin.query(`CREATE TABLE replica.${name} AS TABLE setpoint.${name}`);
  await admin.query('COMMIT');
  return async () => {
    await admin.query('BEGIN');
    // why: no trigger guards the ledger from a failover
    await admin.query('SET LOCAL session_replication_role = replica');
    await admin.query(`TRUNCATE ${tables.map((name) => `setpoint.${name}`).join(', ')}`);
    for (const name of tables)
      await admin.query(`INSERT INTO setpoint.${name} OVERRIDING SYSTEM VALUE SELECT * FROM replica.${name}`);
    await admin.query('DROP SCHEMA replica CASCADE');
    await admin.query('COMMIT');
  };
}

import { sql } from 'kysely';
import pg from 'pg';
import type { Database } from './tables.ts';

/** The role that the application works as: it may not change what is written in the ledger, nor give itself the right. */
export const appRole = 'setpoint_app';

/**
 * Makes the role where it is missing and gives it its rights. `password`: it may log in by itself; without one the
 * connection's user takes it on. False: this user may not make roles, and only the triggers guard the ledger.
 */
export async function ensureAppRole(client: pg.Client, password?: string): Promise<boolean> {
  try {
    await makeAppRole(client, password);
    await client.query(appRights);
    return true;
  } catch (error) {
    if (isDenied(error)) return false;
    throw error;
  }
}

async function makeAppRole(client: pg.Client, password: string | undefined): Promise<void> {
  const { rows } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [appRole]);
  if (rows.length === 0) {
    const login = password === undefined ? 'NOLOGIN' : `LOGIN PASSWORD ${pg.escapeLiteral(password)}`;
    await client.query(`CREATE ROLE ${appRole} ${login}`).catch(ignoreMadeMeanwhile);
  }
  if (password === undefined && !(await isMember(client))) await client.query(`GRANT ${appRole} TO CURRENT_USER`);
}

/** The server's keeper may have given the role to a user who could not take it. */
async function isMember(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query("SELECT pg_has_role(CURRENT_USER, $1, 'MEMBER') AS member", [appRole]);
  return rows[0]?.member === true;
}

/** Roles are shared by all databases of a server, so another database's opening may have been faster. */
function ignoreMadeMeanwhile(error: unknown): void {
  const duplicates = ['42710', '23505'];
  if (!(error instanceof pg.DatabaseError && duplicates.includes(error.code ?? ''))) throw error;
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: insufficient_privilege */
export const isDenied = (error: unknown): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && error.code === '42501';

const appRights = `
  GRANT USAGE ON SCHEMA setpoint TO ${appRole};
  GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA setpoint TO ${appRole};
  GRANT USAGE ON ALL SEQUENCES IN SCHEMA setpoint TO ${appRole};
  GRANT EXECUTE ON FUNCTION setpoint.number_entries TO ${appRole};
  REVOKE UPDATE, DELETE, TRUNCATE, TRIGGER ON setpoint.ledger FROM ${appRole};
  REVOKE UPDATE, DELETE, TRUNCATE, TRIGGER ON setpoint.checkpoints FROM ${appRole};
  REVOKE UPDATE, DELETE ON setpoint.generations, setpoint.trees, setpoint.approvals, setpoint.refusals FROM ${appRole};
  REVOKE DELETE ON setpoint.pauses, setpoint.patches FROM ${appRole};
  REVOKE UPDATE, DELETE ON setpoint.accepted_histories FROM ${appRole};
  REVOKE UPDATE, DELETE ON setpoint.authors FROM ${appRole};
  REVOKE UPDATE, DELETE ON setpoint.tokens FROM ${appRole};
  GRANT UPDATE (revoked, used_at) ON setpoint.tokens TO ${appRole};
  REVOKE INSERT, UPDATE, DELETE ON setpoint.store, setpoint.migrations FROM ${appRole};
  GRANT UPDATE (signing_key) ON setpoint.store TO ${appRole};
`;

/** The role of people with psql: it may read the views of `setpoint_read`, and nothing else. */
export const readerRole = 'setpoint_reader';

/**
 * Makes the role where it is missing and gives it its rights. `password`: it may log in by itself, and the server is ours alone,
 * so what every role may do by default is taken from it too. False: this user may not make roles, and nobody else made it.
 */
export async function ensureReaderRole(client: pg.Client, password?: string): Promise<boolean> {
  try {
    if (!(await isThere(client))) await makeReaderRole(client, password);
    await client.query(readerRights);
    if (password !== undefined && !(await isWalled(client))) await client.query(wall);
    return true;
  } catch (error) {
    if (!isDenied(error)) throw error;
    return (await isThere(client)) && (await reads(client));
  }
}

async function isThere(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [readerRole]);
  return rows.length > 0;
}

async function makeReaderRole(client: pg.Client, password: string | undefined): Promise<void> {
  const login = password === undefined ? 'NOLOGIN' : `LOGIN PASSWORD ${pg.escapeLiteral(password)}`;
  await client.query(`CREATE ROLE ${readerRole} ${login} CONNECTION LIMIT 20`);
  await client.query(settings);
}

async function reads(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query("SELECT has_schema_privilege($1, 'setpoint_read', 'USAGE') AS may", [readerRole]);
  return rows[0]?.may === true;
}

/** By what was walled last, so that an older store comes to have all of it. */
async function isWalled(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT NOT has_function_privilege($1, 'pg_current_xact_id()', 'EXECUTE') AND pg_has_role($2, $1, 'USAGE') AS so`,
    [readerRole, appRole],
  );
  return rows[0]?.so === true;
}

/** The settings at the start of a session of the role. It may set otherwise, which gives it no right. */
const settings = `
  ALTER ROLE ${readerRole} SET search_path = setpoint_read;
  ALTER ROLE ${readerRole} SET default_transaction_read_only = on;
  ALTER ROLE ${readerRole} SET statement_timeout = '30s';
  ALTER ROLE ${readerRole} SET idle_in_transaction_session_timeout = '60s';
`;

const readerRights = `
  GRANT USAGE ON SCHEMA setpoint_read TO ${readerRole};
  GRANT SELECT ON ALL TABLES IN SCHEMA setpoint_read TO ${readerRole};
  GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA setpoint_read TO ${readerRole};
`;

/**
 * Revokes PostgreSQL's default rights from this role: other databases, temporary tables, objects in `public`, large objects,
 * locks that the application waits for, transaction numbers, which delay every event, and messages in the server's log.
 * PostgreSQL lets every role alter itself (`ALTER ROLE`), which takes a transaction number too. The application is a member of
 * the role, so that it may end such sessions.
 */
const wall = `
  GRANT ${readerRole} TO ${appRole};
  ALTER ROLE ${readerRole} SET temp_file_limit = '1GB';
  REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC;
  REVOKE CONNECT, TEMPORARY ON DATABASE template1 FROM PUBLIC;
  REVOKE ALL ON SCHEMA public FROM PUBLIC;
  DO $$
  DECLARE
    one regprocedure;
  BEGIN
    FOR one IN
      SELECT oid FROM pg_proc
      WHERE pronamespace = 'pg_catalog'::regnamespace
        AND proname ~ '^(lo_.*|loread|lowrite|.*advisory.*|pg_current_xact_id|txid_current|pg_logical_emit_message)$'
    LOOP
      EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', one);
      IF one::text ~ 'advisory|pg_current_xact_id' THEN
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO ${appRole}', one);
      END IF;
    END LOOP;
  END
  $$;
`;

/**
 * Ends sessions of people with psql that have a number of a transaction: they have nothing to write, and hold up all that
 * happens until they end. Where the server is the user's own it sees none, and ends none.
 */
export async function endReaders(db: Database): Promise<void> {
  await sql`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE usename = ${readerRole} AND backend_xid IS NOT NULL`.execute(db);
}

import pg from 'pg';

/** The role that the application works as: it may not change what is written in the ledger, nor give itself the right. */
export const appRole = 'setpoint_app';

/**
 * Makes the role where it is missing and gives it its rights. `password`: it may log in by itself; without one the
 * connection's user takes it on. False: this user may not make roles, and only the triggers guard the ledger.
 */
export async function ensureAppRole(client: pg.Client, password?: string): Promise<boolean> {
  try {
    await makeRole(client, password);
    await client.query(rights);
    return true;
  } catch (error) {
    if (isDenied(error)) return false;
    throw error;
  }
}

async function makeRole(client: pg.Client, password: string | undefined): Promise<void> {
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

const rights = `
  GRANT USAGE ON SCHEMA setpoint TO ${appRole};
  GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA setpoint TO ${appRole};
  GRANT USAGE ON ALL SEQUENCES IN SCHEMA setpoint TO ${appRole};
  GRANT EXECUTE ON FUNCTION setpoint.number_entries TO ${appRole};
  REVOKE UPDATE, DELETE, TRUNCATE, TRIGGER ON setpoint.ledger FROM ${appRole};
  REVOKE UPDATE, DELETE, TRUNCATE, TRIGGER ON setpoint.checkpoints FROM ${appRole};
  REVOKE UPDATE, DELETE ON setpoint.generations, setpoint.trees, setpoint.approvals FROM ${appRole};
  REVOKE DELETE ON setpoint.pauses FROM ${appRole};
  REVOKE UPDATE, DELETE ON setpoint.accepted_histories FROM ${appRole};
  REVOKE UPDATE, DELETE ON setpoint.authors FROM ${appRole};
  REVOKE UPDATE, DELETE ON setpoint.tokens FROM ${appRole};
  GRANT UPDATE (revoked, used_at) ON setpoint.tokens TO ${appRole};
  REVOKE INSERT, UPDATE, DELETE ON setpoint.store, setpoint.migrations FROM ${appRole};
  GRANT UPDATE (signing_key) ON setpoint.store TO ${appRole};
`;

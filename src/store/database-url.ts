import type pg from 'pg';
import { parse, toClientConfig } from 'pg-connection-string';

/**
 * What a DATABASE_URL says, part by part. Given to pg whole, all that it says would replace what is said beside it: its
 * `options` our search path, its time limits ours. What pg reads from no URL (`max`, `log`) says nothing here either. Throws
 * where it is none, without showing it.
 */
export function fromDatabaseUrl(databaseUrl: string): pg.ClientConfig {
  const said = parsed(databaseUrl);
  const { user, password, host, port, database, ssl, sslnegotiation, client_encoding, options, ...rest } = said;
  const { application_name, fallback_application_name } = rest;
  const { statement_timeout, lock_timeout, idle_in_transaction_session_timeout, query_timeout } = rest;
  return {
    ...{ user, password, host, port, database, ssl, sslnegotiation, client_encoding, options },
    ...{ application_name, fallback_application_name },
    ...{ statement_timeout, lock_timeout, idle_in_transaction_session_timeout, query_timeout },
  };
}

function parsed(databaseUrl: string): pg.ClientConfig {
  try {
    const said = parse(databaseUrl);
    return toClientConfig({ ...said, ...(typeof said.ssl === 'string' && { ssl: tlsOf(said.ssl) }) });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `DATABASE_URL cannot be read: ${why}. It has the form postgres://user:password@host:5432/database, with what is not a letter or digit of a password as %XX.`,
      { cause: error },
    );
  }
}

/** As pg takes `ssl=…`, which it does not tell in its own words: any text is TLS, and one that does not check who answers. */
const tlsOf = (ssl: string) => (ssl === 'no-verify' ? { rejectUnauthorized: false } : true);

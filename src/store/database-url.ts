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

/** As `pg-connection-string` tells them apart: a URL, or a folder with a socket. Any other text it takes for a host of its own making. */
const readable = /^(postgres(ql)?:\/\/|socket:|\/)/i;

function parsed(databaseUrl: string): pg.ClientConfig {
  if (!readable.test(databaseUrl)) throw unreadable('it does not begin with postgres://');
  try {
    const said = parse(databaseUrl);
    return toClientConfig({ ...said, ...(typeof said.ssl === 'string' && { ssl: tlsOf(said.ssl) }) });
  } catch (error) {
    throw unreadable(error instanceof Error ? error.message : String(error), error);
  }
}

const unreadable = (why: string, cause?: unknown): Error =>
  new Error(
    `DATABASE_URL cannot be read: ${why}. It has the form postgres://user:password@host:5432/database, with what is not a letter or digit of a password as %XX.`,
    { cause },
  );

/** As pg takes `ssl=…`, which it does not tell in its own words: any text is TLS, and one that does not check who answers. */
const tlsOf = (ssl: string) => (ssl === 'no-verify' ? { rejectUnauthorized: false } : true);

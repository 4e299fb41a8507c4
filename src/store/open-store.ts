import { sql } from 'kysely';
import pg from 'pg';
import { messageOf } from '../core/text.ts';
import type { Clock } from '../ports/clock-and-log.ts';
import { Declined } from '../ports/queries.ts';
import type { Store } from '../ports/store.ts';
import { type AuditOptions, type PostgresAudit, postgresAudit } from './audit.ts';
import { postgresAuthors } from './authors.ts';
import type { SigningOptions } from './checkpoints.ts';
import { connect, connectReading, connectWriting, fromDatabaseUrl, type Reach, writesAtOnce } from './connection.ts';
import { type Context, writerQueue } from './context.ts';
import { joinEmbedded } from './embedded/embedded.ts';
import { ownFolder, storeFolder } from './embedded/home.ts';
import { postgresEstates } from './estates.ts';
import { postgresEvents } from './events.ts';
import { postgresFigures } from './figures.ts';
import { postgresFleet } from './fleet.ts';
import { postgresGenerations } from './generations.ts';
import { isUnavailable, postgresHealth } from './health.ts';
import { postgresIdempotentResponses } from './idempotent-responses.ts';
import { postgresRows } from './inventory-rows.ts';
import { postgresInventory } from './knowledge.ts';
import { postgresTouches } from './last-modified.ts';
import { postgresLeases } from './leases.ts';
import { postgresEntryPages, postgresLedger } from './ledger.ts';
import { alone, migrate } from './migrate.ts';
import { postgresOperations } from './operations.ts';
import { postgresProposals } from './proposals.ts';
import { postgresReconciles } from './reconciles.ts';
import { usualHistoryMs } from './retention.ts';
import { appRole, ensureAppRole, ensureReaderRole, readerRole } from './roles.ts';
import { postgresSources } from './sources.ts';
import { storeNow } from './statements.ts';
import { postgresTokens } from './tokens.ts';

export interface Opening extends Tellings {
  /** `.setpoint`, or the folder that has it. Keys and checkpoints lie there, and without `databaseUrl` the database. */
  readonly folder: string;
  /** A PostgreSQL server of the user's own. */
  readonly databaseUrl?: string;
  readonly clock: Clock;
  /** In place of the database's own clock, for tests with a virtual one: by it go the moments of entries. */
  readonly databaseClock?: Clock;
  /** False: undefined where there is no store yet, and nothing is made. */
  readonly create: boolean;
  /** The time that a lease outlives a holder that stopped renewing; the default is 10 s. */
  readonly leaseMs?: number;
  /** For how long what the inventory was is kept; the default is 90 days. */
  readonly historyMs?: number;
  readonly signing?: SigningOptions & Pick<AuditOptions, 'hasSigner'>;
}

interface Tellings {
  readonly onProgress?: (message: string) => void;
  /** Told how to reach the database, before anything is done in it: for what shares it with the store. */
  readonly onServer?: (server: DatabaseServer) => Promise<void>;
}

/** `owner` may make things; `work`: as whom the application works. */
export interface DatabaseServer {
  readonly owner: pg.ClientConfig;
  readonly work: Reach;
  /** The login of readers; absent where the server is the user's own. */
  readonly reader?: ReaderLogin;
}

/** `shared`: others use the server too, and it stays when we leave. */
export interface ReaderLogin {
  readonly user: string;
  readonly password: string;
  readonly port: number;
  readonly shared: boolean;
}

/** Opens the store, making or upgrading its schema. Throws where the database cannot be reached or is newer than we are. */
export async function openStore(opening: Opening & { readonly create: true }): Promise<Store>;
export async function openStore(opening: Opening): Promise<Store | undefined>;
export async function openStore(opening: Opening): Promise<Store | undefined> {
  const folder = storeFolder(opening.folder);
  const server = await serverOf(folder, opening);
  if (!server) return undefined;
  try {
    const reach = await prepare(server, opening);
    const { owner, reader } = server;
    if (reach) await opening.onServer?.({ owner, work: reach, ...(reader && { reader }) });
    if (reach) return await storeOn(reach, { folder, opening, leave: server.leave });
    await server.leave();
    return undefined;
  } catch (error) {
    await server.leave();
    throw error;
  }
}

/** A database server, with a connection that may make things. */
interface Server {
  readonly owner: pg.ClientConfig;
  /** The application's own login; absent: it takes its role on. */
  readonly app?: pg.ClientConfig & { readonly password: string };
  readonly reader?: ReaderLogin;
  leave(): Promise<void>;
}

async function serverOf(
  folder: string,
  { databaseUrl, create, onProgress = () => {} }: Opening,
): Promise<Server | undefined> {
  if (databaseUrl !== undefined) {
    if (create) await ownFolder(folder);
    return { owner: { ...fromDatabaseUrl(databaseUrl), connectionTimeoutMillis: 10_000 }, leave: async () => {} };
  }
  const joined = await joinEmbedded({ folder, create, onProgress });
  if (!joined) return undefined;
  const { host, port, superuser, passwords, shared, leave } = joined;
  // why: PGSSLMODE is said of some other server; this one is on a socket, and has no TLS
  const at = { host, port, database: 'postgres', ssl: false };
  return {
    owner: { ...at, user: superuser, password: passwords.owner },
    app: { ...at, user: appRole, password: passwords.app },
    reader: { user: readerRole, password: passwords.reader, port, shared },
    leave,
  };
}

const noReader = `this database user may not make roles: nobody can be given ${readerRole}, the role that reads the SQL views alone`;

/** Prepares the connection, once schema and role exist; undefined where there is no schema and none may be created. */
async function prepare({ owner, app, reader }: Server, { create, onProgress }: Opening): Promise<Reach | undefined> {
  const client = await clientOf(owner, app ? '' : ' Check DATABASE_URL, and that the server runs.');
  try {
    const ready = await alone(client, async () => {
      if (!(await migrate(client, create))) return undefined;
      const hasRole = await ensureAppRole(client, app?.password);
      return { hasRole, hasReader: await ensureReaderRole(client, reader?.password) };
    });
    if (!ready) return undefined;
    if (!ready.hasReader) onProgress?.(noReader);
    if (ready.hasRole) return app ? { config: app } : { config: owner, role: appRole };
    onProgress?.('this database user may not make roles: the ledger is guarded by its triggers alone');
    return { config: owner };
  } finally {
    await client.end();
  }
}

/** A connection, or an error with the reason. `advice`: the thing to check then. Never shows the password. */
async function clientOf(owner: pg.ClientConfig, advice: string): Promise<pg.Client> {
  const client = new pg.Client(owner);
  // why: the query reports a lost connection to its caller; without a listener it would end the process
  client.on('error', () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    const reason = messageOf(error);
    const message = `no connection to the database ${client.database} at ${client.host}:${client.port}: ${reason}.${advice}`;
    throw isUnavailable(error) ? new Declined('away', message, { cause: error }) : new Error(message, { cause: error });
  }
}

/** The losses that the ledger shows, found before anybody plans with this store. A folder that cannot be read shows none. */
async function lossMessages(audit: PostgresAudit): Promise<readonly string[]> {
  try {
    return (await audit.lost()).map(
      ({ estate, signed }) =>
        `the ledger of ${estate} ends before its checkpoint ${signed}: the database lost commits. Setpoint deletes, replaces and stops nothing there until a person accepts the loss: setpoint ledger accept-loss --reason "…"`,
    );
  } catch (error) {
    return [`cannot check if the database lost commits: ${messageOf(error)}`];
  }
}

interface Kept {
  readonly folder: string;
  readonly opening: Opening;
  leave(): Promise<void>;
}

async function storeOn(reach: Reach, { folder, opening, leave }: Kept): Promise<Store> {
  const { clock, databaseClock, leaseMs = 10_000, historyMs = usualHistoryMs } = opening;
  // why: a stopped process must not keep others from a lease longer than the lease itself does
  const db = connect(reach, leaseMs);
  const writing = connectWriting(reach, leaseMs);
  const reading = connectReading(reach);
  const { id: store } = await db.selectFrom('store').select('id').executeTakeFirstOrThrow();
  const sharesDatabase = opening.databaseUrl !== undefined;
  const audit = postgresAudit({ db, clock, store }, folder, { ...opening.signing, sharesDatabase });
  const leases = postgresLeases(writing, clock, { ttlMs: leaseMs, onRelease: audit.reconcileEnded });
  const context: Context = {
    ...{ db, writing, reading, clock, store },
    queue: writerQueue(writesAtOnce),
    storeNow: databaseClock === undefined ? () => storeNow : () => sql<number>`${databaseClock.now()}::bigint`,
    leaseLeft: leases.left,
    sealed: audit.sealed,
    onWritten: audit.written,
  };
  for (const line of await lossMessages(audit)) opening.onProgress?.(line);
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    try {
      await leases.close();
      for (const failed of await audit.close()) opening.onProgress?.(failed);
      await Promise.all([db.destroy(), writing.destroy(), reading.destroy()]);
    } finally {
      await leave();
    }
  };
  return {
    ledger: postgresLedger(context),
    inventory: postgresInventory(context),
    generations: postgresGenerations(context),
    leases,
    operations: postgresOperations(db),
    fleet: postgresFleet(context),
    sources: postgresSources(context),
    touches: postgresTouches(context),
    rows: postgresRows(context, historyMs),
    events: postgresEvents(context),
    reconciles: postgresReconciles(context),
    figures: postgresFigures(context),
    entryPages: postgresEntryPages(context),
    tokens: postgresTokens(context),
    idempotentResponses: postgresIdempotentResponses(context),
    proposals: postgresProposals(context),
    authors: postgresAuthors(context),
    estates: postgresEstates(context),
    audit,
    health: postgresHealth(db, reading),
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

import { type FileHandle, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { canonical } from '../core/ledger/canonical.ts';
import {
  type AnyCheckpoint,
  checkpointText,
  type EstateCheckpoint,
  type Head,
  isSignedCheckpoint,
  readCheckpoint,
  rootOf,
  type Signature,
  type SignedCheckpoint,
  sealText,
} from '../core/ledger/chain.ts';
import { messageOf } from '../core/text.ts';
import type { Witness } from '../ports/ledger.ts';
import type { LostCheckpoints, Undelivered, UnsignedEstate } from '../ports/store.ts';
import type { Context } from './context.ts';
import { type SigningKey, sha256, signingKey } from './signing.ts';
import { inChunks } from './statements.ts';
import type { Write } from './tables.ts';

/** `keyFile`: a key in place of the folder's own. */
export interface SigningOptions {
  readonly keyFile?: string;
  readonly witnesses?: readonly Witness[];
}

/** The signed checkpoints of a store: in its database, in the folder of this process and with witnesses. */
export interface Checkpoints {
  /** The checkpoints that database and folder know, of an estate. */
  of(estate: string): Promise<readonly AnyCheckpoint[]>;
  /** Signs the heads that moved since the newest checkpoint; undefined where none did. Throws `NotTheSigner`. */
  sign(estate: string): Promise<SignedCheckpoint | undefined>;
  seal(end: Omit<EstateCheckpoint, keyof Signature>): Promise<EstateCheckpoint>;
  /** Makes this process's key the one that signs. With `onlyFirst`: where no key signs yet. Returns the key that signs. */
  claimKey(when?: 'onlyFirst'): Promise<string>;
  /** The fingerprint of this process's key. */
  ownKey(): Promise<string>;
  unsigned(): Promise<readonly UnsignedEstate[]>;
  /** See `Audit.lost`. */
  lost(): Promise<readonly LostCheckpoints[]>;
  /** See `Audit.acceptLoss`. Throws `NotTheSigner`. */
  acceptLoss(estate: string): Promise<SignedCheckpoint>;
  /**
   * Sends to witnesses the checkpoints that they have not taken yet; returns the witnesses that failed. The first time the newest
   * checkpoint of each estate too, which a signer before may have left; `onlyOwn`: those that this process signed.
   */
  deliver(how?: 'onlyOwn'): Promise<readonly Undelivered[]>;
}

/** The ledger is signed by another key than this process has. */
export class NotTheSigner extends Error {
  constructor(signer: string | undefined, own: string) {
    const signs = signer === undefined ? 'no key signs this ledger yet' : `the key ${signer} signs this ledger`;
    super(
      `${signs}, this process has the key ${own}. Point SETPOINT_SIGNING_KEY at the signer's key, or let this one sign from now on: setpoint ledger rekey --reason TEXT`,
    );
    this.name = 'NotTheSigner';
  }
}

type Reading = Pick<Context, 'db' | 'clock' | 'store'>;

export function checkpointsIn(
  { db, clock, store }: Reading,
  folder: string,
  { keyFile, witnesses = [] }: SigningOptions,
): Checkpoints {
  const key = once(() => signingKey(join(folder, 'keys'), keyFile));
  const queue = witnessQueue(witnesses);

  const outside = checkpointFolder({ db, store }, join(folder, 'checkpoints.jsonl'));

  const claimKey = async (when?: 'onlyFirst'): Promise<string> => {
    const { id } = await key();
    const claim = db.updateTable('store').set({ signing_key: id });
    await (when === 'onlyFirst' ? claim.where('signing_key', 'is', null) : claim).execute();
    return (await signerOf(db)) ?? id;
  };

  const signerKey = async (): Promise<SigningKey> => {
    const own = await key();
    const signer = await signerOf(db);
    if (signer !== own.id) throw new NotTheSigner(signer, own.id);
    return own;
  };

  const sign = async (estate: string): Promise<SignedCheckpoint | undefined> => {
    const own = await signerKey();
    const kept = (await outside.newest()).get(estate)?.number ?? 0;
    const made = await db.transaction().execute((trx) => signIn(trx, estate, { own, at: clock.now(), store, kept }));
    await outside.keep(estate, made);
    if (made) queue.offer(made);
    return made;
  };

  const lost = async (): Promise<readonly LostCheckpoints[]> => {
    const held = new Map((await newestOfAll(db)).map(({ estate, number }) => [estate, number]));
    const found = [...(await outside.newest()).values()].filter(
      ({ estate, number }) => number > (held.get(estate) ?? 0),
    );
    await recordLost(db, found, { held, at: clock.now() });
    return db
      .selectFrom('lost_checkpoints')
      .select(['estate', 'held', 'signed', 'signed_at as signedAt'])
      .orderBy('estate')
      .execute();
  };

  const acceptLoss = async (estate: string): Promise<SignedCheckpoint> => {
    const own = await signerKey();
    const given = (await outside.of(estate)).filter(isSignedCheckpoint);
    const made = await db
      .transaction()
      .execute((trx) => signRestored(trx, estate, { own, at: clock.now(), store, outside: given }));
    await outside.keep(estate, made);
    queue.offer(made);
    return made;
  };

  let hasOfferedNewest = false;
  const deliver = async (how?: 'onlyOwn'): Promise<readonly Undelivered[]> => {
    if (witnesses.length === 0) return [];
    if (!hasOfferedNewest && how === undefined) for (const newest of await newestOfAll(db)) queue.offer(newest);
    hasOfferedNewest ||= how === undefined;
    return queue.deliver();
  };

  return {
    of: async (estate) => distinct([...(await outside.of(estate)), ...(await inTable(db, estate))]),
    sign,
    seal: async (end) => {
      const { id, sign } = await key();
      const sealed = { ...end, key: id, signature: sign(sealText(end)) };
      if (end.seq > 0) await outside.add(sealed);
      return sealed;
    },
    claimKey,
    ownKey: async () => (await key()).id,
    unsigned: () => unsignedEstates(db),
    lost,
    acceptLoss,
    deliver,
  };
}

/** The checkpoints in the folder of a process, outside the database. */
function checkpointFolder({ db, store }: Pick<Reading, 'db' | 'store'>, path: string) {
  const file = checkpointFile(path);
  const of = async (estate: string): Promise<readonly AnyCheckpoint[]> =>
    (await file.read()).filter((one) => one.store === store && one.estate === estate);
  const newestInFile = async (estate: string): Promise<number> =>
    (await of(estate)).filter(isSignedCheckpoint).reduce((newest, { number }) => Math.max(newest, number), 0);
  // why: a folder may hold the checkpoints of years; it is read once, and this process knows the checkpoints that it adds
  const newest = once(async () => {
    const byEstate = new Map<string, SignedCheckpoint>();
    for (const one of await file.read())
      if (isSignedCheckpoint(one) && one.store === store && one.number > (byEstate.get(one.estate)?.number ?? 0))
        byEstate.set(one.estate, one);
    return byEstate;
  });
  return {
    of,
    newest,
    add: file.append,
    /** A process that died between the database and its folder left a checkpoint out of the folder: it is added too. */
    keep: async (estate: string, made: SignedCheckpoint | undefined): Promise<void> => {
      const known = await newest();
      const isNext = made !== undefined && made.number === (known.get(estate)?.number ?? 0) + 1;
      const missing = isNext ? [made] : await newerThan(db, estate, await newestInFile(estate));
      for (const checkpoint of missing) {
        await file.append(checkpoint);
        known.set(estate, checkpoint);
      }
    },
  };
}

interface Signing {
  readonly own: SigningKey;
  readonly at: number;
  readonly store: string;
  /** The newest number in the folder of this process. */
  readonly kept: number;
}

const lockCheckpoints = (trx: Write, estate: string) =>
  sql`SELECT pg_advisory_xact_lock(hashtextextended(${`setpoint checkpoint ${estate}`}, 0))`.execute(trx);

async function signIn(
  trx: Write,
  estate: string,
  { own, at, store, kept }: Signing,
): Promise<SignedCheckpoint | undefined> {
  await lockCheckpoints(trx, estate);
  const last = await newestOf(trx, estate);
  if (kept > (last?.number ?? 0))
    throw new Error(
      `the ledger of ${estate} was cut: checkpoint ${kept} was signed here, the newest in the database is ${last?.number ?? 'none'}`,
    );
  const heads = await movedHeads(trx, estate);
  if (heads.length === 0) return undefined;
  return insertSigned(trx, own, { ...after(last), store, estate, at, heads });
}

const after = (last: SignedCheckpoint | undefined): Pick<SignedCheckpoint, 'number' | 'previous'> => ({
  number: (last?.number ?? 0) + 1,
  previous: last === undefined ? '' : rootOf(last, sha256),
});

interface Restoring extends Omit<Signing, 'kept'> {
  /** The checkpoints in the folder of this process. */
  readonly outside: readonly SignedCheckpoint[];
}

/** The database gets the lost checkpoints back, so that no number is missing in any copy. */
async function signRestored(
  trx: Write,
  estate: string,
  { own, at, store, outside }: Restoring,
): Promise<SignedCheckpoint> {
  await lockCheckpoints(trx, estate);
  const held = (await newestOf(trx, estate))?.number ?? 0;
  const lost = outside.filter(({ number }) => number > held).toSorted((a, b) => a.number - b.number);
  const last = lost.at(-1);
  if (last === undefined)
    throw new Error(
      `the folder of this process has no checkpoint of ${estate} after ${held}, the newest in the database: accept the loss where the signer's folder is`,
    );
  await inChunks(lost, (some) =>
    trx
      .insertInto('checkpoints')
      .values(some.map((one) => ({ estate, number: one.number, body: canonical(one) })))
      .execute(),
  );
  const heads = await movedHeads(trx, estate);
  await trx.deleteFrom('lost_checkpoints').where('estate', '=', estate).execute();
  return insertSigned(trx, own, { ...after(last), store, estate, at, heads, restoredTo: held });
}

async function recordLost(
  db: Context['db'],
  found: readonly SignedCheckpoint[],
  { held, at }: { readonly held: ReadonlyMap<string, number>; readonly at: number },
): Promise<void> {
  if (found.length === 0) return;
  const known = new Set((await db.selectFrom('estates').select('name').execute()).map(({ name }) => name));
  const rows = found
    .filter(({ estate }) => known.has(estate))
    .map(({ estate, number, at: signed_at }) => ({
      ...{ estate, held: held.get(estate) ?? 0, signed: number },
      ...{ signed_at, found_at: at },
    }));
  if (rows.length === 0) return;
  await db
    .insertInto('lost_checkpoints')
    .values(rows)
    .onConflict((one) => one.column('estate').doNothing())
    .execute();
}

async function insertSigned(
  trx: Write,
  own: SigningKey,
  checkpoint: Omit<SignedCheckpoint, 'key' | 'signature'>,
): Promise<SignedCheckpoint> {
  const { estate, heads } = checkpoint;
  const signed = { ...checkpoint, key: own.id, signature: own.sign(checkpointText(checkpoint, sha256)) };
  await trx
    .insertInto('checkpoints')
    .values({ estate, number: signed.number, body: canonical(signed) })
    .execute();
  await inChunks(heads, (some) =>
    trx
      .insertInto('signed_heads')
      .values(some.map(({ of: chain, number, hash }) => ({ estate, chain, number, hash })))
      .onConflict((found) =>
        found.columns(['estate', 'chain']).doUpdateSet(({ ref }) => ({
          number: ref('excluded.number'),
          hash: ref('excluded.hash'),
        })),
      )
      .execute(),
  );
  return signed;
}

/** A head that went back, or has another hash for the same number, is not signed: the ledger was cut or rewritten. */
async function movedHeads(trx: Write, estate: string): Promise<readonly Head[]> {
  const rows = await trx
    .selectFrom('chains')
    .leftJoin('signed_heads as signed', (join) =>
      join.onRef('signed.estate', '=', 'chains.estate').onRef('signed.chain', '=', 'chains.chain'),
    )
    .select(['chains.chain', 'chains.number', 'chains.hash', 'signed.number as upTo', 'signed.hash as as'])
    .where('chains.estate', '=', estate)
    .orderBy('chains.chain')
    .execute();
  return rows.flatMap(({ chain, number, hash, upTo, as }) => {
    if (number < (upTo ?? 0) || (number === upTo && hash !== as))
      throw new Error(`the chain ${chain} of ${estate} ends at ${number}, and ${upTo} entries of it were signed`);
    return number === (upTo ?? 0) ? [] : [{ of: chain, number, hash }];
  });
}

async function newestOf(trx: Context['db'], estate: string): Promise<SignedCheckpoint | undefined> {
  const newest = await trx
    .selectFrom('checkpoints')
    .select('body')
    .where('estate', '=', estate)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return newest && signedIn(newest.body);
}

async function inTable(db: Context['db'], estate: string): Promise<readonly SignedCheckpoint[]> {
  const rows = await db
    .selectFrom('checkpoints')
    .select('body')
    .where('estate', '=', estate)
    .orderBy('number')
    .execute();
  return rows.map(({ body }) => signedIn(body));
}

/** At most 10,000 of them, from the oldest. */
async function newerThan(db: Context['db'], estate: string, number: number): Promise<readonly SignedCheckpoint[]> {
  const rows = await db
    .selectFrom('checkpoints')
    .select('body')
    .where('estate', '=', estate)
    .where('number', '>', number)
    .orderBy('number')
    .limit(10_000)
    .execute();
  return rows.map(({ body }) => signedIn(body));
}

async function newestOfAll(db: Context['db']): Promise<readonly SignedCheckpoint[]> {
  const rows = await db
    .selectFrom('checkpoints')
    .distinctOn('estate')
    .select('body')
    .orderBy('estate')
    .orderBy('number', 'desc')
    .execute();
  return rows.map(({ body }) => signedIn(body));
}

/** Chains whose head is not the one that was signed last, by estate. `words`: entries of people among them. */
async function unsignedEstates(db: Context['db']): Promise<readonly UnsignedEstate[]> {
  const { rows } = await sql<UnsignedEstate>`
    SELECT estate, sum(behind)::float8 AS entries,
           coalesce(sum(behind) FILTER (WHERE chain = 'people'), 0)::float8 AS words,
           coalesce((SELECT max(k.number) FROM setpoint.checkpoints k WHERE k.estate = moved.estate), 0)::float8 AS checkpoint
    FROM (
      SELECT c.estate, c.chain, greatest(abs(c.number - coalesce(s.number, 0)), 1) AS behind
      FROM setpoint.chains c LEFT JOIN setpoint.signed_heads s ON s.estate = c.estate AND s.chain = c.chain
      WHERE c.number <> coalesce(s.number, 0) OR (s.hash IS NOT NULL AND c.hash <> s.hash)
    ) moved
    GROUP BY estate ORDER BY estate`.execute(db);
  return rows;
}

const signerOf = async (db: Context['db']): Promise<string | undefined> =>
  (await db.selectFrom('store').select('signing_key').executeTakeFirst())?.signing_key ?? undefined;

/** Throws where somebody put something else into the table. */
function signedIn(body: string): SignedCheckpoint {
  const checkpoint = readCheckpoint(body);
  if (!isSignedCheckpoint(checkpoint)) throw new Error('the database holds a checkpoint that is none');
  return checkpoint;
}

const distinct = (all: readonly AnyCheckpoint[]): readonly AnyCheckpoint[] => [
  ...new Map(all.map((one) => [canonical(one), one])).values(),
];

/** A failure is not kept: the next question tries again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

/** So many wait for a witness; the oldest are left out, since each later one covers them. */
const longestQueue = 1_000;

/** Checkpoints on their way to witnesses, in the order in which they were signed. */
export function witnessQueue(witnesses: readonly Witness[]): {
  offer(checkpoint: SignedCheckpoint): void;
  deliver(): Promise<readonly Undelivered[]>;
} {
  const queues = witnesses.map((witness): Queue => ({ witness, waiting: [] }));
  let running: Promise<readonly Undelivered[]> | undefined;
  const deliver = async (): Promise<readonly Undelivered[]> => {
    const failed = await Promise.all(queues.map(deliverTo));
    return failed.flat();
  };
  return {
    offer: (checkpoint) => {
      for (const { waiting } of queues) {
        waiting.push(checkpoint);
        if (waiting.length > longestQueue) waiting.shift();
      }
    },
    // why: two at once would send one checkpoint twice, and in another order
    deliver: () => {
      running ??= deliver().finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}

interface Queue {
  readonly witness: Witness;
  readonly waiting: SignedCheckpoint[];
}

async function deliverTo({ witness, waiting }: Queue): Promise<readonly Undelivered[]> {
  try {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      await witness.send(next);
      if (waiting[0] === next) waiting.shift();
    }
    return [];
  } catch (error) {
    const reason = messageOf(error);
    return [{ witness: witness.name, waiting: waiting.length, reason }];
  }
}

/** Signed checkpoints, one a line, only ever appended to. */
export interface CheckpointFile {
  append(checkpoint: AnyCheckpoint): Promise<void>;
  /** Oldest first; see `readCheckpoints`. */
  read(): Promise<readonly AnyCheckpoint[]>;
}

export const checkpointFile = (path: string): CheckpointFile => ({
  append: (checkpoint) => appendLine(path, canonical(checkpoint)),
  read: async () => readCheckpoints(await textOf(path), path),
});

/** Appends a line, in place of one that a crash cut short, and waits until the disk has it. */
export async function appendLine(path: string, line: string): Promise<void> {
  const file = await open(path, 'a+', 0o600);
  try {
    await file.truncate(await wholeLines(file));
    await file.appendFile(`${line}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Longer than any line. */
const tailBytes = 16 * 1024 * 1024;

/** The size of a file up to its last line break. */
async function wholeLines(file: FileHandle): Promise<number> {
  const { size } = await file.stat();
  const from = Math.max(0, size - tailBytes);
  const ends = await bytesFrom(file, Math.max(0, size - 1), size);
  if (size === 0 || ends[0] === lineBreak) return size;
  return from + (await bytesFrom(file, from, size)).lastIndexOf(lineBreak) + 1;
}

async function bytesFrom(file: FileHandle, from: number, to: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(to - from), 0, to - from, from);
  return buffer.subarray(0, bytesRead);
}

const lineBreak = 0x0a;

const textOf = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });

/** The text of a checkpoints file. Throws for a damaged line; only the last one may be cut short, by a crash. */
export function readCheckpoints(text: string, path = 'the checkpoints'): readonly AnyCheckpoint[] {
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    if (line === '') return [];
    try {
      return [readCheckpoint(line)];
    } catch (error) {
      if (index === lines.length - 1 && !line.endsWith('}')) return [];
      throw new Error(`line ${index + 1} of ${path} is damaged: it holds no signed checkpoint`, { cause: error });
    }
  });
}

import { join } from 'node:path';
import { canonical } from '../core/ledger/canonical.ts';
import { genesis, type Head, peopleChain } from '../core/ledger/chain.ts';
import {
  checkpointText,
  type EstateCheckpoint,
  isEstateCheckpoint,
  type SignedCheckpoint,
  sealText,
} from '../core/ledger/checkpoint.ts';
import { type LedgerItem, type Recorded, type Verdict, verification } from '../core/ledger/verification.ts';
import type { Audit } from '../ports/store.ts';
import { readSeal } from './chain-write.ts';
import { type CheckpointFile, checkpointFile } from './checkpoint-file.ts';
import type { Context } from './context.ts';
import { exportLine } from './export-line.ts';
import { entryOf, type LedgerRow, ledgerRows } from './postgres-ledger.ts';
import { sha256 } from './sha256.ts';
import { fingerprintOf, publicKey, signedBy, signingKey } from './signing-key.ts';

/** Entries and time between two checkpoints, at most, as long as a process writes. */
const checkpointEvery = { entries: 1000, ms: 60_000 };

/** An audit that signs by itself. */
export interface PostgresAudit extends Audit, Pick<Context, 'sealed'> {
  /** Told the new head of a chain. Signs each word of people at once. */
  written(estate: string, head: Head): Promise<void>;
  /** A pass of the estate has ended: signs what this process wrote. */
  passEnded(estate: string): Promise<void>;
  /** Signs every chain that was written to since. */
  close(): Promise<void>;
}

type Reading = Pick<Context, 'db' | 'clock' | 'store'>;

/** `folder`: ours, where keys and checkpoints lie, outside the database. */
export function postgresAudit(context: Reading, folder: string): PostgresAudit {
  const file = checkpointFile(join(folder, 'checkpoints.jsonl'));
  const keys = join(folder, 'keys');
  const keeping = { context, file, keys };
  const unsigned = unsignedHeads();
  const sign = async (estate: string): Promise<void> => {
    const heads = unsigned.take(estate);
    try {
      await signHeads(keeping, estate, heads);
    } catch (error) {
      unsigned.putBack(estate, heads);
      throw error;
    }
  };
  // why: what is committed is committed; heads that cannot be signed now are signed with the next ones, and `verify` tells of them
  const tryToSign = (estate: string): Promise<void> => sign(estate).catch(() => {});
  return {
    head: async (estate) => newestSeq(context, estate),
    verify: (estate) => verify(keeping, estate),
    export: (estate) => exported(context, estate),
    checkpoint: (estate) => signAll(keeping, estate),
    checkpoints: async () => (await file.read()).flatMap((one) => (isEstateCheckpoint(one) ? [] : [one])),
    sealed: (end) => seal(keeping, end),
    written: async (estate, head) => {
      const isDue = unsigned.add(estate, head, performance.now());
      if (isDue || head.of === peopleChain) await tryToSign(estate);
    },
    passEnded: tryToSign,
    close: async () => {
      for (const estate of unsigned.estates()) await tryToSign(estate);
    },
  };
}

/** Heads that this process committed and nobody signed yet. */
function unsignedHeads() {
  const byEstate = new Map<string, { readonly heads: Map<string, Head>; readonly since: number; entries: number }>();
  const add = (estate: string, head: Head, now: number): boolean => {
    const known = byEstate.get(estate) ?? { heads: new Map<string, Head>(), since: now, entries: 0 };
    byEstate.set(estate, known);
    known.entries += head.number - (known.heads.get(head.of)?.number ?? head.number - 1);
    const { number = 0 } = known.heads.get(head.of) ?? {};
    if (head.number > number) known.heads.set(head.of, head);
    return known.entries >= checkpointEvery.entries || now - known.since >= checkpointEvery.ms;
  };
  return {
    add,
    take: (estate: string): readonly Head[] => {
      const heads = [...(byEstate.get(estate)?.heads.values() ?? [])];
      byEstate.delete(estate);
      return heads;
    },
    putBack: (estate: string, heads: readonly Head[]): void => {
      for (const head of heads) add(estate, head, performance.now());
    },
    estates: () => [...byEstate.keys()],
  };
}

interface Keeping {
  readonly context: Reading;
  readonly file: CheckpointFile;
  readonly keys: string;
}

async function signHeads(
  { context, file, keys }: Keeping,
  estate: string,
  heads: readonly Head[],
): Promise<SignedCheckpoint | undefined> {
  if (heads.length === 0) return undefined;
  const { store, clock } = context;
  const { id, sign } = await signingKey(keys);
  const sorted = heads.toSorted((a, b) => (a.of < b.of ? -1 : 1));
  const checkpoint = { store, estate, at: clock.now(), heads: sorted };
  const signed = { ...checkpoint, key: id, signature: sign(checkpointText(checkpoint)) };
  await file.append(signed);
  return signed;
}

async function seal({ file, keys }: Keeping, end: Parameters<Context['sealed']>[0]): Promise<EstateCheckpoint> {
  const { id, sign } = await signingKey(keys);
  const signed = { ...end, key: id, signature: sign(sealText(end)) };
  if (end.seq > 0) await file.append(signed);
  return signed;
}

/** All heads that have moved since they were signed here last. */
async function signAll(keeping: Keeping, estate: string): Promise<SignedCheckpoint | undefined> {
  const { context, file } = keeping;
  const known = await recordedOf(context, estate);
  const signed = new Set(
    (await file.read()).flatMap((one) =>
      isEstateCheckpoint(one) || one.store !== context.store || one.estate !== estate ? [] : one.heads.map(canonical),
    ),
  );
  const moved = (known?.heads ?? []).filter((head) => head.number > 0 && !signed.has(canonical(head)));
  return signHeads(keeping, estate, moved);
}

/** In this order, so that what is written meanwhile is no contradiction: checkpoints, the recorded ends, the entries up to them. */
async function verify({ context, file, keys }: Keeping, estate: string): Promise<Verdict> {
  const checkpoints = await file.read();
  const pem = await publicKey(keys);
  const proof = { hash: sha256, key: fingerprintOf(pem), isSigned: signedBy(pem) };
  const check = verification({ store: context.store, estate, checkpoints }, proof);
  const recorded = await recordedOf(context, estate);
  const ends = new Map(recorded?.heads.map(({ of, number }) => [of, number]));
  for await (const { item, row } of itemsOf(context, estate, recorded)) {
    if (row && isNewer(row, ends)) continue;
    if (!check.follow(item)) break;
    if (row && 'body' in item && row.address !== (item.body['address'] ?? null))
      return { ok: false, seq: row.seq, reason: 'it is listed under another address than its content names' };
  }
  return check.end(recorded ?? { first: genesis(context.store, estate, sha256), heads: [] });
}

/** It was written after the ends were read. */
const isNewer = ({ chain, number }: LedgerRow, ends: ReadonlyMap<string, number>): boolean =>
  chain !== null && (number ?? 0) > (ends.get(chain) ?? 0);

interface Ends extends Recorded {
  readonly seal: EstateCheckpoint | undefined;
}

/** The ends as the database has them, in one statement; undefined where it does not know the estate. */
async function recordedOf({ db }: Reading, estate: string): Promise<Ends | undefined> {
  const rows = await db
    .selectFrom('estates')
    .leftJoin('chains', 'chains.estate', 'estates.name')
    .select(['estates.seq', 'estates.hash as last', 'estates.seal', 'chains.chain', 'chains.number', 'chains.hash'])
    .where('estates.name', '=', estate)
    .execute();
  const [first] = rows;
  if (!first) return undefined;
  const heads = rows.flatMap(({ chain, number, hash }) =>
    chain === null || number === null || hash === null ? [] : [{ of: chain, number, hash }],
  );
  const { seq, last: hash, seal } = first;
  return { first: { seq, hash }, heads, seal: seal === null ? undefined : readSeal(seal) };
}

async function newestSeq({ db }: Reading, estate: string): Promise<number> {
  const newest = db.selectFrom('ledger').select('seq').where('estate', '=', estate).orderBy('seq', 'desc').limit(1);
  return (await newest.executeTakeFirst())?.seq ?? 0;
}

/** All entries of an estate in the order of their numbers, and its seal behind those of the first version. */
async function* itemsOf(
  { db }: Reading,
  estate: string,
  ends: Ends | undefined,
): AsyncGenerator<{ readonly item: LedgerItem; readonly row?: LedgerRow }> {
  let seal = ends?.seal;
  for await (const row of ledgerRows(db, { estate })) {
    if (seal && row.chain !== null) {
      yield { item: { seal } };
      seal = undefined;
    }
    yield { item: entryOf(row), row };
  }
  if (seal) yield { item: { seal } };
}

async function* exported(context: Reading, estate: string): AsyncGenerator<string> {
  const ends = await recordedOf(context, estate);
  for await (const { item } of itemsOf(context, estate, ends)) yield exportLine(context.store, estate, item);
}

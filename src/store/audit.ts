import { join } from 'node:path';
import { canonical } from '../core/ledger/canonical.ts';
import { type EstateCheckpoint, genesis, type Head, peopleChain, type SignedCheckpoint } from '../core/ledger/chain.ts';
import { type LedgerItem, type Recorded, type Verdict, verification } from '../core/ledger/verification.ts';
import { messageOf } from '../core/text.ts';
import { type Audit, defaultUnsignedLimitMs, type VerifyOptions } from '../ports/store.ts';
import { type Checkpoints, checkpointsIn, NotTheSigner, type SigningOptions } from './checkpoints.ts';
import type { Context } from './context.ts';
import { entryOf, type LedgerRow, ledgerRows } from './ledger.ts';
import { readSeal } from './ledger-chain.ts';
import { signatureReach } from './signature-reach.ts';
import { sha256, trustedKeys } from './signing.ts';

/** A process without a signer of its own signs after so many entries, or so long. */
const checkpointEvery = { entries: 1000, ms: 60_000 };

/** An audit that signs by itself. */
export interface PostgresAudit extends Audit, Pick<Context, 'sealed'> {
  /** A chain has this head now. Where no signer runs, words of people are signed at once. */
  written(estate: string, head: Head): Promise<void>;
  /** A reconcile of the estate has ended: where no signer runs, its entries are signed. */
  reconcileEnded(estate: string): Promise<void>;
  /** Signs every estate that this process wrote to since, and sends what witnesses have not taken. Returns what went wrong. */
  close(): Promise<readonly string[]>;
}

type Reading = Pick<Context, 'db' | 'clock' | 'store'>;

/** `hasSigner`: a background task of this process signs, see `Audit.unsigned`. `sharesDatabase`: other processes may have other keys. */
export interface AuditOptions extends SigningOptions {
  readonly hasSigner?: boolean;
  readonly sharesDatabase?: boolean;
}

/** `folder`: ours, where keys and checkpoints lie, outside the database. */
export function postgresAudit(context: Reading, folder: string, options: AuditOptions): PostgresAudit {
  const checkpoints = checkpointsIn(context, folder, options);
  const keeping = { context, checkpoints, keys: join(folder, 'keys') };
  const unsigned = writtenEstates();

  /**
   * Makes the key of this process the one that signs where none does yet. On a shared database the signer does that, and a process
   * that worked there; a command that only records words leaves the choice to them.
   */
  const signFirst = async (estate: string, hasWorked: boolean): Promise<SignedCheckpoint | undefined> => {
    if (hasWorked || !options.sharesDatabase) await checkpoints.claimKey('onlyFirst');
    return checkpoints.sign(estate);
  };
  const sign = async (estate: string): Promise<void> => {
    const written = unsigned.take(estate);
    try {
      await signFirst(estate, written.entries.scopes > 0);
    } catch (error) {
      if (error instanceof NotTheSigner) return;
      unsigned.putBack(estate, written);
      throw error;
    }
  };
  // why: committed entries stay committed; `close` or a signer signs them later, and until then `verify` counts them as unsigned
  const tryToSign = async (estate: string): Promise<void> => {
    if (!options.hasSigner) await sign(estate).catch(() => {});
  };
  return {
    head: async (estate) => newestSeq(context, estate),
    verify: (estate, how = {}) => verify(keeping, estate, how),
    export: (estate) => exported(context, estate),
    checkpoint: (estate) => signFirst(estate, false),
    checkpoints: checkpoints.of,
    reach: (estate) => signatureReach(context, estate),
    unsigned: checkpoints.unsigned,
    lost: checkpoints.lost,
    acceptLoss: checkpoints.acceptLoss,
    claimKey: checkpoints.claimKey,
    ownKey: checkpoints.ownKey,
    deliver: () => checkpoints.deliver(),
    sealed: checkpoints.seal,
    written: async (estate, head) => {
      const isDue = unsigned.add(estate, head, performance.now());
      if (isDue || head.of === peopleChain) await tryToSign(estate);
    },
    reconcileEnded: tryToSign,
    close: async () => {
      const failed: string[] = [];
      const wrong = (error: unknown): void => {
        failed.push(messageOf(error));
      };
      for (const estate of unsigned.estates()) await sign(estate).catch(wrong);
      for (const { witness, reason } of await checkpoints.deliver('onlyOwn'))
        wrong(`the witness ${witness} took no checkpoint: ${reason}`);
      return failed;
    },
  };
}

interface Written {
  readonly since: number;
  readonly entries: { readonly people: number; readonly scopes: number };
}

/** The estates to which this process wrote entries since it last signed them. */
function writtenEstates() {
  const byEstate = new Map<string, Written>();
  const none = { since: 0, entries: { people: 0, scopes: 0 } };
  return {
    add: (estate: string, { of }: Head, now: number): boolean => {
      const { since, entries } = byEstate.get(estate) ?? { ...none, since: now };
      const [people, scopes] = of === peopleChain ? [1, 0] : [0, 1];
      const counted = { people: entries.people + people, scopes: entries.scopes + scopes };
      byEstate.set(estate, { since, entries: counted });
      return counted.people + counted.scopes >= checkpointEvery.entries || now - since >= checkpointEvery.ms;
    },
    take: (estate: string): Written => {
      const written = byEstate.get(estate) ?? none;
      byEstate.delete(estate);
      return written;
    },
    putBack: (estate: string, written: Written): void => {
      const { entries } = byEstate.get(estate) ?? none;
      const { people, scopes } = written.entries;
      byEstate.set(estate, {
        since: written.since,
        entries: { people: people + entries.people, scopes: scopes + entries.scopes },
      });
    },
    estates: () => [...byEstate.keys()],
  };
}

interface Keeping {
  readonly context: Reading;
  readonly checkpoints: Checkpoints;
  readonly keys: string;
}

/** In this order, so that entries written meanwhile are no contradiction: checkpoints, the recorded ends, the entries up to them. */
async function verify({ context, checkpoints, keys }: Keeping, estate: string, how: VerifyOptions): Promise<Verdict> {
  const { witness, unsignedLimitMs = defaultUnsignedLimitMs } = how;
  const known = await checkpoints.of(estate);
  const proof = { hash: sha256, ...(await trustedKeys(keys)) };
  const unsignedLimit = { now: context.clock.now(), limitMs: unsignedLimitMs };
  const claimed = { store: context.store, estate, checkpoints: known, unsignedLimit, ...(witness && { witness }) };
  const check = verification(claimed, proof);
  const recorded = await recordedOf(context, estate);
  const ends = new Map(recorded?.heads.map(({ of, number }) => [of, number]));
  for await (const { item, row } of itemsOf(context, estate, recorded)) {
    if (row && isNewer(row, ends)) continue;
    if (!check.follow(item)) break;
    if (row && 'body' in item && row.address !== (item.body['address'] ?? null)) {
      const reason = 'it is listed under another address than its content names';
      return { ok: false, problem: 'tampered', seq: row.seq, reason };
    }
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

/** An entry or the seal as it stands in an export: with store and estate, on one line. */
export const exportLine = (store: string, estate: string, item: LedgerItem): string =>
  canonical({ store, estate, ...item });

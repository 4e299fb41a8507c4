import { join } from 'node:path';
import type { Head } from '../core/ledger/chain.ts';
import { checkpointText, type SignedCheckpoint } from '../core/ledger/checkpoint.ts';
import { type Verdict, verification } from '../core/ledger/verification.ts';
import type { Audit } from '../ports/store.ts';
import { type CheckpointFile, checkpointFile } from './checkpoint-file.ts';
import type { Context } from './context.ts';
import { exportLine } from './export-line.ts';
import { entryOf, ledgerRows } from './postgres-ledger.ts';
import { sha256 } from './sha256.ts';
import { publicKey, signedBy, signingKey } from './signing-key.ts';

/** Entries between two checkpoints, at most. */
const checkpointEvery = 1000;

/** An audit that signs by itself. */
export interface PostgresAudit extends Audit {
  /** Told where a chain now stands. */
  written(estate: string, head: Head): Promise<void>;
  /** Signs every chain that was written to since. */
  close(): Promise<void>;
}

type Reading = Omit<Context, 'onWritten'>;

/** `folder`: ours, where keys and checkpoints lie, outside the database. */
export function postgresAudit(context: Reading, folder: string): PostgresAudit {
  const file = checkpointFile(join(folder, 'checkpoints.jsonl'));
  const keys = join(folder, 'keys');
  /** By estate: the last number signed, and whether more was written since. */
  const unsigned = new Map<string, number>();
  const checkpoint = async (estate: string): Promise<SignedCheckpoint | undefined> => {
    unsigned.delete(estate);
    return signHead({ context, file, keys }, estate);
  };
  return {
    head: async (estate) => (await headOf(context, estate))?.seq ?? 0,
    verify: (estate) => verify({ context, file, keys }, estate),
    export: (estate) => exported(context, estate),
    checkpoint,
    checkpoints: file.read,
    written: async (estate, { seq }) => {
      const since = unsigned.get(estate) ?? seq;
      unsigned.set(estate, since);
      if (seq - since >= checkpointEvery) await checkpoint(estate);
    },
    close: async () => {
      // why: a database that went away is no reason to fail on the way out; the next checkpoint covers these entries too.
      for (const estate of [...unsigned.keys()]) await checkpoint(estate).catch(() => {});
    },
  };
}

interface Keeping {
  readonly context: Reading;
  readonly file: CheckpointFile;
  readonly keys: string;
}

async function signHead({ context, file, keys }: Keeping, estate: string): Promise<SignedCheckpoint | undefined> {
  const { store, clock } = context;
  const head = await headOf(context, estate);
  if (!head || head.seq === 0) return undefined;
  const isSigned = (one: SignedCheckpoint): boolean =>
    one.store === store && one.estate === estate && one.seq === head.seq && one.hash === head.hash;
  if ((await file.read()).some(isSigned)) return undefined;
  const { id, sign } = await signingKey(keys);
  const checkpoint = { store, estate, ...head, at: clock.now() };
  const signed = { ...checkpoint, key: id, signature: sign(checkpointText(checkpoint)) };
  await file.append(signed);
  return signed;
}

/** In this order, so that what is written meanwhile is no contradiction: checkpoints, the recorded end, the entries up to it. */
async function verify({ context, file, keys }: Keeping, estate: string): Promise<Verdict> {
  const checkpoints = await file.read();
  const isSigned = signedBy(await publicKey(keys));
  const check = verification({ store: context.store, estate, checkpoints }, { hash: sha256, isSigned });
  const head = await headOf(context, estate);
  for await (const row of ledgerRows(context.db, { estate })) {
    const entry = entryOf(row);
    if ((head && entry.seq > head.seq) || !check.follow(entry)) break;
    if (row.address !== (entry.body['address'] ?? null))
      return { ok: false, seq: row.seq, reason: 'it is listed under another address than its content names' };
  }
  return check.end(head);
}

const headOf = ({ db }: Reading, estate: string): Promise<Head | undefined> =>
  db.selectFrom('estates').select(['seq', 'hash']).where('name', '=', estate).executeTakeFirst();

async function* exported(context: Reading, estate: string): AsyncGenerator<string> {
  for await (const row of ledgerRows(context.db, { estate })) yield exportLine(context.store, estate, entryOf(row));
}

import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canonical } from '../../src/core/ledger/canonical.ts';
import {
  type AnyCheckpoint,
  chainGenesis,
  checkpointText,
  type EstateCheckpoint,
  type Head,
  headOf,
  isSignedCheckpoint,
  link,
  rootOf,
  type SignedCheckpoint,
} from '../../src/core/ledger/chain.ts';
import type { Linked } from '../../src/core/ledger/entry.ts';
import { readCheckpoints } from '../../src/store/checkpoints.ts';
import { sha256 } from '../../src/store/signing.ts';
import type { History, Reach, Told } from './histories.ts';
import type { Ledgers } from './ledgers.ts';

/** Somebody who writes another history of one estate, and makes everything within reach fit to it. */
export interface Attacker {
  /** The moment, ms since the epoch, of the oldest entry that was changed, added or removed. */
  forge(history: History): Promise<number>;
  /** Puts back the files, which other estates need too. */
  leave(): Promise<void>;
}

export async function attackerIn({ folder, admin }: Ledgers, estate: string, reach: Reach): Promise<Attacker> {
  const file = join(folder, 'checkpoints.jsonl');
  const publicFile = join(folder, 'keys/checkpoint.pub');
  const kept = { checkpoints: await readFile(file, 'utf8'), key: await readFile(publicFile, 'utf8') };
  const others = readCheckpoints(kept.checkpoints).filter((one) => one.estate !== estate);
  const mine = readCheckpoints(kept.checkpoints).filter((one) => one.estate === estate);

  let known: ReadonlySet<string> = new Set();

  const rows = async (): Promise<readonly Told[]> => {
    const { rows } = await admin.query('SELECT * FROM setpoint.ledger WHERE estate = $1 ORDER BY seq', [estate]);
    return rows.map((row, number) => ({
      ...{ chain: row.chain, number, seq: Number(row.seq) },
      ...{ at: Number(row.at), type: row.type, body: JSON.parse(row.body) },
    }));
  };

  const forge = async ({ forge: forged, isResealed }: History): Promise<number> => {
    const [before, seal] = [await rows(), await sealOf(isResealed)];
    known = new Set(linked(before, seal).map(({ chain }) => chain.hash));
    const after = forged(before);
    const entries = linked(after, seal);
    await write(admin, estate, entries);
    if (seal.seq > 0) throw new Error('a ledger of this bench has no first version');
    const honest = mine.filter(isSignedCheckpoint);
    const made = checkpointsFor(entries, honest);
    if (reach === 'folder' && made.some((one) => !honest.includes(one)))
      await writeFile(publicFile, createPublicKey(own).export({ type: 'spki', format: 'pem' }));
    await admin.query('DELETE FROM setpoint.checkpoints WHERE estate = $1', [estate]);
    for (const checkpoint of made)
      await admin.query('INSERT INTO setpoint.checkpoints (estate, number, body) VALUES ($1, $2, $3)', [
        ...[estate, checkpoint.number, canonical(checkpoint)],
      ]);
    if (reach !== 'database') await writeFile(file, lines([...others, ...made]));
    return oldestChange(before, after, isResealed);
  };

  const sealOf = async (isResealed: true | undefined): Promise<EstateCheckpoint> => {
    const { rows } = await admin.query('SELECT seal FROM setpoint.estates WHERE name = $1', [estate]);
    const seal: EstateCheckpoint = JSON.parse(rows[0].seal);
    if (isResealed !== true) return seal;
    const anew = { ...seal, at: seal.at + 1, key: 'unknown' };
    await admin.query('UPDATE setpoint.estates SET seal = $1 WHERE name = $2', [canonical(anew), estate]);
    return anew;
  };

  /** With the folder: checkpoints of the false history, by a key that the attacker puts there. With the key: by the real one. */
  const checkpointsFor = (
    entries: readonly Linked[],
    honest: readonly SignedCheckpoint[],
  ): readonly SignedCheckpoint[] => {
    const fitting = honest.filter(({ heads }) => heads.every((head) => stands(head, entries)));
    const isCutOnly = entries.every(({ chain }) => known.has(chain.hash));
    // why: signatures that still fit need no key of one's own, which would be noticed
    if (reach === 'database' || (reach === 'folder' && isCutOnly)) return fitting;
    return resigned(entries, honest, reach === 'key' ? real : own);
  };

  const real = createPrivateKey(await readFile(join(folder, 'keys/checkpoint.key'), 'utf8'));
  const own = generateKeyPairSync('ed25519').privateKey;

  return {
    forge,
    leave: async () => {
      await writeFile(file, kept.checkpoints);
      await writeFile(publicFile, kept.key);
    },
  };
}

/** In place of all that the database knew, the heads of chains too. */
async function write(admin: Ledgers['admin'], estate: string, entries: readonly Linked[]): Promise<void> {
  await admin.query('DELETE FROM setpoint.ledger WHERE estate = $1', [estate]);
  const heads = new Map<string, Linked>();
  for (const entry of entries) {
    const { of = '', number, previous, hash } = entry.chain;
    heads.set(of, entry);
    await admin.query(
      'INSERT INTO setpoint.ledger (estate, seq, at, type, address, body, previous, hash, chain, number) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
      [
        estate,
        entry.seq,
        entry.at,
        entry.type,
        entry.body['address'] ?? null,
        canonical(entry.body),
        previous,
        hash,
        of,
        number,
      ],
    );
  }
  for (const table of ['signed_heads', 'chains'])
    await admin.query(`DELETE FROM setpoint.${table} WHERE estate = $1`, [estate]);
  for (const [of, entry] of heads)
    await admin.query('INSERT INTO setpoint.chains (estate, chain, number, hash, at) VALUES ($1, $2, $3, $4, $5)', [
      ...[estate, of, entry.chain.number, entry.chain.hash, entry.at],
    ]);
}

const lines = (all: readonly AnyCheckpoint[]): string => all.map((one) => `${canonical(one)}\n`).join('');

const stands = ({ of, number, hash }: Head, entries: readonly Linked[]): boolean =>
  entries.some(({ chain }) => chain.of === of && chain.number === number && chain.hash === hash);

/** Every hash fits again. Numbers may be left out, so the entries that stay keep theirs, where no forged one is among them. */
function linked(entries: readonly Told[], seal: EstateCheckpoint): readonly Linked[] {
  const heads = new Map<string, Head>();
  const isFree = new Set(entries.map(({ seq }) => seq)).size === entries.length;
  return entries.map(({ chain, at, type, body, seq }, index) => {
    const head = heads.get(chain) ?? chainGenesis(seal, chain, sha256);
    const entry = link(head, isFree ? seq : index + 1, { at, type, body }, sha256);
    heads.set(chain, headOf(entry));
    return entry;
  });
}

/** Checkpoints at the moments of the honest ones, over the entries that shall have stood then. */
function resigned(
  entries: readonly Linked[],
  honest: readonly SignedCheckpoint[],
  key: KeyObject,
): readonly SignedCheckpoint[] {
  const made: SignedCheckpoint[] = [];
  const seen = new Map<string, string>();
  for (const { store, estate, at, key: id } of honest) {
    const newest = new Map(entries.filter((one) => one.at <= at).map((one) => [one.chain.of ?? '', headOf(one)]));
    const heads = [...newest.values()]
      .filter(({ of, hash }) => seen.get(of) !== hash)
      .sort((a, b) => (a.of < b.of ? -1 : 1));
    if (heads.length === 0) continue;
    for (const { of, hash } of heads) seen.set(of, hash);
    const last = made.at(-1);
    const previous = last === undefined ? '' : rootOf(last, sha256);
    const checkpoint = { store, estate, number: made.length + 1, at, previous, heads };
    const signature = sign(null, Buffer.from(checkpointText(checkpoint, sha256)), key).toString('base64');
    made.push({ ...checkpoint, key: id, signature });
  }
  return made;
}

function oldestChange(before: readonly Told[], after: readonly Told[], isResealed: true | undefined): number {
  if (isResealed) return before[0]?.at ?? 0;
  const text = ({ chain, at, type, body }: Told): string => canonical({ chain, at, type, body });
  const [was, is] = [new Set(before.map(text)), new Set(after.map(text))];
  const gone = before.filter((one) => !is.has(text(one)));
  const come = after.filter((one) => !was.has(text(one)));
  return [...gone, ...come].reduce((oldest, { at }) => Math.min(oldest, at), Number.POSITIVE_INFINITY);
}

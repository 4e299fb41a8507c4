import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { canonical } from '../src/core/ledger/canonical.ts';
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
} from '../src/core/ledger/chain.ts';
import type { Content, Linked } from '../src/core/ledger/entry.ts';
import type { Verdict } from '../src/core/ledger/verification.ts';
import type { Clock } from '../src/ports/clock-and-log.ts';
import { readCheckpoints } from '../src/store/checkpoints.ts';
import { dataOf, superuser } from '../src/store/embedded/cluster.ts';
import { openStore } from '../src/store/open-store.ts';
import { sha256 } from '../src/store/signing.ts';
import { witnessAt } from '../src/witness/witnesses.ts';
import type { Figure } from './figure.ts';
import { inScratch } from './processes/scratch.ts';

/** `only`: names of histories; all by default. `isBlind`: nobody reads the verdict, for tests to see that the figure can fail. */
interface TamperOptions {
  readonly only?: readonly string[];
  readonly isBlind?: boolean;
}

/**
 * Twenty false histories, each by an attacker with the database, with the folder too, and with the key too. A tampering counts as missed
 * where `verify` neither finds it nor says that no signature, or no witness, reaches the entries it changed. With the database alone
 * that must hold without a witness.
 */
export const tamper = ({ only, isBlind = false }: TamperOptions = {}): Promise<readonly Figure[]> =>
  inScratch(async (folder) => {
    const ledgers = await openLedgers(join(folder, 'store'), join(folder, 'witness.jsonl'));
    const chosen = histories.filter(({ name }) => only === undefined || only.includes(name));
    const tampered = reaches.flatMap((reach) => chosen.map((history) => ({ reach, history })));
    const missed: string[] = [];
    try {
      for (const [index, { reach, history }] of tampered.entries()) {
        const isSeen = await isNoticed(ledgers, { estate: `estate-${index}`, reach, history, isBlind });
        if (!isSeen) missed.push(`${history.name}, with the ${reach}`);
      }
    } finally {
      await ledgers.close();
    }
    for (const one of missed) console.error(`tamper: neither found nor said: ${one}`);
    return [{ name: 'tamper', value: missed.length, unit: `of ${tampered.length} tamperings neither found nor said` }];
  });

interface Tampering {
  readonly estate: string;
  readonly reach: Reach;
  readonly history: History;
  readonly isBlind: boolean;
}

async function isNoticed(ledgers: Ledgers, { estate, reach, history, isBlind }: Tampering): Promise<boolean> {
  await ledgers.write(estate);
  const before = await ledgers.verify(estate, 'witness');
  if (!before.ok) throw new Error(`${estate} was broken before anybody touched it: ${before.reason}`);
  const attacker = await attackerIn(ledgers, estate, reach);
  try {
    const changedFrom = await attacker.forge(history);
    if (isBlind) return false;
    const ways = reach === 'database' ? (['alone', 'witness'] as const) : (['witness'] as const);
    for (const way of ways) {
      const verdict = await ledgers.verify(estate, way);
      const reached = verdict.ok
        ? Math.min(verdict.signedAt ?? 0, verdict.witnessed?.at ?? Number.POSITIVE_INFINITY)
        : 0;
      // why: each entry is a second younger than the one before, and a checkpoint as old as the newest that it covers
      if (verdict.ok && changedFrom <= reached) return false;
    }
    return true;
  } finally {
    await attacker.leave();
  }
}

/** Somebody who writes another history of one estate, and makes everything within reach fit to it. */
interface Attacker {
  /** The moment, ms since the epoch, of the oldest entry that was changed, added or removed. */
  forge(history: History): Promise<number>;
  /** Puts back the files, which other estates need too. */
  leave(): Promise<void>;
}

async function attackerIn({ folder, admin }: Ledgers, estate: string, reach: Reach): Promise<Attacker> {
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

/** Access of an attacker: each includes those before it. */
const reaches = ['database', 'folder', 'key'] as const;
type Reach = (typeof reaches)[number];

/** One entry as an attacker sees it. `number`: its place among all 21, from 0; of a forged one the place of the one before it. */
interface Told extends Content {
  readonly chain: string;
  readonly number: number;
  readonly seq: number;
}

interface History {
  readonly name: string;
  /** The entries as they shall have been. */
  readonly forge: (entries: readonly Told[]) => readonly Told[];
  /** The seal of the estate is made anew too. */
  readonly isResealed?: true;
}

export const scopes = ['aws/111122223333/eu-west-1', 'gcp/acme/europe-west1'] as const;
const [here, there] = scopes;
const signed = 18;

const at = (number: number, change: (entry: Told) => readonly Told[]) => (entries: readonly Told[]) =>
  entries.flatMap((entry) => (entry.number === number ? change(entry) : [entry]));
const only = (keep: (entry: Told) => boolean) => (entries: readonly Told[]) => entries.filter(keep);
const inBody = (entry: Told, more: object): readonly Told[] => [{ ...entry, body: { ...entry.body, ...more } }];

/** Twenty ways to tell another past; entries 0 to 17 are signed, 18 to 20 are not. */
export const histories: readonly History[] = [
  { name: 'a signed entry says something else', forge: at(3, (one) => inBody(one, { verb: 'delete' })) },
  { name: 'somebody else approved', forge: at(9, (one) => inBody(one, { authority: { approver: 'eve' } })) },
  { name: 'an entry was written earlier', forge: at(12, (one) => [{ ...one, at: one.at - 500 }]) },
  { name: 'a word of a person says something else', forge: at(2, (one) => inBody(one, { pause: { person: 'eve' } })) },
  { name: 'an entry in the middle of a chain is gone', forge: at(6, () => []) },
  { name: 'a chain is gone', forge: only(({ chain }) => chain !== there) },
  { name: 'the words of people are gone', forge: only(({ chain }) => chain !== 'people') },
  { name: 'the newest signed entry and all after it are gone', forge: only(({ number }) => number < signed - 1) },
  { name: 'all since the second checkpoint is gone, as from an old backup', forge: only(({ number }) => number < 12) },
  { name: 'all since the first checkpoint is gone', forge: only(({ number }) => number < 6) },
  { name: 'nothing is left', forge: () => [] },
  {
    name: 'two entries changed places',
    forge: (entries) => {
      const [first, fourth] = [entries[0], entries[3]];
      if (!first || !fourth) return entries;
      const swapped = new Map([
        [first, { ...first, body: fourth.body }],
        [fourth, { ...fourth, body: first.body }],
      ]);
      return entries.map((entry) => swapped.get(entry) ?? entry);
    },
  },
  { name: 'a forged entry stands in the middle', forge: at(7, (one) => [one, ...inBody(one, { verb: 'forget' })]) },
  {
    name: 'a forged entry stands at the end',
    forge: at(20, (one) => [one, ...inBody(one, { pause: { person: 'eve' } })]),
  },
  { name: 'an unsigned entry says something else', forge: at(19, (one) => inBody(one, { verb: 'delete' })) },
  { name: 'an unsigned entry is gone', forge: at(18, () => []) },
  { name: 'all unsigned entries are gone', forge: only(({ number }) => number < signed) },
  { name: 'an entry stands in another chain', forge: at(4, (one) => [{ ...one, chain: here }]) },
  {
    name: 'a chain has another name',
    forge: (entries) => entries.map((one) => (one.chain === there ? { ...one, chain: 'gcp/acme/us-east1' } : one)),
  },
  { name: 'the estate began anew', forge: (entries) => entries.slice(3), isResealed: true },
];

/** Real ledgers in a real database, with signatures and a witness outside it. */
interface Ledgers {
  /** The folder with keys and checkpoints. */
  readonly folder: string;
  /** A superuser's connection. */
  readonly admin: pg.Client;
  /** 18 entries in three chains with a checkpoint after every six, and three without a signature. */
  write(estate: string): Promise<void>;
  verify(estate: string, way: 'alone' | 'witness'): Promise<Verdict>;
  close(): Promise<void>;
}

async function openLedgers(folder: string, witnessFile: string): Promise<Ledgers> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  let now = Date.UTC(2026, 0, 1);
  const clock: Clock = { now: () => now, sleep: (ms, signal) => sleep(ms, undefined, { signal }) };
  const witness = witnessAt(witnessFile, { hash: sha256, objects: noBucket });
  const signing = { hasSigner: true, witnesses: [witness] };
  const store = await openStore({ folder, clock, databaseClock: clock, create: true, signing });
  const admin = await superuserOf(folder);
  const entry = async (estate: string, n: number): Promise<void> => {
    now += 1_000;
    if (n % 3 === 2) {
      await store.ledger.note(estate, { pause: { person: 'ann', reason: `word ${n}` } });
      return;
    }
    const scope = scopes[n % 3 === 0 ? 0 : 1];
    const acquired = await store.leases.acquire(estate, scope, 'worker-1');
    if (!acquired.ok) throw new Error(`nobody else has the lease of ${scope}`);
    const authority = { revision: 'r', generation: 1, plan: 'p', approver: 'ben', limits: {} };
    const { epoch, holder } = acquired.lease;
    const reconcile = { estate, scope, reconcileId: `reconcile-${n}`, authority, lease: { epoch, holder } };
    const subject = { kind: 'network', address: `${scope}/network/n${n}` } as const;
    await store.ledger.intend(reconcile, [{ verb: 'create', subject, details: { cidr: '10.0.0.0/16' } }]);
    await acquired.lease.release();
  };
  return {
    folder: join(folder, '.setpoint'),
    admin,
    write: async (estate) => {
      for (let n = 0; n < 21; n += 1) {
        await entry(estate, n);
        if (n % 6 === 5 && n < 18) await store.audit.checkpoint(estate);
        if (n % 6 === 5) await store.audit.deliver();
      }
      now += 20_000;
    },
    verify: async (estate, way) => store.audit.verify(estate, way === 'alone' ? {} : { witness: await witness.read() }),
    close: async () => {
      await admin.end();
      await store.close();
    },
  };
}

const noBucket = (): never => {
  throw new Error('no bucket is named here');
};

async function superuserOf(folder: string): Promise<pg.Client> {
  const inside = join(folder, '.setpoint');
  const home = await readFile(join(inside, 'home'), 'utf8').catch(() => inside);
  const port = Number((await readFile(join(dataOf(home.trim()), 'postmaster.pid'), 'utf8')).split('\n')[3]);
  const { owner: password } = JSON.parse(await readFile(join(inside, 'passwords.json'), 'utf8'));
  const admin = new pg.Client({ host: '127.0.0.1', port, user: superuser, password, database: 'postgres' });
  await admin.connect();
  for (const table of ['ledger', 'checkpoints']) await admin.query(`ALTER TABLE setpoint.${table} DISABLE TRIGGER ALL`);
  return admin;
}

import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type pg from 'pg';
import { canonical } from '../../src/core/ledger/canonical.ts';
import { chainGenesis, headOf, link } from '../../src/core/ledger/chain.ts';
import type { Verdict } from '../../src/core/ledger/verification.ts';
import type { Store } from '../../src/ports/store.ts';
import { readCheckpoints } from '../../src/store/checkpoints.ts';
import { openStore } from '../../src/store/open-store.ts';
import { sha256, type TrustedKeys, trustedKeys, trusting } from '../../src/store/signing.ts';
import { verifyExport } from '../../src/store/verify-export.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { addressOf, draftOf, scope, workerOf } from './fixtures.ts';
import { owner } from './owner.ts';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';

const folder = await temporaryFolder();
const clock = virtualClock();
const now = clock.now();
let store: Store;
let admin: pg.Client;
before(async () => {
  store = await openStore({ folder, clock, databaseClock: clock, create: true });
  admin = await owner(folder);
  await admin.query('ALTER TABLE setpoint.ledger DISABLE TRIGGER ALL');
});
after(async () => {
  await admin.end();
  await store.close();
  await removeFolder(folder);
});

/** Five entries of a scope, and a checkpoint after the third. */
async function written(estate: string): Promise<void> {
  const { reconcile } = await workerOf(store, estate);
  for (let n = 1; n <= 5; n++) {
    await store.ledger.intend(reconcile, [draftOf('create', `n${n}`)]);
    if (n === 3) await store.audit.checkpoint(estate);
  }
}

/** Makes every entry's hash fit again, and the end that the database recorded. */
async function recompute(estate: string): Promise<void> {
  const { rows } = await admin.query('SELECT * FROM setpoint.ledger WHERE estate = $1 ORDER BY seq', [estate]);
  const sealed = await admin.query('SELECT seal FROM setpoint.estates WHERE name = $1', [estate]);
  let head = chainGenesis(JSON.parse(sealed.rows[0].seal), scope, sha256);
  for (const row of rows) {
    const content = { at: Number(row.at), type: row.type, body: JSON.parse(row.body) };
    const entry = link(head, Number(row.seq), content, sha256);
    head = headOf(entry);
    const set = 'UPDATE setpoint.ledger SET previous = $1, hash = $2, number = $3 WHERE estate = $4 AND seq = $5';
    await admin.query(set, [entry.chain.previous, entry.chain.hash, head.number, estate, row.seq]);
  }
  const record = 'UPDATE setpoint.chains SET number = $1, hash = $2 WHERE estate = $3 AND chain = $4';
  await admin.query(record, [head.number, head.hash, estate, scope]);
}

const alter = (estate: string, seq: number) =>
  admin.query('UPDATE setpoint.ledger SET body = $1 WHERE estate = $2 AND seq = $3', [
    canonical({ estate, address: addressOf(`n${seq}`), intent: 'another' }),
    estate,
    seq,
  ]);
const cut = (estate: string, from: number) =>
  admin.query('DELETE FROM setpoint.ledger WHERE estate = $1 AND seq >= $2', [estate, from]);

const rows: readonly {
  readonly name: string;
  readonly tamper: (estate: string) => Promise<unknown>;
  readonly seq: number | 'ok';
  readonly reason?: RegExp;
  /** An export does not know where the database says that the chain ends. */
  readonly exported?: number | 'ok';
}[] = [
  { name: 'untouched', tamper: async () => {}, seq: 'ok' },
  { name: 'an entry changed', tamper: (e) => alter(e, 2), seq: 2, reason: /content was changed/ },
  {
    name: 'an entry changed and the chain recomputed',
    tamper: (e) => alter(e, 2).then(() => recompute(e)),
    seq: 3,
    reason: /recomputed/,
  },
  {
    name: 'an entry made unreadable',
    tamper: (e) => admin.query("UPDATE setpoint.ledger SET body = '{' WHERE estate = $1 AND seq = 4", [e]),
    seq: 4,
    reason: /content was changed/,
  },
  { name: 'the tail cut', tamper: (e) => cut(e, 5), seq: 5, reason: /ends at 4.*end at 5/, exported: 'ok' },
  {
    name: 'the tail cut beyond the checkpoint, and the recorded end with it',
    tamper: (e) => cut(e, 3).then(() => recompute(e)),
    seq: 3,
    reason: /tail is cut/,
  },
  {
    name: 'an entry removed from the middle',
    tamper: (e) => admin.query('DELETE FROM setpoint.ledger WHERE estate = $1 AND seq = 2', [e]),
    seq: 2,
    reason: /entry 2 is missing/,
  },
  { name: 'everything removed', tamper: (e) => cut(e, 1).then(() => recompute(e)), seq: 1, reason: /tail is cut/ },
  {
    name: 'an entry found under an address that its body does not name',
    tamper: (e) => admin.query("UPDATE setpoint.ledger SET address = 'x' WHERE estate = $1 AND seq = 4", [e]),
    seq: 4,
    reason: /listed under another address/,
    exported: 'ok',
  },
];

for (const [index, { name, tamper, seq, reason, exported = seq }] of rows.entries())
  test(`tamper: ${name}`, async () => {
    const estate = `estate-${index}`;
    await written(estate);
    await tamper(estate);
    const online = await store.audit.verify(estate);
    assert.equal(seqOf(online), seq);
    if (!online.ok) assert.match(online.reason, reason ?? /^$/);
    assert.equal(seqOf(await verifyCopy(estate)), exported);
  });

test('tamper: checkpoints signed by another key, or by none, are worth nothing', async () => {
  await written('forged');
  const lines = await linesOf('forged');
  const checkpoints = await store.audit.checkpoints('forged');
  assert.equal(checkpoints.length, 1);
  const verdictBy = async (keys: TrustedKeys) => seqOf(await verifyExport(lines, { checkpoints, keys, now }));
  assert.equal(await verdictBy(await trustedKeys(join(folder, '.setpoint/keys'))), 'ok');
  assert.equal(await verdictBy(trusting([])), 3);
  const other = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString();
  assert.equal(await verdictBy(trusting([other])), 3);
});

test('tamper: an export that is cut, mixed, empty or no export at all', async () => {
  await written('a');
  await written('b');
  const [a, b] = [await linesOf('a'), await linesOf('b')];
  const keys = await trustedKeys(join(folder, '.setpoint/keys'));
  const checkpoints = await store.audit.checkpoints('a');
  const verdict = async (lines: readonly string[]) => verifyExport(lines, { checkpoints, keys, now });
  assert.equal(seqOf(await verdict(a)), 'ok');
  assert.equal(seqOf(await verdict([...a.slice(0, 3), b[3] ?? ''])), 3);
  assert.equal(seqOf(await verdict([...a.slice(0, 2), '{"seq":3}'])), 3);
  assert.equal(seqOf(await verdict(a.filter((line) => !line.includes('"seal"')))), 1);
  assert.equal(seqOf(await verdict([...a.slice(0, 3), a[0] ?? ''])), 1);
  assert.equal(seqOf(await verdict([...a.slice(0, 2), 'x'])), 3);
  assert.equal(seqOf(await verdict(a.slice(1))), 1);
  assert.equal(seqOf(await verdict([])), 1);
  assert.equal(seqOf(await verdict(a.map((line) => line.replaceAll('"a"', '"c"')))), 1);
});

test('an export that no checkpoint covers proves nothing', async () => {
  await written('alone');
  const lines = await linesOf('alone');
  const bare = await verifyExport(lines, { checkpoints: [], keys: trusting([]), now });
  assert.ok(!bare.ok && bare.problem === 'unverified');
  assert.match(bare.reason, /no signed checkpoint covers this export/);
});

test('entries that stay unsigned are told of, and after the limit the ledger is not proven', async () => {
  await written('tail');
  const soon = await store.audit.verify('tail');
  assert.deepEqual(soon.ok && soon.unsigned?.entries, 2);
  const late = await store.audit.verify('tail', { unsignedLimitMs: -1 });
  assert.ok(!late.ok && late.problem === 'unverified' && late.seq === 4);
});

test('a ledger that is shorter than its newest checkpoint is signed no further', async () => {
  await written('shorter');
  await cut('shorter', 3);
  await recompute('shorter');
  await assert.rejects(store.audit.checkpoint('shorter'), /ends at 2, and 3 entries of it were signed/);
  await admin.query('ALTER TABLE setpoint.checkpoints DISABLE TRIGGER ALL');
  await admin.query("DELETE FROM setpoint.checkpoints WHERE estate = 'shorter'");
  await admin.query('ALTER TABLE setpoint.checkpoints ENABLE TRIGGER ALL');
  await assert.rejects(
    store.audit.checkpoint('shorter'),
    /checkpoint 1 was signed here, the newest in the database is none/,
  );
});

test('the role of the application changes no checkpoint', async () => {
  await written('kept');
  await admin.query('SET ROLE setpoint_app');
  try {
    for (const sql of ['DELETE FROM setpoint.checkpoints', "UPDATE setpoint.checkpoints SET body = ''"])
      await assert.rejects(admin.query(sql), /permission denied/);
  } finally {
    await admin.query('RESET ROLE');
  }
});

test('checkpoints: a line cut short by a crash gives way to the next one, any other bad line is an error', async () => {
  const file = join(folder, '.setpoint/checkpoints.jsonl');
  const sound = await readFile(file, 'utf8');
  await appendFile(file, '{"at":1,"est');
  assert.deepEqual(readCheckpoints(await readFile(file, 'utf8')), readCheckpoints(sound));
  const { reconcile } = await workerOf(store, 'later');
  await store.ledger.intend(reconcile, [draftOf('create', 'a')]);
  const made = await store.audit.checkpoint('later');
  assert.ok(made);
  assert.equal(await readFile(file, 'utf8'), `${sound}${canonical(made)}\n`);
  await writeFile(file, `${sound.slice(0, -9)}\n${canonical(made)}\n`);
  await assert.rejects(store.audit.verify('later'), /line \d+ of .*checkpoints.jsonl is damaged/);
  await writeFile(file, `${sound}${canonical(made)}\n`);
  assert.throws(() => readCheckpoints('{"a":1}'), /line 1/);
});

test('checkpoints: entries that could not be signed at the end of a reconcile are signed when their process ends', async () => {
  const command = await openStore({ folder, clock, databaseClock: clock, create: true });
  const { reconcile, lease } = await workerOf(command, 'unlucky');
  await command.ledger.intend(reconcile, [draftOf('create', 'a')]);
  await admin.query('ALTER TABLE setpoint.checkpoints RENAME TO mislaid');
  await lease.release();
  await admin.query('ALTER TABLE setpoint.mislaid RENAME TO checkpoints');
  const unsignedIn = async () => {
    const verdict = await store.audit.verify('unlucky');
    assert.ok(verdict.ok);
    return verdict.unsigned?.entries;
  };
  assert.ok(((await unsignedIn()) ?? 0) > 0);
  await command.close();
  assert.equal(await unsignedIn(), undefined);
});

const seqOf = (verdict: Verdict): number | 'ok' | undefined => (verdict.ok ? 'ok' : verdict.seq);

async function linesOf(estate: string): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of store.audit.export(estate)) lines.push(line);
  return lines;
}

const verifyCopy = async (estate: string): Promise<Verdict> =>
  verifyExport(await linesOf(estate), {
    checkpoints: await store.audit.checkpoints(estate),
    keys: await trustedKeys(join(folder, '.setpoint/keys')),
    now,
  });

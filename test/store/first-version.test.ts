import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import pg from 'pg';
import { readCheckpoints } from '../../src/store/checkpoints.ts';
import { openStore } from '../../src/store/open-store.ts';
import { trustedKeys, trusting } from '../../src/store/signing.ts';
import { verifyExport } from '../../src/store/verify-export.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { apply, draftOf, scope, workerOf } from './fixtures.ts';
import { oldDatabase, urlOf } from './old-database.ts';
import { ownStore } from './own-store.ts';

/** An export, its checkpoints and public key, as the last version with one chain an estate wrote them. */
const kept = async (name: string): Promise<string> =>
  readFile(join(import.meta.dirname, 'first-version', name), 'utf8');
const linesOf = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');

/** The newest migration that the last version knew. */
const lastOld = 15;

const clock = virtualClock();
const { folder } = await ownStore(clock);
let old: pg.Client;
let databaseUrl: string;

/** A database as the last version left it: its migrations, and the entries of the export. */
before(async () => {
  old = await oldDatabase(folder, lastOld);
  databaseUrl = urlOf(old);
  await old.query("INSERT INTO setpoint.estates VALUES ('acme', 0, '')");
  for (const line of linesOf(await kept('ledger.jsonl'))) {
    const { store, estate, seq, at, type, body, chain } = JSON.parse(line);
    await old.query('UPDATE setpoint.store SET id = $1', [store]);
    await oldEntry(old, [estate, seq, at, type, body.address ?? null, sorted(body), chain.previous, chain.hash]);
    await old.query('UPDATE setpoint.estates SET seq = $1, hash = $2 WHERE name = $3', [seq, chain.hash, estate]);
  }
});

/** The last version's own statement. */
const oldEntry = (client: pg.Client, values: readonly unknown[]) =>
  client.query(
    'INSERT INTO setpoint.ledger (estate, seq, at, type, address, body, previous, hash) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)',
    [...values],
  );

/** Canonical text, of bodies that JSON.parse read from it in this order. */
const sorted = (body: unknown): string => JSON.stringify(body);

/** A session of the last version's application. */
async function oldApplication(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'setpoint' });
  await client.connect();
  await client.query('SET ROLE setpoint_app');
  return client;
}

const oldAcquire = (client: pg.Client, holder: string) =>
  client.query(
    `INSERT INTO setpoint.leases (estate, scope, holder, epoch, since, expires_at)
     VALUES ('acme', $1, $2, 1, clock_timestamp(), clock_timestamp() + interval '10 s')
     ON CONFLICT (estate, scope) DO UPDATE SET holder = $2, epoch = leases.epoch + 1, since = clock_timestamp(),
       expires_at = clock_timestamp() + interval '10 s' WHERE leases.expires_at <= clock_timestamp()
     RETURNING epoch`,
    [scope, holder],
  );

test('an export of the last version still verifies, alone and with the checkpoints that came since', async () => {
  const [export_, file, key] = await Promise.all(['ledger.jsonl', 'checkpoints.jsonl', 'checkpoint.pub'].map(kept));
  const checkpoints = readCheckpoints(file ?? '');
  const proof = { checkpoints, keys: trusting([key ?? '']), now: clock.now() };
  const verdict = await verifyExport(linesOf(export_ ?? ''), proof);
  assert.deepEqual(verdict, {
    ok: true,
    entries: 5,
    checkpoints: 2,
    head: { seq: 5, hash: checkpoints.flatMap((one) => ('hash' in one ? [one.hash] : []))[1] },
    signedAt: checkpoints[1]?.at,
    chains: [{ chain: 'estate', entries: 5, signed: 5 }],
  });
  const cut = await verifyExport(linesOf(export_ ?? '').slice(0, 4), proof);
  assert.ok(!cut.ok && cut.seq === 5);
});

test('the chain of the last version ends in a signed checkpoint, with which the new ones begin', async () => {
  const running = await oldApplication();
  assert.equal((await oldAcquire(running, 'old@here 1')).rows.length, 1);

  const upgraded = await openStore({ folder: join(folder, 'upgraded'), databaseUrl, clock, create: true });
  try {
    assert.equal((await upgraded.audit.verify('acme')).ok, true);
    assert.equal(await upgraded.audit.head('acme'), 5);

    const worker = await workerOf(upgraded, 'acme');
    await apply(worker, draftOf('create', 'new'));
    assert.equal(await upgraded.ledger.note('acme', { resume: { person: 'ann', reason: 'done' } }), 8);
    const verdict = await upgraded.audit.verify('acme');
    assert.ok(verdict.ok, verdict.ok ? '' : verdict.reason);
    assert.deepEqual(
      verdict.chains.map(({ chain, entries }) => [chain, entries]),
      [
        ['estate', 5],
        [scope, 2],
        ['people', 1],
      ],
    );

    const lines: string[] = [];
    for await (const line of upgraded.audit.export('acme')) lines.push(line);
    assert.deepEqual(lines.slice(0, 5), linesOf(await kept('ledger.jsonl')));
    assert.ok('seal' in JSON.parse(lines[5] ?? ''));
    const inside = join(folder, 'upgraded', '.setpoint');
    const checkpoints = readCheckpoints(await readFile(join(inside, 'checkpoints.jsonl'), 'utf8'));
    const proof = { checkpoints, keys: await trustedKeys(join(inside, 'keys')), now: clock.now() };
    assert.equal((await verifyExport(lines, proof)).ok, true);
    const shown = await verifyExport(lines.slice(0, 5), proof);
    assert.equal(shown.ok && shown.later, 3, 'it says what is not in it');

    const renewed = await running.query(
      "UPDATE setpoint.leases SET expires_at = now() + interval '10 s' WHERE holder = 'old@here 1' RETURNING epoch",
    );
    assert.equal(renewed.rows.length, 0, 'a worker of the last version loses its lease');
    await worker.lease.release();
    assert.equal((await oldAcquire(running, 'old@here 2')).rows.length, 0, 'and gets no other');
    await assert.rejects(
      oldEntry(running, ['acme', 9, 1, 'note', null, '{}', 'p', 'h']),
      /written_by_an_older_setpoint_update_it/,
    );
    assert.equal((await workerOf(upgraded, 'acme')).lease.remainingMs() > 0, true);
  } finally {
    await running.end();
    await upgraded.close();
  }
});

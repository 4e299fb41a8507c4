import assert from 'node:assert/strict';
import { createConnection, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import type { LedgerEntry } from '../../src/ports/ledger.ts';
import type { Store } from '../../src/ports/store.ts';
import { openStore } from '../../src/store/open-store.ts';
import { until } from '../support/until.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { draftOf, guardsOf, intentOf, reconcileOf, scope, settlementOf } from './fixtures.ts';
import { ownStore } from './own-store.ts';
import { portOf } from './owner.ts';

const clock = virtualClock();
const { folder, store, admin } = await ownStore(clock);

/** Leases outlive these tests, as the virtual clock renews none. */
const open = async (port: number, databaseClock: Clock = clock): Promise<Store> => {
  const { user, password } = admin;
  const databaseUrl = `postgres://${user}:${encodeURIComponent(String(password))}@127.0.0.1:${port}/postgres`;
  return openStore({ folder, databaseUrl, clock, databaseClock, create: true, leaseMs: 600_000 });
};

async function reconcileIn(of: Store, estate: string, where = scope) {
  const acquired = await of.leases.acquire(estate, where, 'me');
  assert.ok(acquired.ok);
  return { ...reconcileOf(estate, acquired.lease), scope: where };
}

const other = 'aws/111122223333/us-east-1';

/** Blocks every writer of this type of entry in this estate, at that very statement or at its commit. */
async function gate(estate: string, type: LedgerEntry['type'], at: 'insert' | 'commit') {
  await admin.query(`
    CREATE FUNCTION pg_temp.wait() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock(77);
      RETURN NULL;
    END $$;
    CREATE CONSTRAINT TRIGGER gate AFTER INSERT ON setpoint.ledger
      ${at === 'commit' ? 'DEFERRABLE INITIALLY DEFERRED' : ''}
      FOR EACH ROW WHEN (NEW.estate = '${estate}' AND NEW.type = '${type}') EXECUTE FUNCTION pg_temp.wait();
    SELECT pg_advisory_lock(77);`);
  const waiting = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = 77 AND NOT granted";
  return {
    reached: () => until('somebody is held', async () => (await admin.query(waiting)).rowCount !== 0),
    open: () => admin.query('SELECT pg_advisory_unlock(77)'),
    remove: () => admin.query('DROP TRIGGER gate ON setpoint.ledger; DROP FUNCTION pg_temp.wait()'),
  };
}

async function intentsOf(estate: string): Promise<readonly LedgerEntry[]> {
  const found: LedgerEntry[] = [];
  for await (const entry of store.ledger.entries({ estate })) if (entry.type === 'intent') found.push(entry);
  return found;
}

test('chains: a scope that is held in the middle of its write keeps no other scope and no person waiting', async () => {
  const estate = 'held';
  const own = await open(await portOf(folder));
  await store.generations.accept(estate, 'r1', guardsOf({ deletes: 5, replaces: 5 }));
  const held = await reconcileIn(own, estate);
  await own.ledger.intend(held, [draftOf('create', 'first')]);
  const door = await gate(estate, 'settlement', 'insert');
  const [slow] = await own.ledger.intend(held, [draftOf('create', 'slow')]);
  const settling = own.ledger.settle(held, [settlementOf(slow)]);
  await door.reached();

  const free = await reconcileIn(store, estate, other);
  const [made] = await store.ledger.intend(free, [
    draftOf('create', 'a', { subject: { kind: 'network', address: `${other}/network/a` } }),
  ]);
  assert.ok(made?.ok);
  assert.ok((await store.ledger.note(estate, { pause: { person: 'ann', reason: 'x' } })) > 0);
  await store.generations.accept(estate, 'r2', guardsOf({ deletes: 5, replaces: 5 }));
  assert.equal((await store.audit.verify(estate)).ok, true);
  const oldestFirst = { estate, filter: {}, newestFirst: false, limit: 100 };
  const shown = (await store.entryPages.page(oldestFirst)).entries.map(({ seq }) => seq);

  await door.open();
  await settling;
  await door.remove();
  const all = (await store.entryPages.page(oldestFirst)).entries.map(({ seq }) => seq);
  assert.deepEqual(all.slice(0, shown.length), shown, 'nothing came to be seen behind what was told');
  assert.equal(all.length, 5);
  assert.equal((await store.audit.verify(estate)).ok, true);
  await own.close();
});

test('chains: a page ends before an entry whose number is higher than one that is still being written', async () => {
  const estate = 'edge';
  const own = await open(await portOf(folder));
  await store.generations.accept(estate, 'r1', guardsOf({ deletes: 5, replaces: 5 }));
  const held = await reconcileIn(own, estate);
  const free = await reconcileIn(store, estate, other);
  const draft = (name: string) =>
    draftOf('create', name, { subject: { kind: 'network', address: `${other}/network/${name}` } });
  // why: both chains are made before, so the transaction that is held is the newest one that there is
  await own.ledger.intend(held, [draftOf('create', 'first')]);
  await store.ledger.intend(free, [draft('a')]);
  const [slow] = await own.ledger.intend(held, [draftOf('create', 'slow')]);
  const door = await gate(estate, 'settlement', 'insert');
  const settling = own.ledger.settle(held, [settlementOf(slow)]);
  await door.reached();
  await store.ledger.intend(free, [draft('b')]);
  const oldestFirst = { estate, filter: {}, newestFirst: false, limit: 100 };
  const page = async () => (await store.entryPages.page(oldestFirst)).entries.map(({ seq }) => seq);
  const shown = await page();
  await door.open();
  await settling;
  await door.remove();
  const all = await page();
  assert.deepEqual([shown.length, all.length], [3, 5], `${shown} of ${all}`);
  assert.deepEqual(all.slice(0, shown.length), shown);
  await own.close();
});

test('chains: a token of which several estates are told waits for one whose chain is held', async () => {
  for (const estate of ['told-a', 'told-b']) await store.ledger.note(estate, {});
  await admin.query("BEGIN; SELECT 1 FROM setpoint.chains WHERE estate = 'told-b' FOR UPDATE");
  const making = store.tokens.make({
    name: 'ci',
    grants: [{ role: 'viewer', estates: ['told-a', 'told-b'] }],
    expiresAt: clock.now() + 3_600_000,
    maker: { person: 'ann', identities: ['ann@acme.example'] },
  });
  // why: longer than one attempt waits for a lock
  await sleep(4_000);
  await admin.query('ROLLBACK');
  const { token } = await making;
  assert.deepEqual(
    (await store.tokens.list({ most: 5 })).map(({ id }) => id),
    [token.id],
  );
  for (const estate of ['told-a', 'told-b']) assert.equal((await store.audit.verify(estate)).ok, true);
});

test('chains: a COMMIT without an answer is read back, and written once', async () => {
  const estate = 'unanswered';
  const way = await silentWay(await portOf(folder));
  const own = await open(way.port);
  const reconcile = await reconcileIn(own, estate);
  const door = await gate(estate, 'intent', 'commit');
  const intending = own.ledger.intend(reconcile, [draftOf('create', 'a')]);
  await door.reached();
  way.dropAnswers();
  await door.open();
  const [intended] = await intending;
  await door.remove();
  const entries = await intentsOf(estate);
  assert.deepEqual(
    entries.map(({ body }) => [body['intent'], body['attempt']]),
    [[intentOf(intended), 1]],
  );
  await own.ledger.settle(reconcile, [settlementOf(intended)]);
  assert.equal((await store.audit.verify(estate)).ok, true);
  await own.close();
  await way.close();
});

test('chains: a COMMIT that never arrived is made again over another connection', async () => {
  const estate = 'lost';
  const way = await silentWay(await portOf(folder));
  const own = await open(way.port);
  const reconcile = await reconcileIn(own, estate);
  const door = await gate(estate, 'intent', 'insert');
  const intending = own.ledger.intend(reconcile, [draftOf('create', 'a')]);
  await door.reached();
  way.silence();
  // why: the server ends a transaction in which nothing comes; here nobody waits for it to do so
  await admin.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%"ledger"%' AND wait_event_type = 'Lock'`,
  );
  await door.open();
  const [intended] = await intending;
  await door.remove();
  assert.deepEqual(
    (await intentsOf(estate)).map(({ body }) => body['intent']),
    [intentOf(intended)],
  );
  await own.close();
  await way.close();
});

test('connections: when all of them fall silent at once, one deadline is waited for and no silent one is used again', async () => {
  const estate = 'silent';
  const way = await silentWay(await portOf(folder));
  const own = await open(way.port);
  const reconcile = await reconcileIn(own, estate);
  const many = Array.from({ length: 6 }, (_, n) => own.inventory.knowledge(estate, `aws/1/r${n}`));
  const chains = Array.from({ length: 3 }, (_, n) => own.ledger.note(`${estate}-${n}`, {}));
  await Promise.all([...many, ...chains, own.ledger.intend(reconcile, [draftOf('create', 'a')])]);
  const before = way.count();
  assert.ok(before > 3);
  way.silence();
  const tried: number[] = [];
  try {
    const [intended] = await own.ledger.intend(reconcile, [draftOf('create', 'b')]);
    assert.ok(intended?.ok);
    tried.push(way.triedInVain());
    for (let times = 0; times < 2; times += 1) {
      await own.inventory.knowledge(estate, scope);
      tried.push(way.triedInVain());
    }
  } finally {
    await own.close();
    await way.close();
  }
  assert.deepEqual(tried, [1, 2, 2], 'one of the pool for chains, then one of the pool for the rest');
});

test('chains: moments are the database’s, and within a chain they never go back', async () => {
  const estate = 'moments';
  const port = await portOf(folder);
  const now = clock.now();
  const [ahead, behind] = [
    await open(port, virtualClock(now + 200_000)),
    await open(port, virtualClock(now - 200_000)),
  ];
  await ahead.ledger.note(estate, { n: 1 });
  await behind.ledger.note(estate, { n: 2 });
  const reconcile = await reconcileIn(behind, estate);
  await behind.ledger.intend(reconcile, [draftOf('create', 'a')]);
  const moments: number[] = [];
  for await (const { at } of store.ledger.entries({ estate })) moments.push(at - now);
  assert.deepEqual(moments, [200_000, 200_000, -200_000], 'each chain by itself');
  await ahead.close();
  await behind.close();

  const { user, password } = admin;
  const databaseUrl = `postgres://${user}:${encodeURIComponent(String(password))}@127.0.0.1:${port}/postgres`;
  const plain = await openStore({ folder, databaseUrl, clock: virtualClock(0), create: true });
  await plain.ledger.note('real', {});
  for await (const { at } of plain.ledger.entries({ estate: 'real' }))
    assert.ok(Math.abs(at - Date.now()) < 60_000, 'a clock of the process that is decades late is not asked');
  await plain.close();
});

test('leases: a write that began to wait after its lease was over asks the database nothing', async () => {
  const reconcile = await reconcileIn(store, 'over');
  // why: before the clock goes on, as a renewal that is quick enough would keep the lease
  await admin.query(
    'BEGIN; LOCK TABLE setpoint.leases, setpoint.chains; SET LOCAL idle_in_transaction_session_timeout = 0',
  );
  await clock.advance(11_000);
  await assert.rejects(store.ledger.intend(reconcile, [draftOf('create', 'a')]), /no longer holds the lease/);
  await admin.query('ROLLBACK');
});

/** A way to a server on this machine that can fall silent: packets are dropped in both directions, and no connection ends. */
interface SilentWay {
  readonly port: number;
  /** All connections that there are fall silent, for good. New ones are not. */
  silence(): void;
  /** The same, but messages sent over them still arrive. */
  dropAnswers(): void;
  /** The number of open connections. */
  count(): number;
  /** On how many of the silent connections something was asked since they fell silent; a goodbye is no question. */
  triedInVain(): number;
  close(): Promise<void>;
}

/** The first byte of the message by which a client leaves: https://www.postgresql.org/docs/current/protocol-message-formats.html */
const TERMINATE = 'X'.charCodeAt(0);

async function silentWay(to: number): Promise<SilentWay> {
  const links = new Map<Socket, { readonly far: Socket; reconciles: { there: boolean; back: boolean } }>();
  const vain = new Set<Socket>();
  const server = createServer((near) => {
    const far = createConnection({ host: '127.0.0.1', port: to });
    const reconciles = { there: true, back: true };
    links.set(near, { far, reconciles });
    for (const socket of [near, far]) socket.setNoDelay(true).on('error', () => {});
    near.on('data', (chunk) => {
      if (reconciles.there) far.write(chunk);
      else if (chunk[0] !== TERMINATE) vain.add(near);
    });
    far.on('data', (chunk) => void (reconciles.back && near.write(chunk)));
    near.once('close', () => {
      links.delete(near);
      if (reconciles.there) far.destroy();
    });
    far.once('close', () => void (reconciles.back && near.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a way listens on a port');
  const fars = new Set<Socket>();
  const drop = (there: boolean): void => {
    for (const { far, reconciles } of links.values()) {
      fars.add(far);
      reconciles.back = false;
      reconciles.there &&= !there;
    }
  };
  return {
    port: address.port,
    silence: () => drop(true),
    dropAnswers: () => drop(false),
    count: () => links.size,
    triedInVain: () => vain.size,
    close: async () => {
      for (const [near, { far }] of links) {
        near.destroy();
        far.destroy();
      }
      for (const far of fars) far.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

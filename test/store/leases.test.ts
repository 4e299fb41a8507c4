import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Lease, LeaseLost } from '../../src/ports/leases.ts';
import { deadline, momentBy } from '../../src/store/leases.ts';
import { openStore } from '../../src/store/open-store.ts';
import { until } from '../support/until.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { scope } from './fixtures.ts';
import { ownStore } from './own-store.ts';

const clock = virtualClock();
const { folder, store, admin } = await ownStore(clock);

async function acquire(estate: string): Promise<Lease> {
  const acquired = await store.leases.acquire(estate, scope, 'me');
  assert.ok(acquired.ok);
  return acquired.lease;
}

async function expiresAt(estate: string): Promise<number> {
  const { rows } = await admin.query('SELECT expires_at FROM setpoint.leases WHERE estate = $1', [estate]);
  return rows[0].expires_at.getTime();
}

test('lease: is renewed every third of its time, in the database and for us', async () => {
  const lease = await acquire('renewed');
  for (let n = 1; n <= 4; n++) {
    const before = await expiresAt('renewed');
    await clock.advance(3400);
    await until('renewed in the database', async () => (await expiresAt('renewed')) > before);
    // why: without it 6.6 s would be left, less the real time.
    await until('renewed for us', () => lease.remainingMs() > 7_000);
  }
  assert.equal(lease.signal.aborted, false);
  await lease.release();
  assert.equal(lease.signal.aborted, false);
});

test('lease: one that somebody else took is lost at the next renewal', async () => {
  const lease = await acquire('taken');
  await admin.query("UPDATE setpoint.leases SET epoch = epoch + 1, holder = 'other' WHERE estate = 'taken'");
  await clock.advance(4000);
  await until('lost', () => lease.signal.aborted);
  assert.ok(lease.signal.reason instanceof LeaseLost);
  assert.equal(lease.remainingMs(), 0);
  await lease.release();
  const { rows } = await admin.query("SELECT holder FROM setpoint.leases WHERE estate = 'taken'");
  assert.deepEqual(rows, [{ holder: 'other' }]);
});

test('lease: ends by itself when the database does not answer in time', async () => {
  const lease = await acquire('unanswered');
  await admin.query("BEGIN; SELECT 1 FROM setpoint.leases WHERE estate = 'unanswered' FOR UPDATE");
  await clock.advance(9_000);
  assert.equal(lease.signal.aborted, false);
  await clock.advance(1000);
  assert.equal(lease.signal.aborted, true);
  assert.ok(lease.remainingMs() <= 0);
  await admin.query('ROLLBACK');
});

test("lease: its length is the store's own", async () => {
  const long = await openStore({ folder, clock, create: true, leaseMs: 20_000 });
  const acquired = await long.leases.acquire('long', scope, 'me');
  assert.ok(acquired.ok);
  const { lease } = acquired;
  assert.ok(lease.remainingMs() > 12_000 && lease.remainingMs() <= 20_000);
  const left = "SELECT round(extract(epoch FROM expires_at - since)) AS s FROM setpoint.leases WHERE estate = 'long'";
  assert.deepEqual((await admin.query(left)).rows, [{ s: '20' }]);
  const before = await expiresAt('long');
  await clock.advance(6_000);
  assert.equal(await expiresAt('long'), before);
  await clock.advance(667);
  await until('renewed in the database', async () => (await expiresAt('long')) > before);
  await long.close();
});

test('lease: closing the store gives back what it holds', async () => {
  const other = await openStore({ folder, clock, create: true });
  assert.ok((await other.leases.acquire('closed', scope, 'me')).ok);
  await other.close();
  await (await acquire('closed')).release();
});

test('deadline: the wall clock ends it, also while the monotonic one stood still', async () => {
  const clock = virtualClock();
  const until = deadline(clock, 30_000, momentBy(clock));
  assert.ok(until.remainingMs() > 20_000);
  await clock.advance(29_000);
  assert.ok(until.remainingMs() > 0 && until.remainingMs() <= 1000);
  await clock.advance(1000);
  assert.ok(until.remainingMs() <= 0);
});

test('deadline: the monotonic clock ends it, also while somebody sets the wall clock back', () => {
  const start = { monotonic: performance.now() - 31_000, wall: Date.now() };
  const until = deadline({ now: () => start.wall - 3_600_000, sleep: async () => {} }, 30_000, start);
  assert.ok(until.remainingMs() <= 0);
});

test('deadline: renewing counts from before the question, ending is for good', async () => {
  const clock = virtualClock();
  const until = deadline(clock, 30_000, momentBy(clock));
  await clock.advance(10_000);
  const asked = momentBy(clock);
  await clock.advance(5000);
  until.extend(asked);
  assert.ok(until.remainingMs() <= 25_000 && until.remainingMs() > 24_000);
  until.end();
  until.extend(momentBy(clock));
  assert.equal(until.remainingMs(), 0);
});

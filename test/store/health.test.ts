import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { Declined } from '../../src/ports/queries.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { ownStore } from './own-store.ts';

const { store, admin } = await ownStore(virtualClock());
const { health } = store;

test('a database that takes writes: a probe leaves one row, however often it is made', async () => {
  for (let times = 0; times < 3; times++) {
    await health.readable();
    await health.writable();
  }
  assert.equal((await admin.query('SELECT 1 FROM setpoint.write_probes')).rowCount, 1);
});

/** The next connections of the application have the setting. */
async function set(setting: string): Promise<void> {
  await admin.query(`ALTER DATABASE postgres ${setting}`);
  await admin.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'setpoint' AND pid <> pg_backend_pid()",
  );
}

/** The error of a probe once the lost connections have left the pool. */
async function refusal(): Promise<string | undefined> {
  for (let tries = 0; tries < 10; tries++) {
    const error: unknown = await health.writable().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (error === undefined) return undefined;
    const failure = health.failureOf(error);
    assert.equal(failure?.as, 'unavailable', String(error));
    if (failure?.code.startsWith('57P') || failure?.code === 'no connection') continue;
    return failure?.code;
  }
  return assert.fail('no connection was had');
}

test('a disk on which no more than 64 kB fit takes no writes', async () => {
  await set('SET temp_file_limit = 64');
  assert.equal(await refusal(), '53400');
  await set('RESET temp_file_limit');
  assert.equal(await refusal(), undefined);
});

test('a database that only reads answers questions, and takes no writes', async () => {
  await set("SET default_transaction_read_only = 'on'");
  assert.equal(await refusal(), '25006');
  await health.readable().catch(() => health.readable());
  await admin.query('SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE');
  await set('RESET default_transaction_read_only');
  assert.equal(await refusal(), undefined);
});

test('errors by their code: wait, do it again, or a fault of ours', () => {
  const coded = (code: string): Error => Object.assign(new pg.DatabaseError('said so', 7, 'error'), { code });
  const table: Readonly<Record<string, readonly string[]>> = {
    unavailable: ['08000', '08006', '53100', '53200', '53300', '57P01', '57P03', '58030', '25P03', '25006'],
    conflict: ['40001', '40P01', '55P03'],
    cancelled: ['57014'],
    fault: ['23505', '28P01', '25P02', '42P01', '22003', 'XX000', '55000'],
  };
  for (const [as, codes] of Object.entries(table))
    for (const code of codes) {
      assert.equal(health.failureOf(coded(code))?.as ?? 'fault', as, code);
      const wrapped = new Error('a pass broke', { cause: coded(code) });
      assert.equal(health.failureOf(wrapped)?.as ?? 'fault', as, `${code} as a cause`);
    }
  assert.equal(health.failureOf(new Declined('away', 'ask again'))?.as, 'unavailable');
  assert.equal(health.failureOf(new Declined('conflict', 'merge it')), undefined);
  // A cloud has sockets too.
  assert.equal(health.failureOf(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })), undefined);
  assert.equal(health.failureOf(new TypeError('undefined is not a function')), undefined);
});

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import type { Place } from '../../src/core/ledger/estate-count.ts';
import type { Limits } from '../../src/core/limits.ts';
import type { Reconcile } from '../../src/ports/ledger.ts';
import { connect } from '../../src/store/connection.ts';
import { keepPlaces, returnPlaces, takePlaces } from '../../src/store/limit-places.ts';
import type { Database, Write } from '../../src/store/tables.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { guardsOf } from './fixtures.ts';
import { ownStore } from './own-store.ts';
import { applicationLogin } from './owner.ts';

/**
 * Transactions that hold no lock in common but what `takePlaces` takes: neither the estate's chain nor a lease. Each has a
 * connection of its own.
 */
const clock = virtualClock();
const { folder, store, admin } = await ownStore(clock);
const config = await applicationLogin(folder);
const pools: readonly Database[] = Array.from({ length: 4 }, () => connect({ config }, 10_000));
after(() => Promise.all(pools.map((pool) => pool.destroy())));

const connections = 40;
const day = 24 * 60 * 60 * 1000;

interface Work {
  readonly estate: string;
  /** The connection's pool, and the scope. */
  readonly worker: number;
  readonly allowDeletes?: number;
}

const transaction = <T>({ worker }: Pick<Work, 'worker'>, work: (trx: Write) => Promise<T>): Promise<T> =>
  (pools[worker % pools.length] as Database).transaction().execute(work); // why: there are pools

const reconcileOf = ({ estate, worker, allowDeletes }: Work): Reconcile => ({
  ...{ estate, scope: `memory/acme/r${worker}`, reconcileId: 'r1' },
  authority: { revision: 'abc', generation: 1, plan: 'd1', approver: 'ops', ...(allowDeletes && { allowDeletes }) },
  lease: { holder: 'ops', epoch: 1 },
});

const placeOf = (worker: number, name: string, rest: Partial<Place> = {}): Place => ({
  ...{ as: 'delete', by: 'generation', scope: `memory/acme/r${worker}`, address: `net/${name}`, subject: name },
  ...rest,
});

/** Takes places as `intend` does, and returns the intents that got one. */
const take = (work: Work, wanted: readonly Place[]): Promise<readonly string[]> =>
  transaction(work, async (trx) => {
    const write = { trx, estate: work.estate, at: clock.now() };
    const count = await takePlaces(write, reconcileOf(work), wanted);
    const given = wanted.filter((place) => count.take(place) === undefined);
    const held = given.map((place) => ({ ...place, intent: randomUUID(), generation: 1, at: clock.now() }));
    for (const { intent, scope, address } of held)
      await trx
        .insertInto('intents')
        .values({
          ...{ intent, estate: work.estate, scope, address, verb: 'delete', kind: 'network', id: intent },
          ...{ attempt: 1, at: clock.now(), generation: 1, fields: '', details: '{}', guard_epoch: 1 },
        })
        .execute();
    await keepPlaces(write, held);
    return held.map(({ intent }) => intent);
  });

async function estateWith(limits: Limits): Promise<string> {
  const estate = `e${randomUUID().slice(0, 8)}`;
  await store.generations.accept(estate, 'abc', guardsOf(limits));
  return estate;
}

/** The count in the row, and the sum of the places themselves. */
async function counted(estate: string, period: number): Promise<readonly [row: number, places: number]> {
  const row = await admin.query('SELECT deletes FROM setpoint.limit_counts WHERE estate = $1 AND period = $2', [
    estate,
    period,
  ]);
  const places = await admin.query(
    'SELECT count(DISTINCT (scope, subject))::int AS places FROM setpoint.places WHERE estate = $1 AND period = $2 AND NOT expired',
    [estate, period],
  );
  return [row.rows[0]?.deletes, places.rows[0]?.places];
}

const workers = Array.from({ length: connections }, (_, worker) => worker);

for (const by of ['generation', 'healing'] as const) {
  const period = by === 'generation' ? 1 : 0;

  test(`of ${connections} scopes that each want one place of 7 for ${by}, at once, exactly 7 get one`, async () => {
    const estate = await estateWith({ deletes: 7, replaces: 0 });
    const given = await Promise.all(workers.map((worker) => take({ estate, worker }, [placeOf(worker, 'a', { by })])));
    assert.equal(given.flat().length, 7);
    assert.deepEqual(await counted(estate, period), [7, 7]);
  });

  test(`of ${connections} that each want three, exactly as many places of ${by} are given as there are`, async () => {
    const estate = await estateWith({ deletes: 50, replaces: 0 });
    const three = (worker: number) => ['a', 'b', 'c'].map((name) => placeOf(worker, name, { by }));
    const given = await Promise.all(workers.map((worker) => take({ estate, worker }, three(worker))));
    assert.equal(given.flat().length, 50);
    assert.deepEqual(await counted(estate, period), [50, 50]);
  });

  test(`places of ${by} that are returned while others are taken are neither lost nor given twice`, async () => {
    const estate = await estateWith({ deletes: 20, replaces: 0 });
    for (let round = 0; round < 5; round++)
      await Promise.all(
        workers.map(async (worker) => {
          const given = await take({ estate, worker }, [placeOf(worker, `a${round}`, { by })]);
          if (worker % 2 === 0) await transaction({ worker }, (trx) => returnPlaces(trx, estate, given));
        }),
      );
    const [row, places] = await counted(estate, period);
    assert.equal(row, places);
    assert.ok(row <= 20, `${row} of 20`);
  });
}

test('deletes and replaces together keep to their share, however many scopes ask at once', async () => {
  const estate = await estateWith({ deletes: 99, replaces: 99, share: 0.1 });
  const claims = `INSERT INTO setpoint.claims SELECT $1, 's', 'vpc-' || n, 'network', 'net/o' || n, 0, '{}'
    FROM generate_series(1, 60) AS n`;
  await admin.query(claims, [estate]);
  const given = await Promise.all(
    workers.map((worker) =>
      take({ estate, worker }, [
        placeOf(worker, 'a', { as: worker % 2 ? 'replace' : 'delete', address: `net/o${worker + 1}` }),
      ]),
    ),
  );
  assert.equal(given.flat().length, 6);
});

test('so many as a person allowed pass at once, and no more', async () => {
  const estate = await estateWith({ deletes: 1, replaces: 0 });
  const given = await Promise.all(
    workers.map((worker) => take({ estate, worker, allowDeletes: 11 }, [placeOf(worker, 'a')])),
  );
  assert.equal(given.flat().length, 11);
});

test('a subject that several intents hold counts once, and is free with the last of them', async () => {
  const estate = await estateWith({ deletes: 1, replaces: 0 });
  const rule = (name: string) => placeOf(1, name, { subject: 'web' });
  const [first] = await take({ estate, worker: 1 }, [rule('web.1')]);
  const [second] = await take({ estate, worker: 1 }, [rule('web.2')]);
  assert.ok(first !== undefined && second !== undefined);
  assert.deepEqual(await counted(estate, 1), [1, 1]);
  await transaction({ worker: 1 }, (trx) => returnPlaces(trx, estate, [first]));
  assert.deepEqual(await take({ estate, worker: 2 }, [placeOf(2, 'web')]), []);
  await transaction({ worker: 1 }, (trx) => returnPlaces(trx, estate, [second]));
  assert.equal((await take({ estate, worker: 2 }, [placeOf(2, 'web')])).length, 1);
});

test('the same subject in two scopes is two things', async () => {
  const estate = await estateWith({ deletes: 1, replaces: 0 });
  assert.equal((await take({ estate, worker: 1 }, [placeOf(1, 'a')])).length, 1);
  assert.equal((await take({ estate, worker: 2 }, [placeOf(2, 'a')])).length, 0);
});

test('places of healing expire once, whoever comes next, and one that was taken again since stays', async () => {
  const estate = await estateWith({ deletes: 10, replaces: 0 });
  const healed = (worker: number, name: string) => placeOf(worker, name, { by: 'healing' });
  for (let worker = 0; worker < 9; worker++) await take({ estate, worker }, [healed(worker, 'a')]);
  await clock.advance(day - 1000);
  await take({ estate, worker: 0 }, [healed(0, 'a')]);
  assert.deepEqual(await counted(estate, 0), [9, 9]);
  await clock.advance(2000);
  const given = await Promise.all(workers.map((worker) => take({ estate, worker }, [healed(worker, 'b')])));
  assert.equal(given.flat().length, 9);
  assert.deepEqual(await counted(estate, 0), [10, 10]);
});

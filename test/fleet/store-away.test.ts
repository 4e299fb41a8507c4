import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { generationsOf } from '../../src/fleet/generations.ts';
import { passHandler } from '../../src/fleet/scope-reconcile.ts';
import type { WorkerContext } from '../../src/fleet/worker-context.ts';
import { network } from '../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, where } from '../support/fleet-world.ts';

const away = async (): Promise<never> => {
  throw new Error('connect ECONNREFUSED 127.0.0.1:5432');
};

/** The database answers nothing, or only reads, until it is back. */
function withoutDatabase(world: FleetWorld, isAway: () => boolean, reads = false): WorkerContext {
  const { store } = world;
  const { leases, fleet } = store;
  const requests = {
    ...fleet.requests,
    pulse: (at: typeof where) => (isAway() && !reads ? away() : fleet.requests.pulse(at)),
  };
  const acquire: typeof leases.acquire = (...asked) => (isAway() ? away() : leases.acquire(...asked));
  return { ...world.yard, store: { ...store, leases: { ...leases, acquire }, fleet: { ...fleet, requests } } };
}

const passIn = ({ clock }: FleetWorld, yard: WorkerContext, signal = new AbortController().signal) =>
  clock.run(() => passHandler(yard, generationsOf(yard))(where, signal));

describe('a pass while the database is away', () => {
  for (const reads of [false, true])
    it(`waits for it and comes again, and is no poison${reads ? ': where it only reads too' : ''}`, async () => {
      const world = fleetWorld();
      await world.accept([network({ internet: false })]);
      const until = world.clock.now() + 120_000;
      const yard = withoutDatabase(world, () => world.clock.now() < until, reads);
      assert.equal(await passIn(world, yard), 'again');
      assert.ok(world.clock.now() >= until);
      assert.equal(await passIn(world, yard), 'done');
    });

  for (const code of ['53100', '58030', '57P01', '08006', '25P03', '40001', '40P01', '55P03', '57014'])
    it(`comes again after ${code}, however often, though the database takes writes`, async () => {
      const world = fleetWorld();
      await world.accept([network({ internet: false })]);
      const { fleet } = world.store;
      const thrown = Object.assign(new pg.DatabaseError('could not extend file', 21, 'error'), { code });
      const failing = { ...fleet, approvals: { ...fleet.approvals, inForce: () => Promise.reject(thrown) } };
      for (let times = 0; times < 6; times++) {
        const from = world.clock.now();
        assert.equal(await passIn(world, { ...world.yard, store: { ...world.store, fleet: failing } }), 'again');
        assert.ok(world.clock.now() - from >= 2000, 'it is no hot loop');
      }
      assert.equal(await passIn(world, world.yard), 'done');
    });

  it('throws what is a fault of our own', async () => {
    const world = fleetWorld();
    await world.accept([network({ internet: false })]);
    const { fleet } = world.store;
    const broken = { ...fleet, approvals: { ...fleet.approvals, inForce: async () => JSON.parse('{') } };
    await assert.rejects(passIn(world, { ...world.yard, store: { ...world.store, fleet: broken } }), SyntaxError);
  });
});

describe('a worker that cannot open the newest generation', () => {
  it('leaves it to others: no poison, and the wish stays', async () => {
    const world = fleetWorld();
    await world.accept([network({ internet: false })]);
    await world.store.fleet.requests.ask(where, 'a person');
    const specs = () => {
      throw new Error('unknown key');
    };
    assert.equal(await passIn(world, { ...world.yard, outside: { ...world.yard.outside, specs } }), 'done');
    assert.equal((await world.store.fleet.requests.pulse(where)).wish, 1);
    assert.equal((await world.pass()).outcome, 'done');
  });
});

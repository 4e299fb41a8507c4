import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dialect } from '../../providers/memory/dialect.ts';
import type { Action } from '../../src/core/action.ts';
import { actionDigest } from '../../src/core/digest.ts';
import { plan } from '../../src/core/plan/plan.ts';
import { openEstate } from '../../src/estate/load.ts';
import { sha256 } from '../../src/estate/sha256.ts';
import { machineIn, network, rule } from '../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, where } from '../support/fleet-world.ts';

const machine = machineIn({ image: 'img-1', size: 'small' });
const labelled = (tier: string) => machine('web', {}, { labels: { tier } });
const estate = [network({ internet: false }), rule('https'), labelled('a')];

const machines = ({ cloud }: FleetWorld) => cloud.inspect.live().filter(({ type }) => type === 'instance');
const tierOf = (world: FleetWorld): unknown => {
  const [one] = machines(world);
  return one?.record.tags['tier'];
};

const hold = (what: 'healing' | 'rollout' | 'all', world: FleetWorld) =>
  world.store.fleet.pauses.begin(where.estate, {
    what,
    of: { by: 'estate' },
    reason: 'a freeze',
    person: 'ada',
    until: world.clock.now() + 3_600_000,
  });

describe('a pass of a fleet', () => {
  it('does nothing where nothing was accepted', async () => {
    const { outcome, ended } = await fleetWorld().pass();
    assert.deepEqual([outcome, ended], ['idle', 'done']);
  });

  it('converges what is in mode enforce with nobody there, and the next makes no call that changes anything', async () => {
    const world = fleetWorld();
    const number = await world.accept(estate);
    const first = await world.pass();
    assert.deepEqual([first.outcome, first.ended], ['done', 'done']);
    assert.equal(machines(world).length, 1);
    assert.equal(await world.store.fleet.rollouts.standing(where), number);
    const second = await world.pass();
    assert.deepEqual([second.outcome, second.writes], ['done', []]);
  });

  it('gives its job up once its lease is over, whatever hangs in it', async () => {
    const world = fleetWorld();
    await world.accept(estate);
    const { intend } = world.store.ledger;
    let hangs = true;
    Object.assign(world.store.ledger, {
      intend: (...args: Parameters<typeof intend>) => {
        if (!hangs) return intend(...args);
        hangs = false;
        world.store.stall();
        void world.clock
          .sleep(12_000)
          .then(() => world.store.leases.acquire(where.estate, where.scope, 'another'))
          .then(async (taken) => void (taken.ok && (await taken.lease.release())));
        return new Promise(() => {});
      },
    });
    const hung = await world.pass();
    assert.deepEqual([hung.outcome, hung.ended, hung.writes], ['stopped', 'again', []]);
    assert.equal((await world.pass()).outcome, 'done');
  });

  it('leaves what is in mode plan to a person, until it is approved: that and no more', async () => {
    const world = fleetWorld();
    const generation = await world.accept(estate, { mode: 'plan' });
    const waiting = await world.pass();
    assert.deepEqual([waiting.outcome, waiting.writes], ['partly', []]);
    assert.equal(await world.store.fleet.rollouts.standing(where), 0);
    const network = (await actionsOf(world)).filter(({ kind }) => kind === 'network');
    await approve(world, generation, network);
    const approved = await world.pass();
    assert.deepEqual([approved.outcome, new Set(approved.writes)], ['partly', new Set(['CreateNetwork'])]);
    await approve(world, generation, await actionsOf(world));
    assert.equal((await world.pass()).outcome, 'done');
    assert.equal(machines(world).length, 1);
  });
});

describe('a pass while people hold a fleet still', () => {
  it('heals to the former generation while a newer one is held', async () => {
    const world = fleetWorld();
    const first = await world.accept(estate);
    await world.pass();
    const second = await world.accept([network({ internet: false }), rule('https'), labelled('b')]);
    await hold('rollout', world);
    const [one] = machines(world);
    world.cloud.outside.do('TagObjects', { ids: [one?.id ?? ''], tags: { tier: 'by hand' } });
    const held = await world.pass();
    assert.equal(held.outcome, 'partly');
    assert.equal(tierOf(world), 'a', 'what drifted is back as the former generation had it');
    assert.equal(await world.store.fleet.rollouts.standing(where), first);
    await world.store.fleet.pauses.end(
      where.estate,
      { what: 'rollout', of: { by: 'estate' } },
      { person: 'ada', reason: 'the freeze is over' },
    );
    assert.equal((await world.pass()).outcome, 'done');
    assert.deepEqual([tierOf(world), await world.store.fleet.rollouts.standing(where)], ['b', second]);
  });

  it('rolls out, and heals nothing, while healing is held', async () => {
    const world = fleetWorld();
    await world.accept(estate);
    await world.pass();
    await hold('healing', world);
    const [one] = machines(world);
    world.cloud.outside.do('TagObjects', { ids: [one?.id ?? ''], tags: { tier: 'by hand' } });
    assert.deepEqual((await world.pass()).writes, []);
    await world.accept([...estate, rule('http', { ports: [80] })]);
    assert.deepEqual((await world.pass()).writes, ['AuthorizeRules']);
    assert.equal(tierOf(world), 'by hand');
  });
});

describe('a pass beside others', () => {
  it('that cannot see all of its scope is no success, and brings nothing into force', async () => {
    const world = fleetWorld();
    await world.accept(estate);
    world.cloud.faults.add({ on: 'ListNetworks', fault: { do: 'refuse', code: 'Denied' } });
    const { outcome, writes } = await world.pass();
    assert.deepEqual([outcome, writes], ['partly', []]);
    assert.match(world.said().at(-1) ?? '', /not listed: network \(\w+\)/);
    assert.equal(await world.store.fleet.rollouts.standing(where), 0);
  });

  it('comes again where somebody else holds the lease', async () => {
    const world = fleetWorld();
    await world.accept(estate);
    await world.store.leases.acquire(where.estate, where.scope, 'ada@laptop');
    const { outcome, ended, writes } = await world.pass();
    assert.deepEqual([outcome, ended, writes], ['busy', 'again', []]);
  });

  it('leaves a scope in quarantine alone, until a newer generation comes', async () => {
    const world = fleetWorld();
    const generation = await world.accept(estate);
    await world.store.fleet.quarantine.put(where, 'it throws', generation);
    assert.equal((await world.pass()).outcome, 'quarantined');
    await world.accept([network({ internet: false })]);
    assert.equal((await world.pass()).outcome, 'done');
    assert.deepEqual(await world.store.fleet.quarantine.list(), []);
  });

  it('answers a request for a scope in quarantine, and neither begins it nor comes again for it', async () => {
    const world = fleetWorld();
    const generation = await world.accept(estate);
    await world.store.fleet.quarantine.put(where, 'it throws', generation);
    await world.store.fleet.requests.ask(where, 'a person');
    const { outcome, ended, writes } = await world.pass();
    assert.deepEqual([outcome, ended, writes], ['quarantined', 'done', []]);
    assert.equal((await world.store.fleet.requests.pulse(where)).wish, 0);
    await world.clock.advance(600_000);
    await world.store.fleet.requests.ask(where, 'the same person');
    assert.equal((await world.pass()).outcome, 'done', 'it is tried again when its time has come');
  });

  it('tries a scope in quarantine again after ten minutes: it may have been bad luck', async () => {
    const world = fleetWorld();
    const generation = await world.accept(estate);
    await world.store.fleet.quarantine.put(where, 'its workers died', generation);
    await world.clock.advance(599_000);
    assert.equal((await world.pass()).outcome, 'quarantined');
    await world.clock.advance(1_000);
    assert.equal((await world.pass()).outcome, 'done');
  });

  it('answers the wish that it began with, and stops for one that comes while it runs', async () => {
    const world = fleetWorld();
    await world.accept([network({ internet: false }), machine('web', { replicas: 3 })]);
    await world.store.fleet.requests.ask(where, 'a person');
    assert.equal((await world.pass()).outcome, 'done');
    assert.equal((await world.store.fleet.requests.pulse(where)).wish, 0);
    await world.accept([network({ internet: false }), rule('https')]);
    const running = world.pass();
    await world.store.fleet.requests.ask(where, 'another person');
    const { outcome, ended } = await running;
    assert.deepEqual([outcome, ended], ['stopped', 'again']);
    assert.notEqual((await world.store.fleet.requests.pulse(where)).wish, 0, 'it is not answered');
  });
});

/** What a plan by a person shows. */
async function actionsOf({ store, yard }: FleetWorld): Promise<readonly Action[]> {
  const current = await store.generations.current(where.estate);
  const [observation] = await store.inventory.latest(where.estate);
  assert.ok(current && observation);
  const kept = await store.fleet.trees.read(where.estate, current.revision);
  assert.ok(kept);
  const opened = await openEstate(await yard.outside.specs(kept, current.revision), yard.outside.cloud, '2026-01-01');
  const [scope] = opened.compiled.scopes;
  assert.ok(scope);
  const knowledge = await store.inventory.knowledge(where.estate, where.scope);
  return plan({ wanted: scope.wanted, observation, knowledge, dialect }).actions;
}

const approve = ({ store, clock }: FleetWorld, generation: number, actions: readonly Action[]) =>
  store.fleet.approvals.give({
    ...where,
    generation,
    digest: 'shown',
    actions: actions.map((action) => actionDigest(action, sha256)),
    destroys: 0,
    by: { person: 'ada', reason: 'looked at' },
    until: clock.now() + 3_600_000,
  });

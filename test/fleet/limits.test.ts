import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dialect } from '../../providers/memory/dialect.ts';
import { actionDigest } from '../../src/core/digest.ts';
import { noCount } from '../../src/core/limits.ts';
import { plan } from '../../src/core/plan/plan.ts';
import { boundedIn } from '../../src/core/plan/tally.ts';
import { sha256 } from '../../src/estate/sha256.ts';
import { generationsOf } from '../../src/fleet/generations.ts';
import { otherScopes } from '../../src/fleet/other-scopes.ts';
import { reconcileConstraintsOf } from '../../src/fleet/reconcile-constraints.ts';
import type { ApprovalDraft } from '../../src/ports/fleet-state.ts';
import type { Where } from '../../src/ports/queue.ts';
import { heldByLimits } from '../../src/queries/status.ts';
import { machineIn, network, rule } from '../support/engine-world/documents.ts';
import { approveAll, type FleetWorld, fleetWorld, south, there, where } from '../support/fleet-world.ts';

const ground = [there, network({ internet: false, targets: ['here', 'there'] })];
const rules = Array.from({ length: 3 }, (_, n) => rule(`r${n}`, { ports: [1000 + n] }));
const limitedTo = (deletes: number) => ({ limits: { deletes, replaces: 5 } });
const atOf = { north: where, south };

const reconcileOf = (world: FleetWorld, at: keyof typeof atOf) => world.reconcile(undefined, atOf[at]);

/** Three rules stand in each of two scopes, and a newer generation names none of them. */
async function removing(deletes: number): Promise<FleetWorld> {
  const world = fleetWorld();
  await world.accept([...ground, ...rules], limitedTo(deletes));
  for (const at of ['north', 'south'] as const) assert.equal((await reconcileOf(world, at)).outcome, 'done');
  await world.accept(ground, limitedTo(deletes));
  return world;
}

/** The guards of a reconcile there, by the newest generation. */
async function charteredAt({ store, context }: FleetWorld, at: Where) {
  const generations = generationsOf(context);
  const generation = await store.generations.current('acme');
  assert.ok(generation);
  const estate = await generations.open('acme', generation);
  const scope = estate.compiled.scopes.find((one) => one.scope === at.scope);
  assert.ok(scope);
  const by = { generation, estate, scope };
  return { by, charter: await reconcileConstraintsOf(at, by, { store, generations }) };
}

describe('limits of an estate with two scopes, each with a worker of its own', () => {
  it('leave the inventory before the next generation counts as fully applied', async () => {
    const world = fleetWorld();
    const order: string[] = [];
    const [reached, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { rows, fleet } = world.store;
    const { keep } = rows;
    const { stand } = fleet.rollouts;
    Object.assign(rows, {
      keep: async (...given: Parameters<typeof keep>) => {
        reached.resolve();
        await gate.promise;
        await keep(...given);
        order.push('kept');
      },
    });
    Object.assign(fleet.rollouts, {
      stand: async (...given: Parameters<typeof stand>) => {
        order.push('stands');
        await stand(...given);
      },
    });
    await world.accept(ground, limitedTo(5));
    const running = reconcileOf(world, 'north');
    await reached.promise;
    await world.clock.advance(0);
    assert.deepEqual(order, [], 'the generation counts as applied before its inventory is kept');
    gate.resolve();
    assert.equal((await running).outcome, 'done');
    assert.equal(order.at(-1), 'stands', order.join(' '));
  });

  it('hold both back where each alone would be within them', async () => {
    const world = await removing(4);
    for (const at of ['north', 'south', 'north', 'south'] as const)
      assert.deepEqual((await reconcileOf(world, at)).writes, [], at);
    assert.match(world.said().at(-1) ?? '', /withheld: limit 3/);
    assert.equal(world.withheld().at(-1), 3);
  });

  it('let both go on where they are within them together', async () => {
    const world = await removing(6);
    assert.notDeepEqual((await reconcileOf(world, 'north')).writes, []);
    assert.notDeepEqual((await reconcileOf(world, 'south')).writes, []);
    assert.deepEqual((await world.store.generations.spent('acme', 2)).generation, { ...noCount, deletes: 6 });
  });

  it('do not wait for a scope that nobody ever looked at', async () => {
    const world = fleetWorld();
    await world.accept([...ground, ...rules], limitedTo(4));
    assert.equal((await reconcileOf(world, 'north')).outcome, 'done');
    await world.accept(ground, limitedTo(4));
    assert.notDeepEqual((await reconcileOf(world, 'north')).writes, []);
  });
});

describe('deletions that other scopes have not made yet', () => {
  const told = async (world: FleetWorld) => {
    const { by, charter } = await charteredAt(world, south);
    return (await otherScopes(south, changesOf(by), charter, world)).changes?.count;
  };
  const changesOf = ({ estate, generation }: Awaited<ReturnType<typeof charteredAt>>['by']) => ({
    estate,
    generation: generation.number,
    changes: true,
    cost: false,
  });

  it('is what the other scopes were seen to hold too much', async () => {
    assert.deepEqual(await told(await removing(9)), { ...noCount, deletes: 3 });
  });

  it('is not what was removed after the last look', async () => {
    const world = await removing(9);
    const [look] = await world.store.inventory.latest('acme', where.scope);
    assert.ok(look);
    await reconcileOf(world, 'north');
    await world.store.inventory.record('acme', { ...look, at: world.clock.now() + 1 });
    assert.deepEqual(await told(world), noCount);
  });

  it('is not what is under way: that has its place in the count', async () => {
    const world = await removing(9);
    await begun(world);
    assert.deepEqual(await told(world), { ...noCount, deletes: 2 });
  });

  it('is one sum once each scope was looked at in this generation: no scope is planned for another', async () => {
    const world = await removing(4);
    for (const at of ['north', 'south'] as const) await reconcileOf(world, at);
    const { by, charter } = await charteredAt(world, south);
    let read = 0;
    const inventory = {
      ...world.store.inventory,
      latest: (...asked: Parameters<typeof world.store.inventory.latest>) => {
        read += 1;
        return world.store.inventory.latest(...asked);
      },
    };
    const { changes } = await otherScopes(south, changesOf(by), charter, {
      store: { ...world.store, inventory },
      clock: world.clock,
    });
    assert.deepEqual([changes?.count.deletes, changes?.uncounted, read], [3, 0, 0]);
  });

  it('has launches whose image facts the last look did not ask for', async () => {
    const old = { name: 'old', deny: 'image.age > 180', message: 'Choose a newer one' };
    const spec = { kinds: ['instance'], mode: 'enforce', rules: [old] };
    const policy = { kind: 'Policy', metadata: { name: 'images' }, spec };
    const world = await removing(9);
    const web = machineIn({ image: 'img-1', size: 'small' })('web', { groups: [] });
    await world.accept([...ground, ...rules, policy, web], limitedTo(9));
    assert.deepEqual(await told(world), { ...noCount, creates: 1 });
  });

  it('is not what a mode or a pause holds there', async () => {
    const world = await removing(9);
    await world.store.fleet.pauses.begin('acme', {
      what: 'all',
      of: { by: 'target', name: 'here' },
      reason: 'a freeze',
      person: 'ada',
      until: world.clock.now() + 3_600_000,
    });
    assert.deepEqual(await told(world), noCount);
  });
});

describe('an approval of what is over a limit', () => {
  const hour = 3_600_000;
  /** As `setpoint approve` would, of one scope. */
  const approve = async (world: FleetWorld, at: keyof typeof atOf, rest: Partial<ApprovalDraft> = {}) => {
    const { by } = await charteredAt(world, atOf[at]);
    const [observation] = await world.store.inventory.latest('acme', atOf[at].scope);
    assert.ok(observation);
    const knowledge = await world.store.inventory.knowledge('acme', atOf[at].scope);
    const actions = plan({ wanted: by.scope.wanted, observation, knowledge, dialect }).actions;
    const draft = { ...atOf[at], generation: by.generation.number, digest: 'shown', ...boundedIn(actions) };
    const digests = actions.map((action) => actionDigest(action, sha256));
    const until = world.clock.now() + hour;
    const said = { by: { person: 'ada', reason: 'looked at' }, until };
    await world.store.fleet.approvals.give({ ...draft, actions: digests, ...said, ...rest });
  };
  const allowed = async (world: FleetWorld, at: keyof typeof atOf) =>
    (await charteredAt(world, atOf[at])).charter.authority.allowDeletes;

  it('lets so many pass and no more, however many of them have run', async () => {
    const world = await removing(2);
    await approve(world, 'north');
    assert.equal(await allowed(world, 'north'), 3);
    assert.notDeepEqual((await reconcileOf(world, 'north')).writes, []);
    assert.equal((await world.store.generations.spent('acme', 2)).generation.deletes, 3);
    assert.equal(await allowed(world, 'north'), undefined, 'what is spent lifts no limit');
  });

  it('counts what ran before it', async () => {
    const world = await removing(2);
    await approve(world, 'north');
    await reconcileOf(world, 'north');
    await world.clock.run(() => world.clock.sleep(2 * hour));
    await approve(world, 'south');
    assert.deepEqual([await allowed(world, 'north'), await allowed(world, 'south')], [undefined, 6]);
    assert.notDeepEqual((await reconcileOf(world, 'south')).writes, []);
    assert.equal((await world.store.generations.spent('acme', 2)).generation.deletes, 6);
  });

  it('of every scope lets all of them pass, whichever goes first', async () => {
    const world = await removing(2);
    await approve(world, 'north');
    await approve(world, 'south');
    for (const at of ['south', 'north'] as const) assert.equal((await reconcileOf(world, at)).outcome, 'done', at);
    assert.equal((await world.store.generations.spent('acme', 2)).generation.deletes, 6);
  });

  it('given again counts once', async () => {
    const world = await removing(2);
    for (let times = 0; times < 3; times += 1) await approve(world, 'north');
    assert.equal(await allowed(world, 'north'), 3);
  });
});

/** One of the removals in the north is intended, and its worker dies. */
async function begun({ store }: FleetWorld): Promise<void> {
  const acquired = await store.leases.acquire('acme', where.scope, 'worker-2');
  assert.ok(acquired.ok);
  const { lease } = acquired;
  const { applied } = await store.inventory.knowledge('acme', where.scope);
  const address =
    [...applied].find(([, { documents }]) => documents?.some((one) => one.endsWith('/core.r0')))?.[0] ?? '';
  const authority = { revision: 'r', generation: 2, plan: 'unattended', approver: 'setpoint' };
  const reconcile = { ...where, reconcileId: '1', authority, lease: { holder: lease.holder, epoch: lease.epoch } };
  const subject = { kind: 'firewall-rule', address } as const;
  await store.ledger.intend(reconcile, [
    { verb: 'delete', subject, details: {}, counts: { as: 'delete', by: 'generation', of: address } },
  ]);
  await lease.release();
}

/** Budgets of a fleet with nobody there: new machines, and closures of rules that nobody wrote. */
const hour = 3_600_000;
const machine = machineIn({ image: 'img-1', size: 'small' });
const wide = network({ internet: false, subnets: [{ name: 'app', cidr: '10.20.0.0/18' }] });

const machinesIn = ({ cloud }: FleetWorld): number =>
  cloud.inspect.live().filter(({ type }) => type === 'instance').length;

describe('new machines', () => {
  const typo = [wide, machine('web', { replicas: 900 })];

  it('that are far more than intended are not launched, and are reported', async () => {
    const world = fleetWorld();
    await world.accept(typo);
    for (let reconcile = 0; reconcile < 2; reconcile++) await world.reconcile();
    assert.equal(machinesIn(world), 0);
    assert.match(world.said().at(-1) ?? '', /withheld: limit 900/);
  });

  it('are launched where a person approves them, and no more than those', async () => {
    const world = fleetWorld();
    await world.accept(typo);
    await world.reconcile();
    await approveAll(world);
    await world.reconcile();
    assert.equal(machinesIn(world), 900);
    assert.equal((await world.store.generations.spent('acme', 1)).generation.creates, 900);
  });

  it('that somebody ends again and again are healed up to the limit of 24 h', async () => {
    const world = fleetWorld();
    const limits = { limits: { creates: 4 } };
    await world.accept([wide, machine('web', { replicas: 3 })], limits);
    await world.reconcile();
    for (let day = 0; day < 2; day++) {
      for (let times = 0; times < 4; times++) {
        // Machines that end within 15 minutes would be failed births, and nothing more would be launched.
        await world.clock.advance(1_000_000);
        await world.reconcile();
        for (const { id, type } of world.cloud.inspect.live())
          if (type === 'instance') world.cloud.outside.do('TerminateInstances', { ids: [id] });
        await world.clock.advance(600_000);
        await world.reconcile();
      }
      const { healing } = await world.store.generations.spent('acme', 1);
      assert.ok(healing.creates > 0 && healing.creates <= 4, `${healing.creates} launches on day ${day}`);
      await world.clock.advance(24 * hour);
      await world.reconcile();
    }
  });
});

describe('rules that nobody wrote', () => {
  const documents = [network({ internet: false }), rule('https')];

  const rulesIn = ({ cloud }: FleetWorld) =>
    cloud.outside.do('ListRules', {}).items.filter(({ match }) => match.direction === 'ingress').length;

  /** Opens so many ports by hand. */
  function open(world: FleetWorld, count: number): void {
    const group = world.cloud.inspect
      .live()
      .find(({ type, mark }) => type === 'group' && mark?.address?.endsWith('web'));
    const rules = Array.from({ length: count }, (_, i) => ({
      ...{ protocol: 'tcp', from: 1000 + i, to: 1000 + i, peer: '0.0.0.0/0', description: '' },
    }));
    world.cloud.outside.do('AuthorizeRules', { group: group?.id ?? '', direction: 'ingress', rules });
  }

  const closed = async ({ store }: FleetWorld) => (await store.generations.spent('acme', 1)).healing.closures;

  it('are closed though healing has used up its deletes and replaces', async () => {
    const world = fleetWorld();
    await world.accept(documents, { limits: { deletes: 0, replaces: 0, share: '0%' } });
    await world.reconcile();
    const stated = rulesIn(world);
    open(world, 50);
    await world.clock.advance(600_000);
    await world.reconcile();
    assert.equal(await closed(world), 50);
    assert.equal(rulesIn(world), stated);
  });

  it('beyond the limit wait for a person, and every reconcile reports them', async () => {
    const world = fleetWorld();
    await world.accept(documents, { limits: { closures: 3 } });
    await world.reconcile();
    const stated = rulesIn(world);
    open(world, 4);
    await world.clock.advance(600_000);
    for (let reconcile = 0; reconcile < 2; reconcile++) {
      await world.reconcile();
      assert.equal(rulesIn(world), stated + 4);
      assert.match(world.said().at(-1) ?? '', /withheld: limit 4/);
      const [held, ...others] = await heldByLimits('acme', world.store);
      assert.deepEqual([held?.scope, held?.count, others], [where.scope, 4, []]);
      assert.match(
        held?.why ?? '',
        /4 closures of rules that nobody wrote, the limit is 3 .*setpoint apply --allow-closures 4, or: setpoint approve/,
      );
    }
    await approveAll(world);
    await world.reconcile();
    assert.equal(rulesIn(world), stated);
  });
});

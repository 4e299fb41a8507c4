import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dialect } from '../../providers/memory/dialect.ts';
import { actionDigest } from '../../src/core/digest.ts';
import { plan } from '../../src/core/plan/plan.ts';
import { sha256 } from '../../src/estate/sha256.ts';
import { boundedIn } from '../../src/queries/approvals.ts';
import { heldByLimits } from '../../src/queries/status.ts';
import { compiled } from '../support/engine-world/compiled.ts';
import { machineIn, network, rule } from '../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, where } from '../support/fleet-world.ts';

/** Budgets of a fleet with nobody there: new machines, and closures of rules that nobody wrote. */
const hour = 3_600_000;
const machine = machineIn({ image: 'img-1', size: 'small' });
const wide = network({ internet: false, subnets: [{ name: 'app', cidr: '10.20.0.0/18' }] });

const machinesIn = ({ cloud }: FleetWorld): number =>
  cloud.inspect.live().filter(({ type }) => type === 'instance').length;

/** As `setpoint approve` would, of what the last look showed. */
async function approve({ store, clock }: FleetWorld, documents: readonly object[], estate: object): Promise<void> {
  const estateDocument = { kind: 'Estate', metadata: { name: 'acme' }, spec: { mode: 'enforce', ...estate } };
  const target = {
    kind: 'Target',
    metadata: { name: 'here' },
    spec: { provider: 'memory', account: 'acme', region: 'north' },
  };
  const { scope } = compiled([estateDocument, target, ...documents], dialect);
  const [observation] = await store.inventory.latest('acme', where.scope);
  assert.ok(observation);
  const knowledge = await store.inventory.knowledge('acme', where.scope);
  const generation = (await store.generations.current('acme'))?.number ?? 0;
  const { actions } = plan({ wanted: scope.wanted, observation, knowledge, dialect });
  await store.fleet.approvals.give({
    ...where,
    generation,
    digest: 'shown',
    actions: actions.map((action) => actionDigest(action, sha256)),
    ...boundedIn(actions),
    by: { person: 'ada', reason: 'looked at' },
    until: clock.now() + hour,
  });
}

describe('new machines', () => {
  const typo = [wide, machine('web', { replicas: 900 })];

  it('that are far more than somebody meant are not launched, and are told of', async () => {
    const world = fleetWorld();
    await world.accept(typo);
    for (let pass = 0; pass < 2; pass++) await world.pass();
    assert.equal(machinesIn(world), 0);
    assert.match(world.said().at(-1) ?? '', /withheld: limit 900/);
  });

  it('are launched where a person approves them, and no more than those', async () => {
    const world = fleetWorld();
    await world.accept(typo);
    await world.pass();
    await approve(world, typo, {});
    await world.pass();
    assert.equal(machinesIn(world), 900);
    assert.equal((await world.store.generations.spent('acme', 1)).generation.creates, 900);
  });

  it('that somebody ends again and again are healed up to the limit of 24 h', async () => {
    const world = fleetWorld();
    const limits = { limits: { creates: 4 } };
    await world.accept([wide, machine('web', { replicas: 3 })], limits);
    await world.pass();
    for (let day = 0; day < 2; day++) {
      for (let times = 0; times < 4; times++) {
        // Machines that end within 15 minutes would be failed births, and nothing more would be launched.
        await world.clock.advance(1_000_000);
        await world.pass();
        for (const { id, type } of world.cloud.inspect.live())
          if (type === 'instance') world.cloud.outside.do('TerminateInstances', { ids: [id] });
        await world.clock.advance(600_000);
        await world.pass();
      }
      const { healing } = await world.store.generations.spent('acme', 1);
      assert.ok(healing.creates > 0 && healing.creates <= 4, `${healing.creates} launches on day ${day}`);
      await world.clock.advance(24 * hour);
      await world.pass();
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
      .find(({ type, mark }) => type === 'group' && mark?.address.endsWith('web'));
    const rules = Array.from({ length: count }, (_, i) => ({
      ...{ protocol: 'tcp', from: 1000 + i, to: 1000 + i, peer: '0.0.0.0/0', description: '' },
    }));
    world.cloud.outside.do('AuthorizeRules', { group: group?.id ?? '', direction: 'ingress', rules });
  }

  const closed = async ({ store }: FleetWorld) => (await store.generations.spent('acme', 1)).healing.closures;

  it('are closed though healing has used up its deletes and replaces', async () => {
    const world = fleetWorld();
    await world.accept(documents, { limits: { deletes: 0, replaces: 0, share: '0%' } });
    await world.pass();
    const stated = rulesIn(world);
    open(world, 50);
    await world.clock.advance(600_000);
    await world.pass();
    assert.equal(await closed(world), 50);
    assert.equal(rulesIn(world), stated);
  });

  it('beyond the limit wait for a person, and are told of in every pass', async () => {
    const world = fleetWorld();
    await world.accept(documents, { limits: { closures: 3 } });
    await world.pass();
    const stated = rulesIn(world);
    open(world, 4);
    await world.clock.advance(600_000);
    for (let pass = 0; pass < 2; pass++) {
      await world.pass();
      assert.equal(rulesIn(world), stated + 4);
      assert.match(world.said().at(-1) ?? '', /withheld: limit 4/);
      const [held, ...others] = await heldByLimits('acme', world.store);
      assert.deepEqual([held?.scope, held?.count, others], [where.scope, 4, []]);
      assert.match(
        held?.why ?? '',
        /4 closures of rules that nobody wrote, the limit is 3 .*--allow-closures 4, or with: setpoint approve/,
      );
    }
    await approve(world, documents, { limits: { closures: 3 } });
    await world.pass();
    assert.equal(rulesIn(world), stated);
  });
});

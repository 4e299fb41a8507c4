import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { group, machineIn, network, rule } from '../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, where } from '../support/fleet-world.ts';

/** A resize stops the machine, changes it, and starts it. A worker ends in between, and whoever comes next must start the machine. */

type Spec = Readonly<Record<string, unknown>>;
type Step = 'ResizeInstance' | 'StartInstances';

const machine = machineIn({ image: 'img-1', size: 'small' });
const ground = (spec: Spec = {}) => [network({ internet: false }), group('web'), rule('https'), machine('web', spec)];
const limits = { deletes: 50, replaces: 50 };
const ignore = [{ field: 'power', owner: 'o', reason: 'r', until: '2027-01-01' }];
const hourMs = 3_600_000;

const wait = ({ clock }: FleetWorld, ms: number): Promise<void> => clock.run(() => clock.sleep(ms));
const machineOf = ({ cloud }: FleetWorld) => {
  const found = cloud.inspect.live().find(({ type }) => type === 'instance');
  assert.ok(found);
  // why: machines have them
  const { power, hardware } = found.record as unknown as {
    readonly power: { readonly sent: string };
    readonly hardware: { readonly size: string };
  };
  return { power: power.sent === 'stop' ? 'stopped' : 'running', size: hardware.size };
};

/** A freeze that began an hour ago, and ends in an hour. */
function frozen({ clock }: FleetWorld): object {
  const local = (ms: number): string => new Date(clock.now() + ms).toISOString().slice(0, 16);
  return { freezes: [{ name: 'sale', from: local(-hourMs), to: local(hourMs), reason: 'the sale' }] };
}

/** A machine of an hour, and a worker that ended while it resized it, before this request. */
async function interrupted(
  before: Step,
  estate: object,
  spec: Spec,
  beside: readonly object[] = [],
): Promise<FleetWorld> {
  const world = fleetWorld();
  if (beside.length > 0) {
    await world.accept([...ground({ ...spec, power: 'stopped' }), ...beside], { limits, ...estate });
    await world.reconcile();
    await wait(world, hourMs);
  }
  await world.accept([...ground(spec), ...beside], { limits, ...estate });
  await world.reconcile();
  for (const ms of [60_000, hourMs]) {
    await wait(world, ms);
    assert.equal((await world.reconcile()).outcome, 'done');
  }
  await world.accept([...ground({ ...spec, size: 'large' }), ...beside], { limits, ...estate });
  world.cloud.faults.add({ on: before, fault: { do: 'refuse', code: 'Throttled' }, times: 1e6 });
  const ending = new AbortController();
  void world.clock.sleep(20_000).then(() => ending.abort());
  await world.reconcile(ending.signal).catch(() => undefined);
  world.cloud.faults.clear();
  assert.equal(machineOf(world).power, 'stopped');
  await wait(world, 60_000);
  return world;
}

const words: readonly (readonly [name: string, estate: object, spec: Spec])[] = [
  ['healed', {}, {}],
  ['proposed', { remediation: { power: 'propose' } }, {}],
  ['reported', { remediation: { power: 'report' } }, {}],
  ['ignored', {}, { ignore }],
];

for (const before of ['ResizeInstance', 'StartInstances'] as const)
  describe(`a worker that ended before ${before}`, () => {
    for (const [name, estate, spec] of words) {
      it(`leaves a machine that the next one resizes and starts, where drift of power is ${name}`, async () => {
        const world = await interrupted(before, estate, spec);
        await world.reconcile();
        assert.deepEqual(machineOf(world), { power: 'running', size: 'large' });
        await wait(world, hourMs);
        assert.deepEqual(await world.reconcile(), { ended: 'done', outcome: 'done', writes: [] });
      });

      it(`leaves a machine that the next one starts within a freeze, where drift of power is ${name}`, async () => {
        const world = await interrupted(before, estate, spec);
        await world.accept(ground({ ...spec, size: 'large' }), { limits, ...estate, ...frozen(world) });
        assert.deepEqual((await world.reconcile()).writes, ['StartInstances']);
        assert.equal(machineOf(world).power, 'running');
        await wait(world, 2 * hourMs);
        await world.reconcile();
        assert.deepEqual(machineOf(world), { power: 'running', size: 'large' });
      });
    }

    for (const size of ['small', 'large'])
      for (const held of [false, true])
        it(`leaves a machine that a spec wants stopped and ${size}${held ? ', in a freeze' : ''}, and that a later one starts as any change`, async () => {
          const world = await interrupted(before, {}, {});
          await world.accept(ground({ size, power: 'stopped' }), { limits, ...(held ? frozen(world) : {}) });
          for (const ms of [0, 400_000, 60_000]) {
            await wait(world, ms);
            await world.reconcile();
          }
          assert.equal(machineOf(world).power, 'stopped');
          assert.deepEqual((await world.store.inventory.knowledge(where.estate, where.scope)).pending, []);
          await world.accept(ground({ size }), { limits, ...frozen(world) });
          assert.deepEqual((await world.reconcile()).writes, []);
          await wait(world, 2 * hourMs);
          await world.reconcile();
          assert.deepEqual(machineOf(world), { power: 'running', size });
        });

    for (const mode of ['plan', 'observe'])
      it(`leaves a machine that the mode ${mode} holds`, async () => {
        const world = await interrupted(before, {}, {});
        await world.accept(ground({ size: 'large' }), { limits, mode });
        assert.deepEqual((await world.reconcile()).writes, []);
      });

    it('leaves a machine that is started within a freeze, where another image would replace it', async () => {
      const world = await interrupted(before, {}, {});
      await world.accept(ground({ size: 'large', image: 'img-2' }), { limits, ...frozen(world) });
      assert.deepEqual((await world.reconcile()).writes, ['StartInstances']);
    });

    it('leaves a machine that a pause of everything holds, and that is started once it ends', async () => {
      const world = await interrupted(before, { remediation: { power: 'report' } }, {});
      const until = world.clock.now() + hourMs;
      const pause = { what: 'all', of: { by: 'estate' }, reason: 'x', person: 'ada', until } as const;
      await world.store.fleet.pauses.begin(where.estate, pause);
      assert.deepEqual((await world.reconcile()).writes, []);
      await wait(world, hourMs);
      await world.reconcile();
      assert.deepEqual(machineOf(world), { power: 'running', size: 'large' });
    });
  });

it('a machine that a colleague stopped after its resize is left alone where drift of power is reported', async () => {
  const world = await interrupted('StartInstances', { remediation: { power: 'report' } }, {});
  await world.reconcile();
  await wait(world, hourMs);
  await world.reconcile();
  const [found] = world.cloud.inspect.live().filter(({ type }) => type === 'instance');
  world.cloud.outside.do('StopInstances', { ids: [found?.id ?? ''] });
  await wait(world, hourMs);
  assert.deepEqual((await world.reconcile()).writes, []);
  assert.equal(machineOf(world).power, 'stopped');
});

it('a start that the cloud refuses is tried less and less often, beside a resize that a freeze holds', async () => {
  const world = await interrupted('StartInstances', {}, {});
  await world.accept(ground({ size: 'huge' }), { limits, ...frozen(world) });
  world.cloud.faults.add({ on: 'StartInstances', fault: { do: 'refuse', code: 'Denied' }, times: 1e6 });
  let tries = 0;
  for (let minute = 0; minute < 50; minute += 1) {
    if ((await world.reconcile()).writes.includes('StartInstances')) tries += 1;
    await wait(world, 60_000);
  }
  assert.ok(tries >= 4 && tries <= 8, `${tries} tries`);
  world.cloud.faults.clear();
  for (const ms of [hourMs, 120_000, 120_000]) {
    await wait(world, ms);
    await world.reconcile();
  }
  assert.deepEqual(machineOf(world), { power: 'running', size: 'huge' });
});

it('a machine that an earlier generation wanted stopped is started, also where that generation heals others', async () => {
  const other = (mode: string, tier: string) =>
    network({ internet: false, mode, cidr: '10.9.0.0/16', subnets: [] }, { name: 'other', labels: { tier } });
  const world = await interrupted('StartInstances', {}, {}, [other('enforce', 'a')]);
  const until = world.clock.now() + hourMs;
  const held = { what: 'all', of: { by: 'address', name: `${where.scope}/instance/web` } } as const;
  await world.store.fleet.pauses.begin(where.estate, { ...held, reason: 'x', person: 'ada', until });
  await world.accept([...ground({ size: 'large' }), other('plan', 'b')], { limits });
  for (const ms of [0, 400_000, 60_000]) {
    await wait(world, ms);
    await world.reconcile();
  }
  await world.accept([...ground({ size: 'huge' }), other('plan', 'b')], { limits, ...frozen(world) });
  await wait(world, 0.9 * hourMs);
  assert.equal(machineOf(world).power, 'stopped');
  await world.reconcile();
  assert.equal(machineOf(world).power, 'running');
});

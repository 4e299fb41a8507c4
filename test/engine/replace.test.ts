import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stateOf } from '../../providers/memory/cloud/calls/instance-state.ts';
import type { InstanceRecord } from '../../providers/memory/cloud/records.ts';
import { dialect } from '../../providers/memory/dialect.ts';
import { pauseHold } from '../../src/core/plan/holds.ts';
import { plan } from '../../src/core/plan/plan.ts';
import { unfinishedReplacements } from '../../src/core/unfinished-replacements.ts';
import type { Planner } from '../../src/engine/ports.ts';
import { compiled } from '../support/engine-world/compiled.ts';
import { Killed, killedAt, type Step } from '../support/engine-world/laws.ts';
import { type Applied, type SmallWorld, smallWorld } from '../support/small-world.ts';

const network = {
  kind: 'Network',
  metadata: { name: 'core' },
  spec: { targets: ['here'], cidr: '10.0.0.0/16', subnets: [{ name: 'app', cidr: '10.0.1.0/24' }] },
};
const machines = (replicas: number, image: string, spec: object = {}) => [
  network,
  {
    kind: 'Instance',
    metadata: { name: 'web' },
    spec: {
      targets: ['here'],
      network: 'core',
      subnet: 'app',
      groups: ['web'],
      image,
      size: 'small',
      replicas,
      ...spec,
    },
  },
];
const head = [
  { kind: 'Estate', metadata: { name: 'acme' }, spec: { mode: 'enforce' } },
  { kind: 'Target', metadata: { name: 'here' }, spec: { provider: 'memory', account: 'acme', region: 'north' } },
];
const estate = { limits: { deletes: 20, replaces: 20, share: '100%' } };

const records = ({ cloud }: SmallWorld): readonly InstanceRecord[] =>
  cloud.inspect.live().flatMap(({ type, record }) => (type === 'instance' ? [machineOf(record)] : []));
// why: in that cloud only machines have that type
const machineOf = (record: object): InstanceRecord => record as InstanceRecord;
const imagesOf = (world: SmallWorld): readonly string[] => records(world).map(({ hardware }) => hardware.image);
const ready = (world: SmallWorld): number =>
  records(world).filter(({ power }) => stateOf(power, world.clock.now()) === 'running').length;
const launched = ({ writes }: Applied): number => writes.filter((action) => action === 'RunInstances').length;
const settle = (world: SmallWorld): Promise<unknown> => world.clock.advance(600_000);

/** The fewest machines that were ready at once after any call, from now on. */
function watch(world: SmallWorld): () => number {
  let least = Number.POSITIVE_INFINITY;
  const { cloud } = world;
  const serve = cloud.serve.bind(cloud);
  Object.assign(cloud, {
    serve: async (...asked: Parameters<typeof serve>) => {
      const served = await serve(...asked);
      least = Math.min(least, ready(world));
      return served;
    },
  });
  return () => least;
}

/** The process dies at this step of its ledger calls: nothing is awaited, settled or cleared up. */
function killAt(world: SmallWorld, at: Step): () => void {
  const { ledger } = world.store;
  const killed = killedAt(at)(ledger);
  Object.assign(world.store, { ledger: killed });
  return () => void Object.assign(world.store, { ledger });
}

const stops = (applied: Applied | undefined): readonly string[] =>
  (applied?.last?.plan.findings ?? []).flatMap((finding) => ('code' in finding ? [finding.code] : []));

/** The next processes, each a minute later, until nothing is left to do. */
async function resume(world: SmallWorld, documents: readonly object[]): Promise<readonly Applied[]> {
  const all: Applied[] = [];
  for (let reconcile = 0; reconcile < 8; reconcile++) {
    await world.clock.advance(60_000);
    all.push(await world.apply(documents, { estate }));
    if (all.at(-1)?.outcome === 'done') break;
  }
  return all;
}

describe('a replacement by surge', () => {
  for (const replicas of [1, 3])
    it(`${replicas} of ${replicas} stay ready at every moment, and each is launched once`, async () => {
      const world = smallWorld();
      await world.apply(machines(replicas, 'img-1'), { estate });
      await settle(world);
      const least = watch(world);
      const applied = await world.apply(machines(replicas, 'img-2'), { estate });
      assert.equal(applied.outcome, 'done');
      assert.deepEqual(imagesOf(world), Array(replicas).fill('img-2'));
      assert.deepEqual([least(), launched(applied)], [replicas, replicas]);
      assert.deepEqual((await world.apply(machines(replicas, 'img-2'), { estate })).writes, []);
    });

  it('by recreate the old machine ends first', async () => {
    const world = smallWorld();
    const spec = { replace: { strategy: 'recreate' } };
    await world.apply(machines(1, 'img-1', spec), { estate });
    await settle(world);
    const least = watch(world);
    const { writes } = await world.apply(machines(1, 'img-2', spec), { estate });
    assert.deepEqual([writes, least()], [['TerminateInstances', 'RunInstances'], 0]);
  });

  it('is in the same groups from its launch', async () => {
    const world = smallWorld();
    await world.apply(machines(1, 'img-1'), { estate });
    await settle(world);
    const [before] = records(world);
    await world.apply(machines(1, 'img-2'), { estate });
    const runs = world.cloud.history.calls.filter(({ action }) => action === 'SetInstanceGroups');
    assert.deepEqual([records(world)[0]?.groups, runs], [before?.groups, []]);
  });

  it('the intent names the machine whose place is taken, and both halves take one place of the limit', async () => {
    const world = smallWorld();
    await world.apply(machines(2, 'img-1'), { estate });
    await settle(world);
    const old = records(world).map(({ id }) => id);
    const tight = { limits: { deletes: 0, replaces: 2, share: '100%' } };
    const { outcome } = await world.apply(machines(2, 'img-2'), { estate: tight });
    const again = await world.apply(machines(2, 'img-2'), { estate: tight });
    assert.deepEqual([outcome, again.outcome, imagesOf(world)], ['done', 'done', ['img-2', 'img-2']]);
    const named: unknown[] = [];
    for await (const { type, body } of world.store.ledger.entries({})) {
      const details = body['details'];
      if (type === 'intent' && body['verb'] === 'create' && typeof details === 'object' && details !== null)
        if ('successorOf' in details) named.push(details.successorOf);
    }
    assert.deepEqual(named, old);
  });
});

describe('a process that dies in a replacement by surge: the next one goes on', () => {
  const steps: readonly { readonly name: string; readonly at: Step }[] = [
    { name: 'before the intent to launch', at: ['intend', 'before', 1] },
    { name: 'after the intent to launch: nothing was sent', at: ['intend', 'after', 1] },
    { name: 'after the launch, unsettled: the successor is pending', at: ['settle', 'before', 1] },
    { name: 'after its settlement: the successor stands and is not ready', at: ['settle', 'after', 1] },
    { name: 'when it is ready, before the intent to end the predecessor', at: ['intend', 'before', 2] },
    { name: 'after that intent: nothing was ended', at: ['intend', 'after', 2] },
    { name: 'after the predecessor was ended, unsettled', at: ['settle', 'before', 2] },
    { name: 'after its settlement', at: ['settle', 'after', 2] },
  ];
  for (const { name, at } of steps)
    it(name, async () => {
      const world = smallWorld();
      await world.apply(machines(1, 'img-1'), { estate });
      await settle(world);
      const least = watch(world);
      const revive = killAt(world, at);
      const before = world.cloud.history.calls.length;
      await assert.rejects(world.apply(machines(1, 'img-2'), { estate }), Killed);
      revive();
      const all = await resume(world, machines(1, 'img-2'));
      assert.equal(all.at(-1)?.outcome, 'done');
      assert.deepEqual(imagesOf(world), ['img-2']);
      assert.equal(least(), 1);
      const calls = world.cloud.history.calls.slice(before);
      const count = (action: string): number => calls.filter((call) => call.action === action).length;
      assert.equal(count('RunInstances'), 1);
      assert.ok(count('TerminateInstances') <= 2, 'ended once, or asked for again after a lost answer');
      assert.deepEqual((await world.apply(machines(1, 'img-2'), { estate })).writes, []);
    });

  it('the successor died meanwhile: the predecessor stays, and the rollout stops', async () => {
    const world = smallWorld();
    await world.apply(machines(1, 'img-1'), { estate });
    await settle(world);
    const least = watch(world);
    const revive = killAt(world, ['settle', 'after', 1]);
    await assert.rejects(world.apply(machines(1, 'img-2'), { estate }), Killed);
    revive();
    const [successor] = records(world).filter(({ hardware }) => hardware.image === 'img-2');
    world.cloud.outside.do('TerminateInstances', { ids: [successor?.id ?? ''] });
    const [applied] = await resume(world, machines(1, 'img-2'));
    assert.deepEqual([imagesOf(world), least()], [['img-1'], 1]);
    assert.deepEqual(stops(applied), ['rollout-stopped']);
  });
});

describe('a successor that does not come up', () => {
  it('dies at boot: every predecessor stays, and the rollout stops', async () => {
    const world = smallWorld();
    await world.apply(machines(3, 'img-1'), { estate });
    await settle(world);
    const old = records(world).map(({ id }) => id);
    world.cloud.outside.breakImage('img-2', 1000);
    const applied = await world.apply(machines(3, 'img-2'), { estate });
    assert.equal(stops(applied).includes('rollout-stopped'), true);
    assert.deepEqual(
      records(world).map(({ id }) => id),
      old,
    );
    const failure = applied.rounds.flatMap(({ failed }) => failed)[0]?.failure;
    assert.match(failure?.message ?? '', /did not become ready; it was ended, and ins-\d+ stays/);
    assert.equal(launched(applied), 1);
  });

  it('never gets ready: it is ended under the place of its replacement', async () => {
    const world = smallWorld();
    await world.apply(machines(1, 'img-1'), { estate });
    await settle(world);
    const [old] = records(world);
    const { cloud } = world;
    const serve = cloud.serve.bind(cloud);
    Object.assign(cloud, {
      serve: async (...[caller, action, input]: Parameters<typeof serve>) => {
        const served = await serve(caller, action, input);
        // why: only machines have a state and hardware
        const page = served.output as { items?: { state: string; hardware?: { image: string } }[] } | undefined;
        if (action !== 'ListInstances' || !page?.items) return served;
        const items = page.items.map((one) =>
          one.hardware?.image === 'img-2' && one.state === 'running' ? { ...one, state: 'pending' } : one,
        );
        return { ...served, output: { ...page, items } };
      },
    });
    const applied = await world.apply(machines(1, 'img-2'), {
      estate: { limits: { deletes: 0, replaces: 1, share: '100%' } },
    });
    assert.deepEqual(applied.writes, ['RunInstances', 'TerminateInstances']);
    assert.deepEqual(
      records(world).map(({ id }) => id),
      [old?.id],
    );
  });
});

/** A replacement of three stopped right after the first successor came to stand. */
async function halfDone(): Promise<{ readonly world: SmallWorld; readonly pair: readonly string[] }> {
  const world = smallWorld();
  await world.apply(machines(3, 'img-1'), { estate });
  await settle(world);
  const [first] = records(world);
  const revive = killAt(world, ['settle', 'after', 1]);
  await assert.rejects(world.apply(machines(3, 'img-2'), { estate }), Killed);
  revive();
  await world.clock.advance(60_000);
  const successor = records(world).find(({ hardware }) => hardware.image === 'img-2');
  return { world, pair: [first?.id ?? '', successor?.id ?? ''] };
}

const whys = ({ last }: Applied): string => (last?.plan.findings ?? []).map(({ why }) => why).join('\n');

describe('surge and other rules', () => {
  it('× scale-down to nothing: predecessor and successor both go', async () => {
    const { world } = await halfDone();
    await world.apply(machines(0, 'img-2'), { estate });
    assert.deepEqual(records(world), []);
  });

  it('× scale-down to the one that is being replaced: it is replaced, and never loses both', async () => {
    const { world } = await halfDone();
    const least = watch(world);
    await resume(world, machines(1, 'img-2'));
    assert.deepEqual([imagesOf(world), least() >= 1], [['img-2'], true]);
  });

  it('× protect: it forbids ending the predecessor, and the plan names both', async () => {
    const { world, pair } = await halfDone();
    const applied = await world.apply(machines(3, 'img-2', { protect: true }), { estate });
    assert.equal(applied.writes.includes('TerminateInstances'), false);
    assert.equal(records(world).length, 4);
    assert.match(
      whys(applied),
      new RegExp(`protected.*half done: ${pair[0]} and its successor ${pair[1]} both exist since 20`),
    );
  });

  it('× a pause: nothing is ended or launched, and the finding names both, since when, and what comes next', async () => {
    const { world, pair } = await halfDone();
    const until = world.clock.now() + 3_600_000;
    const pause = { what: 'all', of: { by: 'estate' }, person: 'ada', until, reason: 'incident' } as const;
    const { wanted } = compiled([...head, ...machines(3, 'img-2')], dialect).scope;
    const planner: Planner = (observation, knowledge) =>
      plan({ wanted, observation, knowledge, dialect, choices: { holds: [pauseHold([pause], wanted)] } });
    const before = records(world).length;
    const applied = await world.apply(machines(3, 'img-2'), { estate, job: { plan: planner } });
    assert.deepEqual([applied.writes, records(world).length], [[], before]);
    assert.match(
      whys(applied),
      new RegExp(`paused for the estate by ada.*${pair[0]} and its successor ${pair[1]} both exist since 20`),
    );
    assert.match(whys(applied), new RegExp(`${pair[0]} as soon as ${pair[1]} is ready`));
    const half = async () => unfinishedReplacements(await world.store.inventory.knowledge('acme', applied.scope.scope));
    const [one, ...others] = await half();
    assert.deepEqual([[one?.predecessor, one?.successor], others], [pair, []]);
    assert.match(one?.waitsFor ?? '', new RegExp(`^(the end of ${pair[0]}|${pair[1]} to be ready)$`));
    await resume(world, machines(3, 'img-2'));
    assert.deepEqual(imagesOf(world), ['img-2', 'img-2', 'img-2']);
    assert.deepEqual(await half(), []);
  });

  it('× specs that go back: the successor is withdrawn, the predecessor was never touched', async () => {
    const { world, pair } = await halfDone();
    await world.apply(machines(3, 'img-1'), { estate });
    assert.deepEqual(imagesOf(world), ['img-1', 'img-1', 'img-1']);
    assert.ok(records(world).some(({ id }) => id === pair[0]));
  });

  it('× specs that move on: a successor that is outdated is withdrawn, and another takes the place', async () => {
    const { world } = await halfDone();
    const least = watch(world);
    await resume(world, machines(3, 'img-3'));
    assert.deepEqual([imagesOf(world), least()], [['img-3', 'img-3', 'img-3'], 3]);
  });
});

describe('surge and what machines are given', () => {
  it('× publicIp: the successor has one too, while the old one still answers', async () => {
    const world = smallWorld();
    const open = [{ ...network, spec: { ...network.spec, internet: true } }];
    const documents = (image: string) => [...open, ...machines(1, image, { publicIp: true }).slice(1)];
    await world.apply(documents('img-1'), { estate });
    await settle(world);
    const least = watch(world);
    await world.apply(documents('img-2'), { estate });
    assert.deepEqual([records(world)[0]?.place.publicIp, least()], [true, 1]);
  });

  it('× maxUnavailable: one replacement at a time, so never more than one machine beyond the replicas', async () => {
    const world = smallWorld();
    await world.apply(machines(4, 'img-1'), { estate });
    await settle(world);
    let most = 0;
    const { cloud } = world;
    const serve = cloud.serve.bind(cloud);
    Object.assign(cloud, {
      serve: async (...asked: Parameters<typeof serve>) => {
        const served = await serve(...asked);
        most = Math.max(most, records(world).length);
        return served;
      },
    });
    await world.apply(machines(4, 'img-2'), { estate });
    assert.equal(most, 5);
  });

  it('two machines of which neither was launched for the other are for a person to judge', async () => {
    const world = smallWorld();
    await world.apply(machines(1, 'img-1'), { estate });
    const [one] = records(world);
    world.cloud.outside.moreLike(one?.id ?? '');
    const { writes } = await world.apply(machines(1, 'img-2'), { estate });
    assert.deepEqual(writes, ['RunInstances', 'TerminateInstances']);
    assert.equal(records(world).length, 2);
  });
});

describe('a recreation of an adopted machine whose launch fails', () => {
  const adopting = (id: string, image: string, spec: object = {}) => {
    const [core, web] = machines(1, image, { replace: { strategy: 'recreate' }, ...spec });
    return [core ?? {}, { ...web, metadata: { name: 'web', adopt: { here: id } } }];
  };

  /** A machine of a colleague, which the document `web` adopts. */
  async function adopted(): Promise<{ readonly world: SmallWorld; readonly id: string }> {
    const world = smallWorld();
    await world.apply(machines(1, 'img-1', { replicas: 0 }), { estate });
    const [subnet] = world.cloud.inspect.live().filter(({ type }) => type === 'subnet');
    const where = { subnet: subnet?.record.id ?? '', publicIp: false, groups: [] };
    const hardware = { image: 'img-1', size: 'small', disk: {} };
    const [machine] = world.cloud.outside.do('RunInstances', { token: 'mine', count: 1, tags: {}, where, hardware });
    const id = machine?.id ?? '';
    await settle(world);
    await world.apply(adopting(id, 'img-1'), { estate });
    await settle(world);
    return { world, id };
  }

  for (const hours of [0, 24])
    it(`goes on with the launch ${hours} h later, and then forgets the old machine`, async () => {
      const { world, id } = await adopted();
      world.cloud.faults.add({ on: 'RunInstances', fault: { do: 'refuse', code: 'QuotaExceeded' } });
      const failed = await world.apply(adopting(id, 'img-2'), { estate });
      assert.deepEqual([failed.outcome, imagesOf(world)], ['failed', []]);
      for (let hour = 0; hour < hours; hour += 1) {
        await world.clock.advance(3_600_000);
        assert.equal(launched(await world.apply(adopting(id, 'img-2'), { estate })), 1);
      }
      world.cloud.faults.clear();
      await world.apply(adopting(id, 'img-2'), { estate });
      assert.deepEqual(imagesOf(world), ['img-2']);
      await settle(world);
      const { outcome, scope } = await world.apply(adopting(id, 'img-2'), { estate });
      const { ended } = await world.store.inventory.knowledge('acme', scope.scope);
      assert.deepEqual([outcome, ended?.has(id)], ['done', false]);
    });

  it('a colleague deleted the machine: nothing is launched', async () => {
    const { world, id } = await adopted();
    world.cloud.outside.do('TerminateInstances', { ids: [id] });
    await settle(world);
    for (const image of ['img-1', 'img-2', 'img-2']) {
      const applied = await world.apply(adopting(id, image), { estate });
      assert.deepEqual([stops(applied), launched(applied)], [['adopt-missing'], 0]);
      await settle(world);
    }
  });

  it('its document is removed and comes back: nothing is launched', async () => {
    const { world, id } = await adopted();
    const doomed = adopting(id, 'img-1', { deletionPolicy: 'delete' });
    await world.apply(doomed, { estate });
    assert.deepEqual((await world.apply([network], { estate })).writes, ['TerminateInstances']);
    for (let round = 0; round < 2; round += 1) {
      const applied = await world.apply(adopting(id, 'img-1'), { estate });
      assert.deepEqual([stops(applied), launched(applied)], [['adopt-missing'], 0]);
      await settle(world);
    }
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { actionDigest } from '../../src/core/digest.ts';
import { sha256 } from '../../src/estate/sha256.ts';
import { authorityOf } from '../../src/store/tombstones.ts';
import { group, machineIn, network, rule } from '../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, where } from '../support/fleet-world.ts';

const machine = machineIn({ image: 'img-1', size: 'small', deletionPolicy: 'delete' });
const ground = network({ internet: false, deletionPolicy: 'delete' });
const web = (spec: Readonly<Record<string, unknown>> = {}) => machine('web', spec);
const https = rule('https');
/** Its group is named by a rule, so a machine of it goes alone. */
const base = [ground, https];
const many = { limits: { deletes: 50, share: '100%' } };
const by = { person: 'ada', reason: 'looked at' };
const [minute, hour] = [60_000, 3_600_000];

/** The live objects by type: ids and attributes as the cloud shows them, in one order. */
const objects = ({ cloud }: FleetWorld, ...types: readonly string[]): readonly string[] =>
  cloud.inspect
    .live()
    .filter(({ type }) => types.length === 0 || types.includes(type))
    .map(({ type, id }) => `${type} ${id}`)
    .toSorted();

async function later(world: FleetWorld, ms: number) {
  await world.clock.advance(ms);
  return world.reconcile();
}

async function standing(documents: readonly object[], estate: object = {}): Promise<FleetWorld> {
  const world = fleetWorld();
  await world.accept(documents, estate);
  assert.equal((await world.reconcile()).outcome, 'done');
  await later(world, 2 * hour);
  return world;
}

const tombstones = async ({ store }: FleetWorld) =>
  [...((await store.inventory.knowledge(where.estate, where.scope)).tombstones ?? [])].map(([, one]) => one);

const notes = async ({ store }: FleetWorld, name: string): Promise<number> => {
  let count = 0;
  for await (const { type, body } of store.ledger.entries({ estate: where.estate }))
    if (type === 'note' && JSON.stringify(body['note']).startsWith(`{"${name}":`)) count += 1;
  return count;
};

describe('a removed machine', () => {
  it('runs for an hour, and is deleted then', async () => {
    const world = await standing([...base, web()]);
    await world.accept(base);
    const first = await world.reconcile();
    assert.deepEqual([first.writes, first.outcome], [[], 'done']);
    assert.match(world.said().at(-1) ?? '', /withheld: grace 1/);
    assert.deepEqual((await later(world, 59 * minute)).writes, []);
    assert.deepEqual((await later(world, 2 * minute)).writes, ['TerminateInstances']);
    assert.deepEqual(objects(world, 'instance'), []);
    assert.deepEqual(await tombstones(world), []);
  });

  it('stays where its document comes back in time, and no call is sent', async () => {
    const world = await standing([...base, web()]);
    const before = objects(world);
    await world.accept(base);
    await world.reconcile();
    await world.accept([...base, web()]);
    assert.deepEqual((await later(world, 30 * minute)).writes, []);
    assert.deepEqual(await tombstones(world), []);
    assert.equal(await notes(world, 'endGrace'), 1);
    assert.deepEqual((await later(world, 24 * hour)).writes, []);
    assert.deepEqual(objects(world), before);
  });

  it('has its whole grace when it is removed once more', async () => {
    const world = await standing([...base, web()]);
    await world.accept(base);
    await world.reconcile();
    await world.accept([...base, web()]);
    await later(world, 50 * minute);
    await world.accept(base);
    assert.deepEqual((await later(world, 20 * minute)).writes, []);
    assert.deepEqual((await later(world, 59 * minute)).writes, []);
    assert.deepEqual((await later(world, 2 * minute)).writes, ['TerminateInstances']);
  });

  it('has it also where no reconcile saw the generation that wanted it again', async () => {
    const world = await standing([...base, web()]);
    await world.accept(base);
    await world.reconcile();
    await world.clock.advance(2 * hour);
    await world.accept([...base, web()]);
    await world.accept(base);
    assert.deepEqual((await world.reconcile()).writes, []);
    assert.deepEqual((await later(world, 61 * minute)).writes, ['TerminateInstances']);
  });

  it('keeps the end of its grace in other generations that do not want it, seen or not', async () => {
    const world = await standing([...base, web()]);
    await world.accept(base);
    await world.reconcile();
    for (const port of [1, 2]) await world.accept([ground, rule('https', { ports: [port] })]);
    await later(world, 30 * minute);
    await world.accept([ground, rule('https', { ports: [3] })]);
    assert.deepEqual(objects(world, 'instance').length, 1);
    assert.ok((await later(world, 31 * minute)).writes.includes('TerminateInstances'));
  });

  it('is changed by the generation that wants it again otherwise', async () => {
    const world = await standing([...base, machine('web', {}, { labels: { tier: 'a' } })]);
    const before = objects(world, 'instance');
    await world.accept(base);
    await world.reconcile();
    await world.accept([...base, machine('web', {}, { labels: { tier: 'b' } })]);
    assert.deepEqual((await later(world, 2 * hour)).writes, ['TagObjects']);
    assert.deepEqual(objects(world, 'instance'), before);
    assert.deepEqual((await later(world, 2 * hour)).writes, []);
  });

  it('is left as people change it', async () => {
    const world = await standing([...base, machine('web', {}, { labels: { tier: 'a' } })]);
    await world.accept(base);
    await world.reconcile();
    const [found] = world.cloud.inspect.live().filter(({ type }) => type === 'instance');
    world.cloud.outside.do('TagObjects', { ids: [found?.id ?? ''], tags: { tier: 'by hand' } });
    assert.deepEqual((await later(world, 30 * minute)).writes, []);
  });

  it('is not protected by a former generation that still wants it while another change waits', async () => {
    const world = await standing([...base, web(), machine('db', {}, { labels: { tier: 'a' } })]);
    await world.accept([...base, machine('db', { mode: 'plan' }, { labels: { tier: 'b' } })]);
    await world.reconcile();
    assert.equal((await tombstones(world)).length, 1);
    assert.deepEqual((await later(world, 61 * minute)).writes, ['TerminateInstances']);
  });
});

describe('a removed machine that gets another name', () => {
  it('has its whole grace where no reconcile saw the generation that named it so', async () => {
    const world = await standing([...base, web()]);
    await world.accept(base);
    await world.reconcile();
    await world.clock.advance(2 * hour);
    await world.accept([...base, machine('api', {}, { was: ['web'] })]);
    await world.accept(base);
    assert.deepEqual((await world.reconcile()).writes, []);
    assert.deepEqual((await later(world, 61 * minute)).writes, ['TerminateInstances']);
  });

  it('stays where its document comes back under another name, after its grace', async () => {
    const world = await standing([...base, web()]);
    const before = objects(world, 'instance');
    await world.accept(base);
    await world.reconcile();
    await world.clock.advance(2 * hour);
    await world.accept([...base, machine('api', {}, { was: ['web'] })]);
    assert.ok(!(await world.reconcile()).writes.includes('TerminateInstances'));
    await later(world, 24 * hour);
    assert.deepEqual(objects(world, 'instance'), before);
  });
});

it('surplus machines keep their ids where the document is scaled up again in time', async () => {
  const world = await standing([...base, web({ replicas: 3 })]);
  const before = objects(world);
  await world.accept([...base, web({ replicas: 1 })]);
  assert.deepEqual((await world.reconcile()).writes, []);
  assert.equal((await tombstones(world)).length, 2);
  await world.accept([...base, web({ replicas: 3 })]);
  assert.deepEqual((await later(world, 30 * minute)).writes, []);
  assert.deepEqual(objects(world), before);
  await world.accept([...base, web({ replicas: 1 })]);
  await world.reconcile();
  await later(world, 61 * minute);
  assert.equal(objects(world, 'instance').length, 1);
});

describe('rules', () => {
  const ssh = rule('ssh', { ports: [22] });

  it('removed alone close at once', async () => {
    const world = await standing([ground, web(), https, ssh]);
    await world.accept([ground, web(), https]);
    assert.deepEqual((await world.reconcile()).writes, ['RevokeRules']);
  });

  it('removed with a machine that a gap hides stay until the listing is whole, and then for the grace of the machine', async () => {
    const rest = [
      ground,
      group('web'),
      rule('ssh', { group: 'other', ports: [22] }),
      machine('o', { groups: ['other'] }),
    ];
    const world = await standing([...rest, https, web()]);
    const before = objects(world);
    await world.accept(rest);
    world.cloud.faults.add({ on: 'ListInstances', times: 99, fault: { do: 'refuse', code: 'Denied' } });
    assert.deepEqual((await world.reconcile()).writes, []);
    assert.match(world.said().at(-1) ?? '', /withheld: depends 1/);
    world.cloud.faults.clear();
    assert.deepEqual((await later(world, minute)).writes, []);
    assert.equal((await tombstones(world)).length, 2);
    assert.deepEqual(objects(world), before);
    assert.ok((await later(world, 61 * minute)).writes.includes('TerminateInstances'));
  });

  it('removed with all machines that they apply to stay as long as these', async () => {
    const world = await standing([ground, web(), machine('db', { groups: ['db'] }), https]);
    const before = objects(world);
    await world.accept([ground, machine('db', { groups: ['db'] })]);
    assert.deepEqual((await world.reconcile()).writes, []);
    assert.deepEqual(objects(world), before);
    const { writes } = await later(world, 61 * minute);
    assert.ok(writes.includes('TerminateInstances'), 'the machine goes');
  });

  it('removed with one of two machines of their group close at once', async () => {
    const world = await standing([ground, web(), machine('other'), https]);
    await world.accept([ground, machine('other')]);
    assert.deepEqual((await world.reconcile()).writes, ['RevokeRules']);
  });

  it('of another machine from a group that goes stay as long as its machines', async () => {
    const fromWeb = rule('db', { ports: [5432], group: 'db', peers: { groups: ['web'] } });
    const world = await standing([ground, web(), machine('db', { groups: ['db'] }), fromWeb]);
    await world.accept([ground, machine('db', { groups: ['db'] })]);
    assert.deepEqual((await world.reconcile()).writes, []);
  });

  it('outlive their grace while a machine that they are for does', async () => {
    const world = await standing([ground, web(), https]);
    await world.accept([ground]);
    await world.reconcile();
    await world.store.fleet.pauses.begin(where.estate, {
      ...{ what: 'all', of: { by: 'address', name: 'memory/acme/north/instance/web' } },
      ...{ ...by, until: world.clock.now() + 100 * hour },
    });
    assert.deepEqual((await later(world, 50 * hour)).writes, []);
    assert.match(world.said().at(-1) ?? '', /paused 1/);
    assert.match(world.said().at(-1) ?? '', /depends/);
  });
});

it('a removed network stands for a day with all that is in it, and goes children first', async () => {
  const world = await standing([ground, web(), https], many);
  const before = objects(world);
  await world.accept([], many);
  assert.deepEqual((await world.reconcile()).writes, []);
  assert.deepEqual(objects(world), before);
  assert.deepEqual((await later(world, 61 * minute)).writes, ['TerminateInstances']);
  assert.deepEqual((await later(world, 21 * hour)).writes, []);
  await later(world, 2 * hour);
  await later(world, hour);
  assert.deepEqual(objects(world), []);
});

it('a folder that is deleted and put back costs nothing', async () => {
  const world = await standing([ground, web({ replicas: 2 }), https], many);
  const before = objects(world);
  const writes = world.cloud.history.calls.filter(({ mutating }) => mutating).length;
  await world.accept([], many);
  await world.reconcile();
  assert.ok((await tombstones(world)).length > 5);
  await later(world, 30 * minute);
  await world.accept([ground, web({ replicas: 2 }), https], many);
  await world.reconcile();
  await later(world, 30 * hour);
  assert.deepEqual(objects(world), before);
  assert.equal(world.cloud.history.calls.filter(({ mutating }) => mutating).length, writes);
});

describe('at its end a deletion is judged again', () => {
  const removed = async (estate: object = {}): Promise<FleetWorld> => {
    const world = await standing([...base, web()], estate);
    await world.accept(base, estate);
    await world.reconcile();
    assert.equal((await tombstones(world)).length, 1);
    return world;
  };

  it('by pauses', async () => {
    const world = await removed();
    const pause = { what: 'all', of: { by: 'estate' }, ...by, until: world.clock.now() + 3 * hour } as const;
    await world.store.fleet.pauses.begin(where.estate, pause);
    assert.deepEqual((await later(world, 2 * hour)).writes, []);
    assert.deepEqual((await later(world, 2 * hour)).writes, ['TerminateInstances']);
  });

  it('by the mode of a newer generation', async () => {
    const world = await removed();
    await world.accept(base, { mode: 'plan' });
    assert.deepEqual((await later(world, 2 * hour)).writes, []);
    assert.match(world.said().at(-1) ?? '', /mode 1/);
  });

  it('by freezes', async () => {
    const world = await removed();
    const day = (ms: number) => new Date(world.clock.now() + ms).toISOString().slice(0, 16);
    const freeze = { name: 'sale', from: day(-hour), to: day(10 * hour), reason: 'the sale' };
    await world.accept(base, { freezes: [freeze] });
    assert.deepEqual((await later(world, 2 * hour)).writes, []);
    assert.match(world.said().at(-1) ?? '', /freeze 1/);
  });

  it('by a grace that a commit shortened, from the next one on', async () => {
    const world = await standing([...base, web()]);
    await world.accept(base, { deletionGracePeriod: { instance: '0s' } });
    assert.deepEqual((await world.reconcile()).writes, []);
    const at = await standing([...base, web()], { deletionGracePeriod: { instance: '0s' } });
    await at.accept(base, { deletionGracePeriod: { instance: '0s' } });
    assert.deepEqual((await at.reconcile()).writes, ['TerminateInstances']);
  });
});

describe('places of limits and approvals are spent when the grace begins', () => {
  const limits = { deletes: 1, share: '100%' };

  it('once for each removal', async () => {
    const world = await standing([...base, web(), machine('db')], { limits });
    await world.accept([...base, machine('db')], { limits });
    await world.reconcile();
    const { spent } = world.store.generations;
    const number = (await world.store.generations.current(where.estate))?.number ?? 0;
    assert.equal((await spent(where.estate, number)).generation.deletes, 1);
    assert.deepEqual((await later(world, 61 * minute)).writes, ['TerminateInstances']);
    assert.equal((await spent(where.estate, number)).generation.deletes, 1);
  });

  it('so that more than the limit begin none', async () => {
    const world = await standing([...base, web({ replicas: 3 })], { limits });
    await world.accept([...base, web({ replicas: 1 })], { limits });
    await world.reconcile();
    assert.deepEqual(await tombstones(world), []);
    assert.match(world.said().at(-1) ?? '', /limit 2/);
  });
});

describe('the approval by which a grace began', () => {
  const approve = async (world: FleetWorld, generation: number): Promise<void> => {
    const [observation] = await world.store.inventory.latest(where.estate);
    const observed = observation?.resources.find(({ kind }) => kind === 'instance');
    assert.ok(observed);
    const subnet = 'memory/acme/north/subnet/core.app';
    const attributes = {
      ...observed.attributes,
      ...{ groups: ['memory/acme/north/group/core.all', 'memory/acme/north/group/core.web'] },
      placement: { ...('placement' in observed.attributes ? observed.attributes.placement : {}), subnet },
    };
    const action = {
      ...{ verb: 'delete', kind: 'instance', address: 'memory/acme/north/instance/web-0', documents: [] },
      ...{ cause: 'rollout', because: 'removed', observed: { ...observed, attributes } },
    };
    // why: only its digest counts
    const digest = actionDigest(action as never, sha256);
    await world.store.fleet.approvals.give({
      ...{ ...where, generation, digest: 'shown', actions: [digest], destroys: 1, by },
      until: world.clock.now() + hour / 2,
    });
  };

  const approved = async (): Promise<FleetWorld> => {
    const world = await standing([...base, web()]);
    await world.accept(base);
    await world.accept(base, { mode: 'plan' });
    const generation = await world.accept([...base, rule('ssh', { ports: [22] })], { mode: 'plan' });
    await world.reconcile();
    await approve(world, generation);
    await world.reconcile();
    assert.equal((await tombstones(world)).length, 1, 'the approval lets it begin');
    return world;
  };

  it('an approval that is spent lets the deletion pass at the end, though it ran out', async () => {
    const world = await approved();
    assert.deepEqual((await later(world, 61 * minute)).writes, ['TerminateInstances']);
  });

  it('one that a person withdraws does not', async () => {
    const world = await approved();
    const [stone] = await tombstones(world);
    await world.store.fleet.approvals.withdraw(where.estate, stone?.approval?.seqs[0] ?? 0, by);
    assert.deepEqual((await later(world, 61 * minute)).writes, []);
    assert.match(world.said().at(-1) ?? '', /approvals 1/);
  });

  it('nor does it in mode enforce, until somebody approves it again', async () => {
    const world = await approved();
    const [stone] = await tombstones(world);
    await world.store.fleet.approvals.withdraw(where.estate, stone?.approval?.seqs[0] ?? 0, by);
    const enforced = [...base, rule('ssh', { ports: [22] })];
    await world.accept(enforced);
    await later(world, minute);
    const generation = await world.accept(enforced);
    for (const _ of [1, 2]) {
      assert.deepEqual((await later(world, 61 * minute)).writes, []);
      assert.match(world.said().at(-1) ?? '', /approvals 1/);
    }
    await approve(world, generation);
    assert.deepEqual((await later(world, minute)).writes, ['TerminateInstances']);
  });

  it('nor one that a person withdraws after it ran out', async () => {
    const world = await approved();
    const [stone] = await tombstones(world);
    await later(world, 40 * minute);
    assert.ok(await world.store.fleet.approvals.withdraw(where.estate, stone?.approval?.seqs[0] ?? 0, by));
    assert.deepEqual((await later(world, 25 * minute)).writes, []);
    assert.match(world.said().at(-1) ?? '', /approvals 1/);
  });

  it('nor one that a person withdraws after another commit', async () => {
    const world = await approved();
    const [stone] = await tombstones(world);
    await world.accept([...base, rule('ssh', { ports: [23] })], { mode: 'plan' });
    await later(world, minute);
    assert.ok(await world.store.fleet.approvals.withdraw(where.estate, stone?.approval?.seqs[0] ?? 0, by));
    assert.deepEqual((await later(world, 61 * minute)).writes, []);
  });

  it('the tombstone that a person began knows the approvals that it needed', () => {
    const approval = { seqs: [1, 2], withdrawn: true };
    assert.deepEqual(authorityOf(true, approval), { authority: 'person', approval });
    assert.deepEqual(authorityOf(true, undefined), { authority: 'person' });
  });
});

it('a worker that dies in between records a tombstone once', async () => {
  const world = await standing([...base, web()]);
  await world.accept(base);
  const { settle } = world.store.ledger;
  let died = false;
  Object.assign(world.store.ledger, {
    settle: async (...given: Parameters<typeof settle>) => {
      if (died) return settle(...given);
      died = true;
      throw new Error('the process dies');
    },
  });
  await assert.rejects(world.reconcile());
  assert.deepEqual(await tombstones(world), []);
  await later(world, minute);
  assert.equal((await tombstones(world)).length, 1);
  assert.deepEqual((await later(world, 61 * minute)).writes, ['TerminateInstances']);
});

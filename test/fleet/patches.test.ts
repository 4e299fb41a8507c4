import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { acceptSpecs, keptSpecs, openEstate } from '../../src/estate/load.ts';
import { besideActive } from '../../src/estate/patches.ts';
import { dueEnder, revisionAcceptor } from '../../src/fleet/accept.ts';
import type { Source } from '../../src/fleet/worker-context.ts';
import { Declined } from '../../src/ports/queries.ts';
import { beginPatch, endPatch, type PatchAsked, type PatchGrounds, planPatch } from '../../src/queries/patches.ts';
import { parseStored } from '../../src/source/stored-tree.ts';
import { machineIn, network, rule } from '../support/engine-world/documents.ts';
import { sshKey } from '../support/fixtures.ts';
import { type FleetWorld, fleetWorld, there, today, treeOf, where } from '../support/fleet-world.ts';

const machine = machineIn({ image: 'img-1', size: 'small' });
const ground = [
  network({ internet: false }),
  rule('https'),
  machine('web', { replicas: 2 }, { labels: { tier: 'a' } }),
];
const hour = 3_600_000;
const { estate } = where;

const standing = async (documents: readonly object[] = ground, fields: object = {}): Promise<FleetWorld> => {
  const world = fleetWorld();
  await world.accept(documents, fields);
  assert.equal((await world.reconcile()).outcome, 'done');
  return world;
};
const groundsOf = ({ store, context }: FleetWorld): PatchGrounds => ({
  store,
  parse: context.outside.specs,
  open: (tree) => openEstate(tree, context.outside.cloud, today),
});
const askedOf = ({ clock }: FleetWorld, fields: object, more: object = {}): PatchAsked => ({
  ...{ estate, address: 'instance/web', by: { person: 'ada', reason: '#4711' }, until: clock.now() + hour },
  fields: Object.entries(fields).map(([field, value]) => ({ field, value })),
  ...more,
});
const patched = async (world: FleetWorld, fields: object, more: object = {}) => {
  const planned = await planPatch(askedOf(world, fields, more), groundsOf(world));
  const { number } = await beginPatch(planned, [], groundsOf(world));
  return { id: planned.patch.id, number };
};
const refusal = async (world: FleetWorld, fields: object, more: object = {}) => {
  const error: unknown = await planPatch(askedOf(world, fields, more), groundsOf(world)).then(
    () => assert.fail('nothing was refused'),
    (why: unknown) => why,
  );
  assert.ok(error instanceof Declined, String(error));
  return error.message;
};
const machines = ({ cloud }: FleetWorld) => cloud.inspect.live().filter(({ type }) => type === 'instance');
const sizes = (world: FleetWorld): readonly string[] =>
  machines(world).map(({ record }) => JSON.parse(JSON.stringify(record)).hardware.size);
const later = (world: FleetWorld, ms: number) => world.clock.run(() => world.clock.sleep(ms));
const ended = async ({ store }: FleetWorld) =>
  (await store.fleet.patches.ended(estate, 9)).map(({ id, end }) => [id, end.as]);
const numberOf = async ({ store }: FleetWorld) => (await store.generations.current(estate))?.number ?? 0;
const web = (spec: object) => [
  ...ground.slice(0, 2),
  machine('web', { replicas: 2, ...spec }, { labels: { tier: 'a' } }),
];

describe('a patch', () => {
  it('changes the machines, holds through other commits, and is healed back at its end', async () => {
    const world = await standing();
    const ids = machines(world).map(({ id }) => id);
    assert.equal((await patched(world, { size: 'large' })).number, 2);
    await world.reconcile();
    assert.deepEqual(sizes(world), ['large', 'large']);
    await world.accept([...ground, rule('http', { ports: [80] })]);
    assert.ok((await world.reconcile()).writes.includes('AuthorizeRules'));
    assert.deepEqual(sizes(world), ['large', 'large']);
    await dueEnder(world.context)();
    assert.equal(await numberOf(world), 3);
    await later(world, hour);
    await dueEnder(world.context)();
    assert.deepEqual([await numberOf(world), await ended(world)], [4, [[1, 'expired']]]);
    await world.reconcile();
    assert.deepEqual([sizes(world), machines(world).map(({ id }) => id)], [['small', 'small'], ids]);
  });

  for (const [name, documents] of [
    ['a commit on the same field', web({ size: 'medium' })],
    ['a commit that says the same', web({ size: 'large' })],
    ['a commit without its document', ground.slice(0, 2)],
  ] as const)
    it(`ends with ${name}`, async () => {
      const world = await standing();
      await patched(world, { size: 'large' });
      await world.accept(documents);
      assert.deepEqual(await ended(world), [[1, 'commit']]);
      assert.deepEqual(await world.store.fleet.patches.active(estate), []);
    });

  it('ends where the specs are not valid beside it any more', async () => {
    const world = await standing();
    await patched(world, { ports: [443, 22] }, { address: 'core.https' });
    await world.accept([
      network({ internet: false }),
      rule('https', { protocol: 'icmp', ports: undefined }),
      ...ground.slice(2),
    ]);
    assert.deepEqual(await ended(world), [[1, 'commit']]);
  });

  it('ends by a person, who is the author of that generation', async () => {
    const world = await standing();
    const { id } = await patched(world, { size: 'large' });
    await world.reconcile();
    const by = { person: 'eve', reason: 'normal again' };
    const theirs = [{ owners: ['team-db'] }];
    const others = [
      [{ seen: theirs, mine: theirs }, /No patch is active/],
      [{ seen: [{}], mine: theirs }, /permission operate/],
    ] as const;
    for (const [bounds, why] of others)
      await assert.rejects(endPatch({ estate, id, by, ...bounds }, groundsOf(world)), why);
    assert.equal((await endPatch({ estate, id, by }, groundsOf(world))).generation.number, 3);
    await world.reconcile();
    assert.deepEqual(sizes(world), ['small', 'small']);
    const authors = await world.store.authors.since(estate, 1, 9);
    assert.deepEqual(
      authors.map(({ authors: its }) => its?.names),
      [['ada'], ['eve']],
    );
    await assert.rejects(endPatch({ estate, id, by }, groundsOf(world)), /No patch is active/);
  });

  it('is refused where another one sets the field, unless it takes its place', async () => {
    const world = await standing();
    const { id } = await patched(world, { size: 'large', 'labels.tier': 'b' });
    assert.match(await refusal(world, { size: 'huge' }), /Patch #1 by ada sets `size` already.*--replace 1/);
    await patched(world, { size: 'huge' }, { replaces: id });
    await world.reconcile();
    assert.deepEqual([sizes(world), await ended(world)], [['huge', 'huge'], [[1, 'replaced']]]);
    assert.equal(machines(world)[0]?.record.tags['tier'], 'a');
  });
});

describe('a patch of a caller with a limited grant', () => {
  it('takes the place of one only that its caller sees and may end, and of the same document', async () => {
    const owned = machine('db', {}, { owner: 'team-db' });
    const world = await standing([...ground, owned]);
    const { id } = await patched(world, { size: 'large' });
    const theirs = [{ owners: ['team-db'] }];
    const ask = (more: object) => refusal(world, { size: 'huge' }, { address: 'instance/db', replaces: id, ...more });
    assert.equal(await ask({ seen: theirs, mine: theirs }), 'No patch is active.');
    assert.match(await ask({ seen: [{}], mine: theirs }), /permission operate/);
    assert.match(await ask({}), /Patch #1 is of Instance web, and a patch takes the place of one of its own document/);
    const { id: own } = await patched(world, { size: 'large' }, { address: 'instance/db' });
    assert.match(await ask({ seen: theirs, mine: theirs }), /^No active patch has this number. Active: #2$/);
    const more = { address: 'instance/db', replaces: own, seen: theirs, mine: theirs };
    await patched(world, { size: 'huge' }, more);
    assert.deepEqual(await ended(world), [[2, 'replaced']]);
  });

  it('changes a document only that is theirs on all of its targets, also where it makes nothing yet', async () => {
    const both = { targets: ['here', 'there'], on: { there: { replicas: 0 } } };
    const wide = network({ internet: false, targets: ['here', 'there'] });
    const world = await standing([there, wide, machine('web', both)]);
    const launch = { 'on.there.replicas': 5 };
    const bounds = { seen: [{}], mine: [{ targets: ['here'] }] };
    assert.match(await refusal(world, launch, { ...bounds, address: 'north/instance/web' }), /permission operate/);
    const named = { address: 'north/instance/web', mine: [{ targets: ['here'] }, { targets: ['there'] }] };
    await patched(world, launch, named);
    assert.match(await refusal(world, { size: 'large' }, { ...named, seen: bounds.mine }), /No document that a patch/);
  });

  it('changes no field that reaches machines of other owners', async () => {
    const owner = 'team-web';
    const own = [rule('http', { ports: [80] }, { owner }), machine('db', {}, { owner })];
    const world = await standing([...ground, ...own]);
    const bounds = { seen: [{}], mine: [{ owners: [owner] }] };
    const peers = { 'peers.cidrs': ['10.0.0.0/8'] };
    for (const [address, fields, field] of [
      ['core.http', { group: 'db' }, 'group'],
      ['core.http', { 'spec.appliesTo': { network: true } }, 'appliesTo'],
      ['core.http', peers, 'peers.cidrs'],
      ['instance/db', { groups: ['web', 'db'] }, 'groups'],
      ['instance/db', { 'on.here.groups': ['web', 'db'] }, 'on.here.groups'],
    ] as const)
      assert.match(
        await refusal(world, fields, { ...bounds, address }),
        new RegExp(`^\`${field}.*\` decides which machines .* limited to owners`),
      );
    await patched(world, { ports: [81] }, { ...bounds, address: 'core.http' });
    await patched(world, peers, { address: 'core.http', mine: [...bounds.mine, { targets: ['here'] }] });
  });
});

describe('a patch beside required signatures', () => {
  it('does not begin, as it is no commit that a signer signed, and one of before ends', async () => {
    const world = await standing();
    const { id } = await patched(world, { size: 'large' });
    const signers = [{ name: 'ada', email: 'ada@acme.example', ssh: sshKey }];
    await world.accept(ground, { signatures: { required: true, signers } });
    assert.match(await refusal(world, { 'labels.tier': 'b' }), /requires signed commits, and a patch is no commit/);
    assert.match(await refusal(world, { size: 'huge' }, { replaces: id }), /Commit the values, signed by a signer/);
    await endPatch({ estate, id, by: { person: 'eve', reason: 'x' } }, groundsOf(world));
    assert.deepEqual(await ended(world), [[1, 'person']]);
  });
});

describe('a patch is refused that', () => {
  for (const [fields, why, more] of [
    [{ protect: true }, /is a guard/],
    [{ mode: 'observe' }, /is a guard/],
    [{ 'on.here.ignore': [] }, /is a guard/],
    [{ deletionPolicy: 'delete' }, /is a guard/],
    [{ image: 'img-2' }, /replaces the machine/],
    [{ 'metadata.owner': 'me' }, /labels only/],
    [{ replicas: 1 }, /Fewer replicas delete machines/],
    [{ replicas: null }, /Fewer replicas delete machines/],
    [{ publicIp: true }, /not valid with it/],
    [{ sizes: 'x' }, /did you mean: size/],
    [{ size: 'small' }, /changes nothing/],
    [{ subnets: [] }, /not valid with it/, { address: 'network/core' }],
    [{ rules: 'additive' }, /is a guard/, { address: 'network/core' }],
    [{ size: 'large' }, /one of 2 machines/, { address: 'web-0' }],
    [{ size: 'large' }, /more than 30 days/, { until: 9e14 }],
    [{ spec: 1 }, /names no field/],
    [{ size: 'large' }, /permission operate/, { seen: [{}], mine: [{ owners: ['team-db'] }] }],
    [{ size: 'large' }, /No document that a patch/, { seen: [{ owners: ['team-db'] }], mine: [{}] }],
  ] as const)
    it(`sets ${JSON.stringify(fields)} ${JSON.stringify(more ?? {})}`, async () => {
      assert.match(await refusal(await standing(), fields, more), why);
    });
});

describe('a patch beside another rule', () => {
  it('a pause holds it, and holds its end', async () => {
    const world = await standing();
    const everything = { what: 'rollout', of: { by: 'estate' } } as const;
    const hold = () =>
      world.store.fleet.pauses.begin(estate, {
        ...everything,
        reason: 'x',
        person: 'eve',
        until: world.clock.now() + 9 * hour,
      });
    const resume = () => world.store.fleet.pauses.end(estate, everything, { person: 'eve', reason: 'x' });
    await hold();
    await patched(world, { size: 'large' });
    await world.reconcile();
    assert.deepEqual(sizes(world), ['small', 'small']);
    await resume();
    await world.reconcile();
    await hold();
    await later(world, hour);
    await dueEnder(world.context)();
    await world.reconcile();
    assert.deepEqual(sizes(world), ['large', 'large']);
    await resume();
    await world.reconcile();
    assert.deepEqual(sizes(world), ['small', 'small']);
  });

  it('a limit holds it, as it stops machines', async () => {
    const world = await standing(ground, { limits: { deletes: 0, replaces: 0 } });
    await patched(world, { size: 'large' });
    await world.reconcile();
    assert.deepEqual(sizes(world), ['small', 'small']);
    assert.match(world.said().at(-1) ?? '', /limit 2/);
  });

  it('lifts no guard that the commit before it loosens', async () => {
    const kept = machine('web', { replicas: 2, protect: true, deletionPolicy: 'delete' });
    const world = await standing([...ground.slice(0, 2), kept]);
    await world.accept(ground.slice(0, 2));
    assert.deepEqual((await world.reconcile()).writes, []);
    await patched(world, { description: 'ours' }, { address: 'core.https' });
    await world.reconcile();
    assert.equal(machines(world).length, 2);
    assert.match(world.said().at(-1) ?? '', /protect 2/);
  });

  it('is planned under the limits of the commit before its specs', async () => {
    const world = await standing(ground, { limits: { deletes: 0, replaces: 0 } });
    await world.accept(ground, { limits: { deletes: 9, replaces: 9 } });
    const { view } = await planPatch(askedOf(world, { size: 'large' }), groundsOf(world));
    assert.equal(view.bounds.limits.replaces, 0);
    assert.deepEqual(
      view.plans.flatMap(({ findings }) => findings.map((found) => 'code' in found && found.code)),
      ['limit', 'limit'],
    );
  });

  it('in plan mode it waits, and drift heals to the generation before it', async () => {
    const world = await standing(ground, { mode: 'enforce' });
    await world.accept(web({ mode: 'plan' }));
    await world.reconcile();
    await patched(world, { size: 'large' });
    await world.reconcile();
    assert.deepEqual(sizes(world), ['small', 'small']);
    await later(world, hour);
    await dueEnder(world.context)();
    assert.deepEqual((await world.reconcile()).writes, []);
    assert.match(
      await refusal(await standing(web({ mode: 'observe' })).catch(() => world), { size: 'small' }),
      /changes nothing|observe/,
    );
  });
});

describe('a patch beside healing, policies and replicas', () => {
  it('drift heals to the former values while the patch waits for a pause of rollouts', async () => {
    const world = await standing();
    const until = world.clock.now() + 9 * hour;
    await world.store.fleet.pauses.begin(estate, {
      what: 'rollout',
      of: { by: 'estate' },
      reason: 'x',
      person: 'eve',
      until,
    });
    await patched(world, { 'labels.tier': 'b' });
    world.cloud.outside.do('TagObjects', { ids: machines(world).map(({ id }) => id), tags: { tier: 'by hand' } });
    await world.reconcile();
    assert.deepEqual(
      machines(world).map(({ record }) => record.tags['tier']),
      ['a', 'a'],
    );
  });

  it('a policy in enforce mode denies it before it is recorded', async () => {
    const policy = {
      kind: 'Policy',
      metadata: { name: 'sizes' },
      spec: {
        mode: 'enforce',
        kinds: ['instance'],
        rules: [{ name: 'small', deny: "resource.size != 'small'", message: 'Choose small.' }],
      },
    };
    const world = await standing([...ground, policy]);
    assert.match(await refusal(world, { size: 'large' }), /Choose small/);
    assert.equal(await numberOf(world), 1);
  });

  it('more machines for a while are deleted a grace after its end, and never those of the specs', async () => {
    const world = await standing();
    const ids = machines(world).map(({ id }) => id);
    await patched(world, { replicas: 3 });
    await world.reconcile();
    assert.equal(machines(world).length, 3);
    await later(world, hour);
    await dueEnder(world.context)();
    await world.reconcile();
    assert.equal(machines(world).length, 3);
    await later(world, hour);
    await world.reconcile();
    assert.deepEqual(
      machines(world).map(({ id }) => id),
      ids,
    );
  });
});

describe('a patch and its workers', () => {
  const source = (read: () => ReturnType<typeof parseStored>): Source => ({
    name: 'repo',
    everyMs: 1000,
    read: async () => read(),
    history: {
      judge: async (_head, { revision }) => ({ state: revision?.includes('~') ? 'rewritten' : 'followed', why: '' }),
    },
  });
  const tree = (documents: readonly object[], revision: string) => parseStored(treeOf(documents), revision, today);

  it('a follower that sees the same head keeps it, and a new head is taken with it', async () => {
    const world = fleetWorld();
    let head = tree(ground, 'git:1');
    const followed = source(() => head);
    const take = async () => (await revisionAcceptor(estate, followed, world.context))(head);
    assert.equal((await take())?.state, 'followed');
    await world.reconcile();
    await patched(world, { size: 'large' });
    assert.equal((await take())?.state, 'followed');
    assert.equal(await numberOf(world), 2);
    head = tree([...ground, rule('http', { ports: [80] })], 'git:2');
    assert.equal((await take())?.state, 'followed');
    assert.match((await world.store.generations.current(estate))?.revision ?? '', /^git:2~[0-9a-f]{12}$/);
    await world.reconcile();
    assert.deepEqual(sizes(world), ['large', 'large']);
  });

  it('two that end it at once make one generation, and one that died before leaves it to the next', async () => {
    const world = await standing();
    await patched(world, { size: 'large' });
    await later(world, hour);
    const kept = await keptSpecs(
      estate,
      (await world.store.generations.current(estate)) ?? assert.fail(),
      world.store,
      world.context.outside.specs,
    );
    assert.ok(kept);
    await Promise.all([dueEnder(world.context)(), dueEnder(world.context)()]);
    await dueEnder(world.context)();
    assert.deepEqual([await numberOf(world), await ended(world)], [3, [[1, 'expired']]]);
  });

  it('no generation drops it unseen: specs that were read before it began are refused', async () => {
    const world = await standing();
    const parse = world.context.outside.specs;
    const before = await besideActive(tree(web({ size: 'medium' }), 'r2'), { estate, store: world.store, parse });
    await patched(world, { 'labels.tier': 'b' });
    const { compiled } = await openEstate(before, world.context.outside.cloud, today);
    await world.store.fleet.specSnapshots.keep(estate, before.revision, treeOf(web({ size: 'medium' })));
    const accepting = world.store.generations.accept(estate, before.revision, compiled.guards, {
      patches: before.patches,
    });
    await assert.rejects(accepting, /a patch of acme began or ended/);
    assert.equal((await world.store.fleet.patches.active(estate)).length, 1);
  });

  it('a worker withholds what would replace machines by it, however it came about', async () => {
    const world = await standing();
    const { store, context, clock } = world;
    const kept = (await store.generations.current(estate)) ?? assert.fail();
    const specs = (await keptSpecs(estate, kept, store, context.outside.specs)) ?? assert.fail();
    const begins = {
      ...({ kind: 'Instance', name: 'web', person: 'ada', reason: 'x', isOver: false } as const),
      ...{ id: 1, at: clock.now(), until: clock.now() + hour },
      fields: [{ path: ['spec', 'image'], value: 'img-2', was: 'img-1' }],
    };
    const beside = await besideActive(specs, { estate, store, parse: context.outside.specs }, { begins });
    await acceptSpecs(await openEstate(beside, context.outside.cloud, today), store, 1);
    assert.deepEqual((await world.reconcile()).writes, []);
    assert.match(world.said().at(-1) ?? '', /patch [12]/);
  });

  it('a pin of the specs lets it begin and end', async () => {
    const world = await standing();
    const current = (await world.store.generations.current(estate)) ?? assert.fail();
    await world.store.sources.pins.pin(estate, current.revision, { person: 'eve', reason: 'x' });
    await patched(world, { size: 'large' });
    await later(world, hour);
    await dueEnder(world.context)();
    assert.equal((await world.store.generations.current(estate))?.revision, current.revision);
  });
});

/** Rules need the account of a group on both of their sides, or of none: the first lifetime cannot end before the second. */
const stuck = [
  { kind: 'Target', metadata: { name: 'g' }, spec: { provider: 'gcp', account: 'acme-prod', region: 'europe-west1' } },
  { kind: 'Network', metadata: { name: 'there' }, spec: { targets: ['g'], cidr: '10.30.0.0/16' } },
  ...[
    ['a', '10m'],
    ['b', '24h'],
  ].map(([name, ttl]) => ({
    kind: 'Group',
    metadata: { name },
    spec: { network: 'there', names: { g: `${name}-account@acme-prod.iam.gserviceaccount.com` }, ttl },
  })),
  {
    kind: 'FirewallRule',
    metadata: { name: 'r' },
    spec: { network: 'there', protocol: 'tcp', group: 'a', peers: { groups: ['b'] }, ttl: '24h' },
  },
];

describe('a lifetime that is over, and that cannot end', () => {
  it('keeps no patch from beginning, and from ending in time', async () => {
    const world = await standing([...ground, ...stuck]);
    await later(world, 600_000);
    const end = dueEnder(world.context);
    await end();
    assert.equal(await numberOf(world), 1);
    const { id } = await patched(world, { size: 'large' }, { until: world.clock.now() + 10_000 });
    assert.equal(await numberOf(world), 2);
    await later(world, 11_000);
    await end();
    assert.deepEqual([await numberOf(world), await ended(world)], [3, [[id, 'expired']]]);
    const again = await patched(world, { size: 'large' });
    const by = { person: 'ada', reason: 'done' };
    assert.equal((await endPatch({ estate, id: again.id, by }, groundsOf(world))).generation.number, 5);
  });
});

it('no patch carries out the end of a lifetime by the way', async () => {
  const world = await standing([...ground, machine('preview', { ttl: '10m' })]);
  await later(world, 600_000);
  assert.match(await refusal(world, { size: 'large' }), /^The lifetime of Instance preview is over, and no generation/);
  await dueEnder(world.context)();
  await patched(world, { size: 'large' });
});

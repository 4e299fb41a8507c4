import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dueEnder, revisionAcceptor } from '../../src/fleet/accept.ts';
import { parseStored } from '../../src/source/stored-tree.ts';
import { machineIn, network, rule } from '../support/engine-world/documents.ts';
import { approveAll, type FleetWorld, fleetWorld, today, treeOf, where } from '../support/fleet-world.ts';

const hour = 3_600_000;
const { estate } = where;
const machine = machineIn({ image: 'img-1', size: 'small' });
const atOnce = { deletionGracePeriod: { network: '0s', subnet: '0s', group: '0s', instance: '0s' } };
const enough = { limits: { deletes: 99, share: '100%' } };

const live = ({ cloud }: FleetWorld, type: string) => cloud.inspect.live().filter((one) => one.type === type);
const ids = (world: FleetWorld) => live(world, 'instance').map(({ id }) => id);
const later = (world: FleetWorld, ms: number) => world.clock.run(() => world.clock.sleep(ms));
const numberOf = async ({ store }: FleetWorld) => (await store.generations.current(estate))?.number ?? 0;

/** The documents whose end a generation has carried out. */
const ended = async ({ store }: FleetWorld) =>
  (await store.fleet.lifetimes.list(estate)).flatMap((one) => (one.endedAt === undefined ? [] : [one.document]));

/** Time passes, what is due ends, and the worker reconciles. */
async function after(world: FleetWorld, ms: number): Promise<void> {
  await later(world, ms);
  await dueEnder(world.context)();
  await world.reconcile();
}

async function settled(documents: readonly object[], fields: object = {}): Promise<FleetWorld> {
  const world = fleetWorld();
  await world.accept(documents, { ...enough, ...fields });
  assert.equal((await world.reconcile()).outcome, 'done');
  return world;
}

const base = [network({ internet: false }), machine('web', {})];
const preview = machine('preview', { ttl: '8h' });

describe('a document with a ttl', () => {
  it('ends after it, by the store’s clock, and its machine goes after its grace', async () => {
    const world = await settled([...base, preview]);
    assert.equal(ids(world).length, 2);
    await after(world, 7.9 * hour);
    assert.deepEqual([await numberOf(world), ids(world).length], [1, 2]);
    await after(world, 0.2 * hour);
    assert.deepEqual([await numberOf(world), ids(world).length], [2, 2]);
    await after(world, hour);
    assert.deepEqual([await numberOf(world), ids(world).length], [2, 1]);
    const { entries } = await world.store.entryPages.page({ estate, filter: {}, newestFirst: false, limit: 500 });
    const notes = entries.flatMap(({ body }) =>
      Object.entries(body['note'] ?? {}).flatMap(([name, note]) => (name === 'endDocument' ? [note] : [])),
    );
    assert.deepEqual(
      notes.map(({ document, ttlMs, generation }) => [document, ttlMs, generation]),
      [['Instance preview', 8 * hour, 2]],
    );
  });

  it('stays ended through other commits, and returns with another ttl, or when it was gone for a generation', async () => {
    const world = await settled([...base, preview], atOnce);
    await after(world, 8 * hour);
    assert.equal(ids(world).length, 1);
    await world.accept([...base, preview, rule('https')], { ...enough, ...atOnce });
    await world.reconcile();
    assert.equal(ids(world).length, 1);
    await world.accept([...base, machine('preview', { ttl: '9h' })], { ...enough, ...atOnce });
    await world.reconcile();
    assert.equal(ids(world).length, 2);
    await after(world, 8 * hour);
    assert.equal(ids(world).length, 2);
    await after(world, hour);
    assert.equal(ids(world).length, 1);
    await world.accept(base, { ...enough, ...atOnce });
    await world.accept([...base, preview], { ...enough, ...atOnce });
    await world.reconcile();
    assert.equal(ids(world).length, 2);
  });

  it('lives on with the same machine, where its ttl is raised within its grace', async () => {
    const world = await settled([...base, preview]);
    const before = ids(world);
    await after(world, 8 * hour);
    await world.accept([...base, machine('preview', { ttl: '24h' })], enough);
    await world.reconcile();
    await after(world, 8 * hour);
    assert.deepEqual(ids(world), before);
  });

  it('counts from the generation that states it: an old document with a new ttl does not end at once', async () => {
    const world = await settled([...base, machine('preview', {})], atOnce);
    await later(world, 100 * hour);
    await world.accept([...base, preview], { ...enough, ...atOnce });
    await world.reconcile();
    await after(world, 7 * hour);
    assert.equal(ids(world).length, 2);
    await after(world, hour);
    assert.equal(ids(world).length, 1);
  });

  it('is held by limits, until a person approves', async () => {
    const world = await settled([...base, preview], { ...atOnce, limits: { deletes: 0 } });
    await after(world, 9 * hour);
    assert.deepEqual([await numberOf(world), ids(world).length], [2, 2]);
    await approveAll(world);
    await world.reconcile();
    assert.deepEqual([await numberOf(world), ids(world).length], [2, 1]);
  });

  it('is held by a pause', async () => {
    const world = await settled([...base, preview], atOnce);
    await world.store.fleet.pauses.begin(estate, {
      ...{ what: 'all', of: { by: 'estate' }, person: 'ada', reason: 'incident', until: world.clock.now() + 20 * hour },
    });
    await after(world, 9 * hour);
    assert.deepEqual([await numberOf(world), ids(world).length], [2, 2]);
    await after(world, 12 * hour);
    assert.equal(ids(world).length, 1);
  });
});

describe('a document with a ttl, and two processes', () => {
  it('is left out once, where both end it at once', async () => {
    const world = await settled([...base, preview], atOnce);
    await later(world, 8 * hour);
    await Promise.all([dueEnder(world.context)(), dueEnder(world.context)()]);
    assert.equal(await numberOf(world), 2);
    await dueEnder(world.context)();
    assert.equal(await numberOf(world), 2);
  });

  it('is left out by one, where the other loses its database before it records the end', async () => {
    const world = await settled([...base, preview], atOnce);
    await later(world, 8 * hour);
    const { store, context } = world;
    const generations = { ...store.generations, accept: () => Promise.reject(new Error('connection lost')) };
    await dueEnder({ ...context, store: { ...store, generations } })();
    assert.equal(await numberOf(world), 1);
    await dueEnder(world.context)();
    assert.equal(await numberOf(world), 2);
  });
});

describe('a network with a ttl', () => {
  const net = network({ internet: false, ttl: '2h' });
  it('takes all in it along, and nothing is left', async () => {
    const world = await settled([net, machine('web', { ttl: '8h' }), rule('https', { ttl: '8h' })], atOnce);
    assert.equal(world.cloud.inspect.live().length, 6);
    for (let turn = 0; turn < 3; turn += 1) await after(world, 2 * hour);
    assert.deepEqual(
      world.cloud.inspect.live().map(({ type, id }) => [type, id]),
      [],
    );
  });
});

describe('an estate with a ttl', () => {
  it('ends whole', async () => {
    const world = await settled([...base, rule('https')], { ...atOnce, ttl: '3d' });
    await after(world, 71 * hour);
    assert.equal(world.cloud.inspect.live().length, 6);
    for (let turn = 0; turn < 3; turn += 1) await after(world, hour);
    assert.deepEqual(
      world.cloud.inspect.live().map(({ type, id }) => [type, id]),
      [],
    );
  });
});

describe('a document that has ended', () => {
  const more = rule('https');
  for (const mode of ['plan', 'observe'])
    for (const then of ['nothing', 'another commit'])
      it(`goes on to govern by its mode ${mode}, with ${then} after its end`, async () => {
        const world = await settled([...base, preview], atOnce);
        const held = machine('preview', { ttl: '8h', mode });
        await world.accept([...base, held], { ...enough, ...atOnce });
        await world.reconcile();
        await after(world, 9 * hour);
        assert.deepEqual([await numberOf(world), await ended(world), ids(world).length], [3, ['Instance preview'], 2]);
        if (then === 'another commit') {
          await world.accept([...base, held, more], { ...enough, ...atOnce });
          await world.reconcile();
          assert.deepEqual([await ended(world), ids(world).length], [['Instance preview'], 2]);
          await world.accept([...base, more], { ...enough, ...atOnce });
          await world.reconcile();
          assert.deepEqual([await ended(world), ids(world).length], [[], 2]);
        }
        const lifted = machine('preview', { ttl: '9h' });
        await world.accept([...base, lifted], { ...enough, ...atOnce });
        await world.reconcile();
        await after(world, 9 * hour);
        // A mode that was lifted in the commit with the lifetime holds until the next commit.
        assert.deepEqual([await ended(world), ids(world).length], [['Instance preview'], then === 'nothing' ? 2 : 1]);
        await world.accept([...base, lifted, more], { ...enough, ...atOnce });
        await world.reconcile();
        assert.deepEqual([await ended(world), ids(world).length], [['Instance preview'], 1]);
      });

  it('keeps the end of its grace through two generations that no reconcile saw', async () => {
    const world = await settled([...base, preview]);
    await after(world, 8 * hour);
    for (const name of ['one', 'two', 'three']) await world.accept([...base, preview, rule(name)], enough);
    await later(world, 0.5 * hour);
    await world.reconcile();
    assert.equal(ids(world).length, 2);
    await later(world, 0.5 * hour);
    await world.reconcile();
    assert.equal(ids(world).length, 1);
  });

  it('is no document of the next generation: only its mode goes on to bind', async () => {
    const world = await settled([...base, preview]);
    await after(world, 8 * hour);
    const guards = (await world.store.generations.current(estate))?.guards;
    const address = `${where.scope}/instance/preview`;
    assert.deepEqual([guards?.modes[address], guards?.ended], [undefined, { [address]: 'enforce' }]);
  });

  it('is held by a pause of its owner', async () => {
    const world = await settled(base, atOnce);
    await world.accept([...base, machine('preview', { ttl: '8h' }, { owner: 'team-x' })], { ...enough, ...atOnce });
    await world.reconcile();
    const of = { by: 'owner', name: 'team-x' } as const;
    const until = world.clock.now() + 20 * hour;
    await world.store.fleet.pauses.begin(estate, { what: 'all', of, person: 'ada', reason: 'x', until });
    await after(world, 9 * hour);
    assert.equal(ids(world).length, 2);
    await after(world, 12 * hour);
    assert.equal(ids(world).length, 1);
  });
});

describe('the authors of an end', () => {
  it('are those of the commit that stated the lifetime: they approve no deletion of it', async () => {
    const world = fleetWorld();
    const { store, context } = world;
    const byCommit: Readonly<Record<string, string>> = { 'git:1': 'ada@acme.example', 'git:2': 'bob@acme.example' };
    const source = {
      ...{ name: 'infra', everyMs: 1, read: async () => assert.fail() },
      history: {
        judge: async () => ({ state: 'followed', why: '' }) as const,
        authors: async (revision: string) => ({ names: [byCommit[revision] ?? 'eve'], more: false }),
      },
    };
    const accept = await revisionAcceptor(estate, source, context);
    const follow = (revision: string, documents: readonly object[]) =>
      accept(parseStored(treeOf(documents, enough), revision, today));
    await follow('git:1', [...base, preview]);
    await follow('git:2', [...base, preview, rule('https')]);
    await later(world, 8 * hour);
    await dueEnder(context)();
    const authors = await store.authors.since(estate, 0, 9);
    assert.deepEqual(
      authors.map((one) => one.authors?.names),
      [['ada@acme.example'], ['bob@acme.example'], ['ada@acme.example']],
    );
  });

  it('are unknown where the author of one of its lifetimes is', async () => {
    const world = fleetWorld();
    const { store, context } = world;
    await world.accept([...base, preview], enough);
    await later(world, 8 * hour);
    await dueEnder(context)();
    assert.deepEqual(await store.authors.since(estate, 0, 9), [{ generation: 1 }, { generation: 2 }]);
  });
});

describe('a commit that needs an ended document', () => {
  it('is rejected with the reason, and the active generation stays', async () => {
    const account = (name: string, ttl: object = {}) => ({
      kind: 'Group',
      metadata: { name },
      spec: { network: 'core', names: { g: `${name}-account@acme-prod.iam.gserviceaccount.com` }, ...ttl },
    });
    const onGoogle = [
      {
        kind: 'Target',
        metadata: { name: 'g' },
        spec: { provider: 'gcp', account: 'acme-prod', region: 'europe-west1' },
      },
      { kind: 'Network', metadata: { name: 'core' }, spec: { targets: ['g'], cidr: '10.20.0.0/16' } },
      account('a', { ttl: '8h' }),
    ];
    const twoSided = [
      account('b', { ttl: '24h' }),
      {
        kind: 'FirewallRule',
        metadata: { name: 'r' },
        spec: { network: 'core', protocol: 'tcp', group: 'a', peers: { groups: ['b'] }, ttl: '24h' },
      },
    ];
    const { clock, context, store } = fleetWorld();
    const tree = (revision: string, documents: readonly object[]) => {
      const read = parseStored(treeOf(documents), revision, today);
      assert.deepEqual(
        read.problems.filter(({ severity }) => severity === 'error'),
        [],
      );
      return read;
    };
    const judge = async () => ({ state: 'followed', why: '' }) as const;
    const source = { name: 'infra', everyMs: 1, read: async () => assert.fail(), history: { judge } };
    const accept = await revisionAcceptor(estate, source, context);
    assert.equal((await accept(tree('git:1', onGoogle)))?.state, 'followed');
    await clock.run(() => clock.sleep(8 * hour));
    await dueEnder(context)();
    const answer = await accept(tree('git:2', [...onGoogle, ...twoSided]));
    assert.equal(answer?.state, 'broken');
    assert.match(
      answer.why,
      /^the specs are not valid without Group core\.a, whose lifetime is over: all\.yaml:\d+: .*service account/,
    );
    const newest = await store.generations.current(estate);
    assert.deepEqual([newest?.number, newest?.revision.startsWith('git:1~')], [2, true]);

    // Where the others need it before it has ended, it stays, and commits go on.
    const other = fleetWorld();
    const follow = await revisionAcceptor(estate, source, other.context);
    assert.equal((await follow(tree('git:3', [...onGoogle, ...twoSided])))?.state, 'followed');
    await later(other, 8 * hour);
    await dueEnder(other.context)();
    assert.equal(await numberOf(other), 1);
    assert.equal((await follow(tree('git:4', [...onGoogle, ...twoSided, account('c')])))?.state, 'followed');
    await later(other, 16 * hour);
    await dueEnder(other.context)();
    const lifetimes = await other.store.fleet.lifetimes.list(estate);
    assert.deepEqual([await numberOf(other), lifetimes.every((one) => one.endedAt !== undefined)], [3, true]);
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { network, rule } from '../../../support/engine-world/documents.ts';
import { project } from '../../../support/gcp-session.ts';
import { type GcpWorld, gcpWorld, machine } from './gcp-world.ts';

type Effect = Parameters<GcpWorld['sandbox']['control']['faults']['add']>[0]['effect'];
const strike = ({ sandbox }: GcpWorld, action: string, effect: Effect, nth?: number): string =>
  sandbox.control.faults.add({ match: { action: `compute.${action}`, ...(nth === undefined ? {} : { nth }) }, effect });

const made = (writes: readonly string[], kind: string): number =>
  writes.filter((write) => write === `${kind}.insert 200`).length;

test('nothing is made twice where answers are lost, by this process or by one that died', async () => {
  await using world = await gcpWorld();
  const documents = [network(), rule('https'), machine('web', { replicas: 2 })];
  for (const kind of ['networks', 'subnetworks', 'firewalls', 'instances'])
    strike(world, `${kind}.insert`, { kind: 'reset-after' }, 1);
  for (const kind of ['networks', 'subnetworks', 'firewalls', 'instances']) {
    const death = new AbortController();
    const watch = setInterval(() => {
      if (world.sandbox.control.log.counts()[`compute.${kind}.insert`]) death.abort();
    }, 1);
    await world.apply(documents, { signal: death.signal });
    clearInterval(watch);
  }
  const calm = await world.apply(documents);
  assert.deepEqual(calm.left, []);
  assert.deepEqual((await world.apply(documents)).writes, []);
  for (const [path, count] of [
    ['global/networks', 1],
    ['regions/europe-west1/subnetworks', 1],
    ['global/firewalls', 1],
    ['zones/europe-west1-b/instances', 2],
  ] as const)
    assert.equal((await world.ask<{ readonly items: unknown[] }>('GET', path)).body.items.length, count, path);
});

test('an attempt of another process is another request: what the cloud took from the first is found by its name', async () => {
  await using world = await gcpWorld();
  world.sandbox.control.lag.set({ ms: 200_000 });
  strike(world, 'networks.insert', { kind: 'reset-after' }, 1);
  for (const nth of [2, 3]) strike(world, 'networks.insert', { kind: 'reset-before' }, nth);
  await world.apply([network()], { job: { rounds: 1, patienceMs: 0 } });
  const blind = await world.apply([network()], { job: { rounds: 1, patienceMs: 0 } });
  assert.deepEqual(blind.writes, ['networks.insert 409']);
  world.sandbox.control.lag.set({ ms: 0 });
  const seen = await world.apply([network()]);
  assert.deepEqual([seen.writes, seen.left], [['subnetworks.insert 200'], []]);
});

test('one lost answer among several leaves the others settled', async () => {
  await using world = await gcpWorld();
  const lab = network({ cidr: '10.30.0.0/16', subnets: [{ name: 'app', cidr: '10.30.1.0/24' }] }, { name: 'lab' });
  strike(world, 'networks.insert', { kind: 'reset-after' }, 1);
  for (const nth of [2, 3, 4, 5, 6]) strike(world, 'networks.insert', { kind: 'reset-before' }, nth);
  await world.apply([network(), lab], { job: { rounds: 1, patienceMs: 0 } });
  world.sandbox.control.faults.clear();
  strike(world, 'networks.insert', { kind: 'error', code: 'quotaExceeded', status: 403 });
  const half = await world.apply([network(), lab], { job: { rounds: 1 } });
  assert.equal(made(half.writes, 'subnetworks'), 1, 'what stands in the one that was made is made');
  const codes = half.rounds.flatMap(({ failed }) => failed.map(({ failure }) => failure.code));
  assert.deepEqual(codes, ['quotaExceeded'], 'what the cloud said last is told');
});

test('a place that does not answer, and listings that flicker, prove no absence', async () => {
  await using world = await gcpWorld();
  const documents = [network(), rule('https'), machine('web')];
  await world.apply(documents);
  world.sandbox.control.clock.advance(600_000);
  strike(world, 'instances.aggregatedList', { kind: 'unreachable', scope: 'zones/europe-west1-b' });
  const blind = await world.apply(documents);
  assert.deepEqual([blind.writes, blind.left[0]], [[], 'blocked not-observed instance/web-0']);
  world.sandbox.control.faults.clear();
  const listings = ['networks.list', 'firewalls.list', 'subnetworks.aggregatedList', 'instances.aggregatedList'];
  for (const action of [...listings, 'disks.aggregatedList']) strike(world, action, { kind: 'flicker', share: 0.5 });
  for (const _ of [1, 2, 3]) assert.deepEqual((await world.apply(documents)).writes, []);
});

test('while the cloud shows late what was made, everything is made once all the same', async () => {
  await using world = await gcpWorld();
  world.sandbox.control.lag.set({ ms: 120_000, sight: 0.5 });
  const documents = [network({ internet: false }), rule('https'), machine('web', { replicas: 2 })];
  const writes: string[] = [];
  for (const _ of [1, 2, 3, 4, 5]) {
    const { outcome, writes: more } = await world.apply(documents);
    assert.notEqual(outcome, 'failed', 'nothing here is for a person');
    writes.push(...more);
  }
  const counts = ['networks', 'subnetworks', 'firewalls', 'instances'].map((kind) => made(writes, kind));
  assert.deepEqual(counts, [1, 1, 1, 2]);
  assert.deepEqual((await world.apply(documents)).left, []);
});

test('an operation that fails for its rate is begun again after a while, and one that always does ends', async () => {
  await using world = await gcpWorld();
  const busy: Effect = { kind: 'operation-error', code: 'rateLimitExceeded', status: 403 };
  strike(world, 'networks.insert', busy, 1);
  assert.deepEqual((await world.apply([network()])).left, []);
  strike(world, 'firewalls.insert', busy);
  const stuck = await world.apply([network(), rule('https')], { job: { rounds: 1 } });
  assert.equal(made(stuck.writes, 'firewalls'), 6);
});

test('a network in which a colleague’s route stands keeps its own way out too', async () => {
  await using world = await gcpWorld();
  for (const internet of [true, false, true]) await world.apply([network({ internet })]);
  const nextHopGateway = `projects/${project}/global/gateways/default-internet-gateway`;
  const theirs = { name: 'theirs', network: `projects/${project}/global/networks/core`, nextHopGateway };
  await world.ask('POST', 'global/routes', { ...theirs, destRange: '198.51.100.0/24' });
  const gone = await world.apply([], { prune: ['global/network/core', 'europe-west1/subnet/core.app'] });
  assert.deepEqual(gone.writes, ['subnetworks.delete 200']);
  const { body } = await world.ask<{ readonly items: readonly { readonly name: string }[] }>('GET', 'global/routes');
  assert.deepEqual(body.items.map(({ name }) => name).toSorted(), ['core-internet', 'theirs']);
});

test('copies of our marks are nobody’s, and stay when ours go', async () => {
  await using world = await gcpWorld();
  await world.apply([network(), rule('https'), machine('web')]);
  const zone = 'zones/europe-west1-b';
  const own = (await world.ask<Copied>('GET', `${zone}/instances/web-0`)).body;
  await world.ask('POST', `${zone}/instances`, {
    name: 'copy',
    machineType: own.machineType,
    labels: own.labels,
    metadata: { items: own.metadata.items },
    networkInterfaces: own.networkInterfaces.map(({ subnetwork }) => ({ subnetwork })),
    disks: [{ boot: true, initializeParams: { sourceImage: 'projects/debian-cloud/global/images/family/debian-12' } }],
  });
  const gone = await world.apply([network()], { prune: ['europe-west1-b/instance/web-0'] });
  assert.deepEqual(gone.writes.toSorted(), ['firewalls.delete 200', 'instances.delete 200']);
  assert.deepEqual(
    gone.left.map((line) => line.replace(/#.*/, '')),
    [`copied-mark projects/${project}/${zone}/instances/copy`],
  );
});

interface Copied {
  readonly machineType: string;
  readonly labels: object;
  readonly metadata: { readonly items: readonly object[] };
  readonly networkInterfaces: readonly { readonly subnetwork: string }[];
}

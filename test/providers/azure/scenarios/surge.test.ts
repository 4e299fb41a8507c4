import assert from 'node:assert/strict';
import { test } from 'node:test';
import { azure } from '../../../../providers/azure/index.ts';
import { account, resourceGroup } from '../../../support/azure-session.ts';
import type { EngineWorld } from '../../../support/engine-world/engine-world.ts';
import { type NamedCloud, type SurgeWorld, surgeLaws, worldOf } from '../../../support/engine-world/laws.ts';
import { azureWorld, machine } from './azure-world.ts';

const cloud: NamedCloud = {
  open: azureWorld,
  machine,
  images: [
    'Canonical:ubuntu-24_04-lts:server:latest',
    'Debian:debian-12:12-gen2:latest',
    'Canonical:0001-com-ubuntu-server-jammy:22_04-lts-gen2:latest',
    'Canonical:ubuntu-24_04-lts:server:24.04.202507030',
  ],
  mistyped: 'Canonical:ubuntu-42_04-lts:server:latest',
  words: { launch: 'virtualMachines.createOrUpdate', end: 'virtualMachines.delete' },
  doom: ({ control }) => {
    control.arm.subscription(account).badBoots.set('debian:debian-12:12-gen2', { stopsAfterMs: 20_000 });
  },
  ending: /PowerState\/stopped/,
  machines: ({ control }) =>
    [...control.arm.subscription(account).machines.values()].map(({ path, power, storage }) => {
      const { publisher, offer, sku, version } = storage.image.written;
      return {
        name: path.replace(/^.*\//, ''),
        image: [publisher, offer, sku, version].join(':'),
        running: power.state === 'running',
      };
    }),
};

surgeLaws(cloud);

/** Ends of the names of all interfaces, addresses and disks: `web-0-nic`. */
const parts = ({ engine }: { readonly engine: EngineWorld }): readonly string[] => {
  const { interfaces, addresses, disks } = engine.sandbox.control.arm.subscription(account);
  return [...interfaces.values(), ...addresses.values(), ...disks.values()].map(({ path }) =>
    path.replace(/^.*\//, ''),
  );
};

/** The interface of the successor was made, and the machine itself never was. */
async function halfMade(world: SurgeWorld): Promise<void> {
  await world.made(cloud.images[0], { publicIp: true });
  const action = 'virtualMachines.createOrUpdate';
  world.engine.sandbox.control.faults.add({ match: { action }, effect: { kind: 'reset-before' } });
  world.watch();
  const cut = await world.apply(cloud.images[1], { publicIp: true }, {}, { job: { rounds: 1, patienceMs: 0 } });
  world.engine.sandbox.control.faults.clear();
  assert.notEqual(cut.outcome, 'done');
  assert.equal(parts(world).length, 5, 'the parts of one machine, with interface and address of another');
}

test('parts of a successor that was never made are taken up by the next try', async () => {
  await using world = await worldOf(cloud);
  await halfMade(world);
  for (let reconcile = 0; reconcile < 12 && world.images()[0] !== cloud.images[1]; reconcile++) {
    world.engine.sandbox.control.clock.advance(60_000);
    await world.apply(cloud.images[1], { publicIp: true });
  }
  const [name = ''] = world.names();
  assert.deepEqual(parts(world).toSorted(), [`${name}-disk`, `${name}-ip`, `${name}-nic`]);
  assert.deepEqual([world.images(), world.least()], [[cloud.images[1]], 1]);
  assert.deepEqual((await world.apply(cloud.images[1], { publicIp: true })).writes, []);
});

test('parts of a successor that is asked for no more are removed, and the machine stays', async () => {
  await using world = await worldOf(cloud);
  await halfMade(world);
  for (let reconcile = 0; reconcile < 12 && parts(world).length > 3; reconcile++) {
    world.engine.sandbox.control.clock.advance(60_000);
    await world.apply(cloud.images[0], { publicIp: true });
  }
  assert.deepEqual(parts(world).toSorted(), ['web-0-disk', 'web-0-ip', 'web-0-nic']);
  assert.deepEqual([world.names(), world.least()], [['web-0'], 1]);
});

test('a stranger under the name of a part of the successor keeps everything as it is', async () => {
  await using world = await worldOf(cloud);
  await world.made(cloud.images[0]);
  const { settled } = await world.engine.knowledge();
  const [machine = ''] = [...settled].flatMap(([id, { kind }]) => (kind === 'instance' ? [id] : []));
  const name = azure.dialect.names.successor?.('web-0', machine);
  const theirs = {
    type: 'Microsoft.Network/publicIPAddresses',
    group: resourceGroup,
    name: `${name}-ip`,
    properties: { publicIPAllocationMethod: 'Static' },
    body: { sku: { name: 'Standard' } },
  };
  world.engine.sandbox.control.arm.load({ subscriptions: [{ id: account, resources: [theirs] }] });
  const { writes, rounds: reconciles } = await world.apply(cloud.images[1], { publicIp: true });
  assert.deepEqual([writes, world.images()], [[], [cloud.images[0]]]);
  assert.match(
    reconciles.flatMap(({ failed }) => failed)[0]?.failure.message ?? '',
    /stands already and belongs to another machine/,
  );
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PATIENCE_MS, processorTime } from '../processor-time.ts';
import { bench, PROJECT } from './network-bench.ts';

const only = (network: object): unknown => ({
  projects: [{ project: PROJECT, networks: [{ name: 'core', ...network }] }],
});

const allowed = [{ IPProtocol: 'tcp', ports: ['443'] }];

describe('an estate', () => {
  it('stands at once, for every reader, as if the API had made it', async () => {
    const estate = only({
      description: 'ours',
      mtu: 1500,
      routingMode: 'GLOBAL',
      subnetworks: [{ name: 'app', region: 'us-central1', cidr: '10.0.0.0/24' }],
      firewalls: [{ name: 'web', allowed }],
      routes: [
        { name: 'out', destRange: '198.51.100.0/24', nextHopGateway: 'global/gateways/default-internet-gateway' },
      ],
    });
    await using made = await bench({ lag: { ms: 60_000 } });
    made.sandbox.control.compute.load(estate);
    const network = (await made.raw('GET', 'global/networks/core')).body;
    assert.deepEqual(
      [network.description, network.mtu, network.routingConfig.routingMode, network.subnetworks.length],
      ['ours', 1500, 'GLOBAL', 1],
    );
    assert.deepEqual((await made.raw('GET', 'global/firewalls/web')).body.sourceRanges, ['0.0.0.0/0']);
    const routes: readonly { readonly destRange: string }[] = (await made.raw('GET', 'global/routes')).body.items;
    assert.deepEqual(routes.map(({ destRange }) => destRange).sort(), ['0.0.0.0/0', '10.0.0.0/24', '198.51.100.0/24']);
  });

  it('is there from the start, beside one of another cloud', async () => {
    const aws = {
      regions: [{ account: '111122223333', region: 'eu-west-1', vpcs: [{ key: 'v', cidr: '10.0.0.0/16' }] }],
    };
    const projects = [{ project: PROJECT, networks: [{ name: 'core' }] }];
    await using made = await bench({ estate: [aws, { cloud: 'gcp', projects }] });
    assert.equal((await made.raw('GET', 'global/networks')).body.items.length, 1);
    const { vpcs } = made.sandbox.control.ec2.region('111122223333', 'eu-west-1');
    assert.equal([...vpcs.values()].length, 1);
  });

  it('without internet has no default route', async () => {
    await using made = await bench();
    made.sandbox.control.compute.load(only({ internet: false }));
    assert.equal((await made.raw('GET', 'global/routes')).body.items, undefined);
  });

  it('of forty thousand things is loaded without work for each pair', async () => {
    await using made = await bench();
    const subnetworks = Array.from({ length: 20_000 }, (_, i) => ({
      name: `s${i}`,
      region: 'europe-west1',
      cidr: `10.${i >> 8}.${i & 255}.0/24`,
    }));
    const firewalls = Array.from({ length: 20_000 }, (_, i) => ({ name: `f${i}`, allowed, targetTags: [`t${i}`] }));
    const worked = processorTime();
    made.sandbox.control.compute.load(only({ subnetworks, firewalls }));
    assert.ok(worked() < PATIENCE_MS, `${worked()} ms`);
    const { body } = await made.raw('GET', 'global/firewalls');
    assert.deepEqual([body.items.length, typeof body.nextPageToken], [500, 'string']);
  });
});

const app = { name: 'app', region: 'us-central1', cidr: '10.0.0.0/24' };

const bad: readonly { readonly name: string; readonly estate: unknown; readonly says: RegExp }[] = [
  { name: 'no projects', estate: {}, says: /^projects: expected a list/ },
  {
    name: 'an unknown project',
    estate: { projects: [{ project: 'x' }] },
    says: /^projects\[0\]: .*projects\/x' was not/,
  },
  {
    name: 'an unknown key',
    estate: only({ colour: 'red' }),
    says: /^projects\[0\]\.networks\[0\]: unknown key "colour"/,
  },
  {
    name: 'an unknown region',
    estate: only({ subnetworks: [{ ...app, region: 'mars' }] }),
    says: /subnetworks\[0\]\.region: expected one of europe-west1/,
  },
  {
    name: 'ranges that overlap',
    estate: only({ subnetworks: [app, { ...app, name: 'b', cidr: '10.0.0.128/25' }] }),
    says: /subnetworks\[1\]\.cidr: 10\.0\.0\.128\/25 overlaps 10\.0\.0\.0\/24 of .*subnetworks\[0\]/,
  },
  { name: 'a bad firewall', estate: only({ firewalls: [{ name: 'w' }] }), says: /firewalls\[0\]: Required field/ },
  {
    name: 'a name twice',
    estate: only({
      firewalls: [
        { name: 'w', allowed },
        { name: 'w', allowed },
      ],
    }),
    says: /firewalls\[1\]: .*already exists/,
  },
];

describe('an estate is refused for', () => {
  for (const { name, estate, says } of bad) {
    it(name, async () => {
      await using made = await bench();
      assert.throws(() => made.sandbox.control.compute.load(estate), { message: says });
    });
  }
});

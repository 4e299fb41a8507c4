import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Machines, machines, PROJECT, ZONE } from './instance-bench.ts';

const network = { name: 'core', subnetworks: [{ name: 'app', region: 'europe-west1', cidr: '10.20.1.0/24' }] };

const estateOf = (more: object) => ({ projects: [{ project: PROJECT, networks: [network], ...more }] });

const machine = { name: 'web', zone: ZONE, subnetwork: 'app' };

async function control({ sandbox }: Machines, verb: string, body: object) {
  const response = await fetch(`${sandbox.url}/_sandbox/${verb}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ cloud: 'gcp', ...body }),
  });
  return { status: response.status, text: await response.text() };
}

describe('an estate of machines', () => {
  it('is there at once, in every detail', async () => {
    await using made = await machines({ lag: { ms: 60_000 } });
    const images = [{ name: 'gold-v1', family: 'gold', sizeGb: 30 }];
    const disks = [{ name: 'data', zone: ZONE, sizeGb: 200, type: 'pd-ssd' }];
    const instance = {
      ...machine,
      machineType: 'n2-standard-2',
      image: 'global/images/family/gold',
      externalIp: true,
      address: '10.20.1.9',
      labels: { tier: 'web' },
      tags: ['web'],
      metadata: { note: 'x' },
      serviceAccount: 'web@acme.iam.gserviceaccount.com',
      deletionProtection: true,
      disk: { sizeGb: 40, type: 'pd-ssd', autoDelete: false, labels: { part: 'disk' } },
      description: 'a machine',
    };
    made.sandbox.control.compute.load(estateOf({ images, disks, instances: [instance] }));
    const [web] = await made.instances.get({ project: PROJECT, zone: ZONE, instance: 'web' });
    assert.deepEqual([web.status, web.deletionProtection, web.description], ['RUNNING', true, 'a machine']);
    assert.deepEqual([web.labels, web.tags?.items], [{ tier: 'web' }, ['web']]);
    assert.match(web.machineType ?? '', /n2-standard-2$/);
    assert.equal(web.networkInterfaces?.[0]?.networkIP, '10.20.1.9');
    assert.equal(web.disks?.[0]?.autoDelete, false);
    assert.match(web.networkInterfaces?.[0]?.accessConfigs?.[0]?.natIP ?? '', /^198\.1[89]\./);
    const [disk] = await made.disks.get({ project: PROJECT, zone: ZONE, disk: 'web' });
    assert.deepEqual([disk.sizeGb, disk.labels, disk.users?.length], ['40', { part: 'disk' }, 1]);
    assert.match(disk.sourceImage ?? '', /projects\/acme\/global\/images\/gold-v1$/);
    const [data] = await made.disks.get({ project: PROJECT, zone: ZONE, disk: 'data' });
    assert.equal(data.sizeGb, '200');
  });

  it('counts equal machines from 0, and may hold stopped ones', async () => {
    await using made = await machines();
    const instances = [{ ...machine, count: 3, status: 'TERMINATED', externalIp: true }];
    assert.deepEqual(await control(made, 'estate', estateOf({ instances })), { status: 200, text: '{}\n' });
    const [listed] = await made.instances.list({ project: PROJECT, zone: ZONE });
    assert.deepEqual(
      listed.map(({ name, status }) => [name, status]),
      ['web-0', 'web-1', 'web-2'].map((name) => [name, 'TERMINATED']),
    );
    assert.equal(listed[0]?.networkInterfaces?.[0]?.accessConfigs?.[0]?.natIP, undefined);
    assert.equal(listed[0]?.disks?.[0]?.autoDelete, true);
  });

  for (const [why, instance, want] of [
    ['a subnetwork that is not there', { ...machine, subnetwork: 'none' }, /instances\[0\].*subnetwork/],
    ['a type that is not there', { ...machine, machineType: 't3.small' }, /instances\[0\].*t3\.small/],
    ['an unknown key', { ...machine, size: 'big' }, /instances\[0\]: unknown key .*size/],
    ['one address for two', { ...machine, count: 2, address: '10.20.1.9' }, /cannot share one address/],
    ['a zone that is not there', { ...machine, zone: 'europe-west1-a' }, /europe-west1-b/],
  ] as const) {
    it(`is refused with ${why}, and says where`, async () => {
      await using made = await machines();
      const { status, text } = await control(made, 'estate', estateOf({ instances: [instance] }));
      assert.equal(status, 400);
      assert.match(text, want);
    });
  }
});

describe('the packet check over HTTP', () => {
  const ask = { from: 'internet', to: `zones/${ZONE}/instances/web`, protocol: 'tcp', port: 443 };

  it('answers for a project', async () => {
    await using made = await machines();
    made.sandbox.control.compute.load(estateOf({ instances: [machine] }));
    const { status, text } = await control(made, 'packet', { project: PROJECT, ...ask });
    assert.equal(status, 200);
    assert.equal(JSON.parse(text).allowed, false);
  });

  it('says that there is no such project', async () => {
    await using made = await machines();
    const { status, text } = await control(made, 'packet', { project: 'nobody', ...ask });
    assert.equal(status, 400);
    assert.match(text, /nobody/);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { given } from '../bench.ts';
import { begun, type Machines, PROJECT, pass, WEB, withNetwork, ZONE } from './instance-bench.ts';

const INSTANCES = `${PROJECT}/zones/${ZONE}/instances`;

const post = async ({ raw }: Machines, resource: object, path = INSTANCES) => {
  const { status, body } = await raw('POST', path, resource);
  return status === 200 ? 'accepted' : `${status} ${body.error?.errors[0]?.reason} ${body.error?.errors[0]?.message}`;
};

interface Row {
  readonly name: string;
  readonly ask: object;
  readonly want: RegExp;
}

const [nic] = WEB.networkInterfaces;
const boot = WEB.disks?.[0];

const disk = (params: object, more: object = {}) => ({
  disks: [{ ...boot, ...more, initializeParams: { ...boot?.initializeParams, ...params } }],
});

const rows: readonly Row[] = [
  { name: 'nothing wrong', ask: {}, want: /^accepted$/ },
  { name: 'no name', ask: { name: undefined }, want: /^400 required .*resource\.name/ },
  { name: 'a name in capitals', ask: { name: 'Web' }, want: /^400 invalid .*'resource\.name': 'Web'/ },
  { name: 'no machine type', ask: { machineType: undefined }, want: /^400 required .*resource\.machineType/ },
  {
    name: 'a machine type that is not there',
    ask: { machineType: `zones/${ZONE}/machineTypes/t3.small` },
    want: /^400 invalid .*Machine type with name 't3\.small' does not exist in zone 'europe-west1-b'\./,
  },
  {
    name: 'a machine type of another zone',
    ask: { machineType: 'zones/europe-west1-c/machineTypes/e2-small' },
    want: /^400 invalid .*different scope/,
  },
  { name: 'a bare machine type', ask: { machineType: 'e2-small' }, want: /^400 invalid .*URL is malformed/ },
  { name: 'no disks', ask: { disks: [] }, want: /^400 invalid .*No disks are specified/ },
  {
    name: 'no boot disk',
    ask: { disks: [{ ...boot, boot: false }] },
    want: /^400 invalid .*Boot disk must be the first/,
  },
  {
    name: 'no image',
    ask: { disks: [{ boot: true, initializeParams: {} }] },
    want: /^400 invalid .*must have a source/,
  },
  {
    name: 'an image that is not there',
    ask: disk({ sourceImage: 'projects/debian-cloud/global/images/debian-1' }),
    want: /^400 invalid .*sourceImage.*The referenced image resource cannot be found\./,
  },
  {
    name: 'a disk smaller than its image',
    ask: disk({ diskSizeGb: '5' }),
    want: /^400 invalid .*Requested disk size cannot be smaller than the image size \(10 GB\)/,
  },
  {
    name: 'a disk that is too large',
    ask: disk({ diskSizeGb: '70000' }),
    want: /^400 invalid .*between 10 GB and 65536 GB/,
  },
  {
    name: 'a disk type that is not there',
    ask: disk({ diskType: `zones/${ZONE}/diskTypes/gp3` }),
    want: /^404 notFound .*diskTypes\/gp3/,
  },
  {
    name: 'an image of another architecture',
    ask: disk({ sourceImage: 'projects/debian-cloud/global/images/family/debian-12-arm64' }),
    want: /^400 invalid .*architecture/,
  },
  {
    name: 'a disk that is not there',
    ask: { disks: [{ boot: true, source: `zones/${ZONE}/disks/none` }] },
    want: /^400 invalid .*The referenced disk resource cannot be found\./,
  },
  { name: 'no interface', ask: { networkInterfaces: [] }, want: /^400 invalid .*At least one network interface/ },
  { name: 'two interfaces', ask: { networkInterfaces: [nic, nic] }, want: /^400 invalid .*models only one/ },
  {
    name: 'no subnetwork',
    ask: { networkInterfaces: [{ network: 'global/networks/core' }] },
    want: /^400 invalid .*Subnetwork should be specified for custom subnetmode network/,
  },
  {
    name: 'a subnetwork that is not there',
    ask: { networkInterfaces: [{ subnetwork: 'regions/europe-west1/subnetworks/none' }] },
    want: /^400 invalid .*The referenced subnetwork resource cannot be found\./,
  },
  {
    name: 'a subnetwork of another region',
    ask: { networkInterfaces: [{ subnetwork: 'regions/us-central1/subnetworks/far' }] },
    want: /^400 invalid .*must be in the region of zone europe-west1-b/,
  },
  {
    name: 'an address outside its subnetwork',
    ask: { networkInterfaces: [{ ...nic, networkIP: '10.20.3.9' }] },
    want: /^400 invalid .*outside the network\/subnetwork CIDR range/,
  },
  {
    name: 'the address of the gateway',
    ask: { networkInterfaces: [{ ...nic, networkIP: '10.20.1.1' }] },
    want: /^400 invalid .*outside the network\/subnetwork CIDR range/,
  },
  {
    name: 'two access configs',
    ask: { networkInterfaces: [{ ...nic, accessConfigs: [{}, {}] }] },
    want: /^400 invalid .*At most one access config currently supported/,
  },
  {
    name: 'a reserved external address',
    ask: { networkInterfaces: [{ ...nic, accessConfigs: [{ natIP: '198.51.100.1' }] }] },
    want: /^400 invalid .*accessConfigs\[0\]\.natIP.*does not model/,
  },
  {
    name: 'a label key in capitals',
    ask: { labels: { Tier: 'web' } },
    want: /^400 invalid .*Label key 'Tier' violates/,
  },
  {
    name: 'a label value in capitals',
    ask: { labels: { tier: 'Web' } },
    want: /^400 invalid .*Label value 'Web' violates/,
  },
  { name: 'a label with a long key', ask: { labels: { ['k'.repeat(64)]: '' } }, want: /^400 invalid .*Label key/ },
  {
    name: 'a tag with an underscore',
    ask: { tags: { items: ['a_b'] } },
    want: /^400 invalid .*resource\.tags\.items\[0\]/,
  },
  {
    name: 'metadata said twice',
    ask: {
      metadata: {
        items: [
          { key: 'a', value: '1' },
          { key: 'a', value: '2' },
        ],
      },
    },
    want: /^400 invalid .*duplicate keys: a/,
  },
  {
    name: 'metadata over 256 KiB',
    ask: { metadata: { items: [{ key: 'a', value: 'x'.repeat(262_145) }] } },
    want: /^400 invalid .*262145 bytes/,
  },
  {
    name: 'two service accounts',
    ask: { serviceAccounts: [{}, {}] },
    want: /^400 invalid .*At most one service account/,
  },
  {
    name: 'a preemptible machine that restarts',
    ask: { scheduling: { preemptible: true, automaticRestart: true } },
    want: /^400 invalid .*preemptible/,
  },
  {
    name: 'a field that is not modelled',
    ask: { minCpuPlatform: 'Intel Haswell' },
    want: /^400 invalid .*resource\.minCpuPlatform.*does not model/,
  },
  { name: 'a field that is not modelled, but empty', ask: { resourcePolicies: [] }, want: /^accepted$/ },
  {
    name: 'a field that nobody knows',
    ask: { sizes: 3 },
    want: /^400 badRequest .*Unknown name "sizes" at 'resource'/,
  },
  { name: 'what only the server sets', ask: { status: 'RUNNING', kind: 'compute#instance' }, want: /^accepted$/ },
];

describe('inserting an instance: what is refused', () => {
  for (const { name, ask, want } of rows) {
    it(`${name}: ${want}`, async () => {
      await using made = await withNetwork();
      const answer = await post(made, { ...WEB, ...ask });
      assert.match(answer, want);
      const [disks] = await made.disks.list({ project: PROJECT, zone: ZONE });
      assert.equal(disks.length, answer === 'accepted' ? 1 : 0, 'a refused insert leaves nothing');
    });
  }

  it('a name that is taken, also while it is being made', async () => {
    await using made = await withNetwork();
    await post(made, WEB);
    assert.match(await post(made, WEB), /^409 alreadyExists .*zones\/europe-west1-b\/instances\/web' already exists/);
    pass(made);
    assert.match(await post(made, WEB), /^409 alreadyExists/);
    const elsewhere = { ...WEB, machineType: 'zones/europe-west1-c/machineTypes/e2-small' };
    assert.equal(await post(made, elsewhere, `${PROJECT}/zones/europe-west1-c/instances`), 'accepted');
  });

  it('a disk that is left over, or in use', async () => {
    await using made = await withNetwork();
    await post(made, { name: 'web', sizeGb: '20' }, `${PROJECT}/zones/${ZONE}/disks`);
    pass(made);
    assert.match(await post(made, WEB), /^409 alreadyExists .*disks\/web/);
    await post(made, { ...WEB, name: 'holder', disks: [{ boot: true, source: `zones/${ZONE}/disks/web` }] });
    pass(made);
    assert.match(
      await post(made, WEB),
      /^400 resourceInUseByAnotherResource .*disks\/web' is already being used by .*holder'/,
    );
  });

  it('more instances than the quota of the region', async () => {
    await using made = await withNetwork({ compute: { quotas: { instances: 1 } } });
    await post(made, WEB);
    assert.match(
      await post(made, { ...WEB, name: 'next' }),
      /^403 quotaExceeded Quota 'INSTANCES' exceeded\. Limit: 1\.0 in region europe-west1\./,
    );
  });

  it('more vCPUs or external addresses than the region has left, as its quotas tell', async () => {
    await using made = await withNetwork({ compute: { quotas: { cpus: 3, externalAddresses: 0 } } });
    await post(made, WEB);
    assert.match(await post(made, { ...WEB, name: 'next' }), /^403 quotaExceeded Quota 'CPUS' exceeded\. Limit: 3\.0/);
    const n2 = { ...WEB, name: 'n2', machineType: `zones/${ZONE}/machineTypes/n2-standard-2` };
    const networkInterfaces = [{ ...nic, accessConfigs: [{}] }];
    assert.match(
      await post(made, { ...n2, networkInterfaces }),
      /^403 quotaExceeded Quota 'IN_USE_ADDRESSES' exceeded/,
    );
    assert.equal(await post(made, n2), 'accepted');
    const usages = async (): Promise<unknown> => {
      const { quotas } = (await made.raw('GET', `${PROJECT}/regions/europe-west1`)).body;
      return quotas;
    };
    const line = (metric: string, limit: number, usage: number): object => ({ metric, limit, usage });
    const others = [line('T2A_CPUS', 3, 0), line('INSTANCES', 6000, 2), line('IN_USE_ADDRESSES', 0, 0)];
    assert.deepEqual(await usages(), [line('CPUS', 3, 2), line('N2_CPUS', 3, 2), ...others]);
    pass(made);
    await made.raw('POST', `${INSTANCES}/web/stop`);
    pass(made, 300_000);
    assert.deepEqual(await usages(), [line('CPUS', 3, 0), line('N2_CPUS', 3, 2), ...others], 'one that is stopped');
  });
});

describe('inserting an instance: how the operation fails', () => {
  const failure = async (made: Machines, resource: object) => {
    const { name } = begun(
      await made.instances.insert({ project: PROJECT, zone: ZONE, instanceResource: { ...WEB, ...resource } }),
    );
    pass(made);
    const { body } = await made.raw('GET', `${PROJECT}/zones/${ZONE}/operations/${name}`);
    assert.equal(body['status'], 'DONE');
    const error = body.error as unknown as { readonly errors: readonly { readonly code: string }[] } | undefined; // why: an operation's errors have codes, not reasons
    return error?.errors[0]?.code;
  };

  it('an address that is taken', async () => {
    await using made = await withNetwork();
    const networkInterfaces = [{ ...nic, networkIP: '10.20.1.9' }];
    assert.equal(await failure(made, { networkInterfaces }), undefined);
    assert.equal(await failure(made, { name: 'next', networkInterfaces }), 'IP_IN_USE_BY_ANOTHER_RESOURCE');
    assert.equal((await made.raw('GET', `${INSTANCES}/next`)).status, 404);
  });

  it('a subnetwork that is full: the first two and the last two addresses are kept', async () => {
    await using made = await withNetwork();
    const networkInterfaces = [{ subnetwork: 'regions/europe-west1/subnetworks/tiny' }];
    const codes: (string | undefined)[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) codes.push(await failure(made, { name, networkInterfaces }));
    assert.deepEqual(codes, [undefined, undefined, undefined, undefined, 'IP_SPACE_EXHAUSTED']);
    const [first] = await made.instances.get({ project: PROJECT, zone: ZONE, instance: 'a' });
    assert.equal(given(first.networkInterfaces?.[0]).networkIP, '10.20.2.2');
    const tiny = `${PROJECT}/regions/europe-west1/subnetworks/tiny`;
    assert.equal((await made.raw('GET', tiny)).body['utilizationDetails'], undefined);
    assert.deepEqual((await made.raw('GET', `${tiny}?views=WITH_UTILIZATION`)).body['utilizationDetails'], {
      ipv4Utilizations: [{ rangeName: '', totalAllocatedIp: '4', totalFreeIp: '0' }],
    });
    assert.equal((await made.raw('GET', `${tiny}?views=ALL`)).status, 400);
  });
});

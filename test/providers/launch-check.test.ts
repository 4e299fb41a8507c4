import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Sandbox } from '../../sandbox/index.ts';
import type { LaunchAnswer, LaunchQuestion, Session } from '../../src/ports/provider.ts';
import { scope as awsScope, openAwsStage } from '../support/aws-session.ts';
import { account, openAzureStage, prefix } from '../support/azure-session.ts';
import { recordedCall } from '../support/fixtures.ts';
import { byHand, openGcpStage } from '../support/gcp-session.ts';
import { createOne, networkOf, subnetOf } from './aws/estate.ts';
import { subnetOf as azureSubnetOf, createOne as createOnAzure } from './azure/estate.ts';
import { type Land, machineOf, makeLand } from './azure/machines.ts';
import {
  createOne as createOnGcp,
  type Estate,
  subnetOf as gcpSubnetOf,
  instanceOf,
  makeEstate,
} from './gcp/estate.ts';

interface Stage {
  readonly sandbox: Sandbox;
  open(): Promise<Session>;
  close(): Promise<void>;
}

interface Case {
  readonly name: string;
  readonly image?: string;
  readonly size?: string;
  readonly want: LaunchAnswer['as'];
  readonly says?: RegExp;
}

interface Cloud {
  readonly name: string;
  readonly open: () => Promise<Stage>;
  readonly address: string;
  readonly image: string;
  readonly size: string;
  /** The reads that are made, by the API's own names. */
  readonly reads: readonly string[];
  readonly cases: readonly Case[];
}

const gallery = (name: string): string =>
  `/subscriptions/${account}/resourceGroups/rg-app/providers/Microsoft.Compute/galleries/g/images/${name}`;

const clouds: readonly Cloud[] = [
  {
    name: 'AWS',
    open: () => openAwsStage(),
    address: `${awsScope}/instance/web-0`,
    image: 'ami-0abc0abc0abc0abc0',
    size: 't3.small',
    reads: ['DescribeImages', 'DescribeInstanceTypeOfferings'],
    cases: [
      {
        name: 'an image with a mistyped id',
        image: 'ami-0abc0abc0abc0abc1',
        want: 'impossible',
        says: /ami-0abc0abc0abc0abc1/,
      },
      { name: 'an image that is no id', image: 'ubuntu', want: 'impossible', says: /image ubuntu/ },
      {
        name: 'a mistyped size',
        size: 't3.smal',
        want: 'impossible',
        says: /size t3.smal is not offered in the region/,
      },
    ],
  },
  {
    name: 'Google Cloud',
    open: () => openGcpStage(),
    address: 'gcp/acme-prod/europe-west1-b/instance/web-0',
    image: 'projects/debian-cloud/global/images/family/debian-12',
    size: 'e2-small',
    reads: ['images.getFromFamily', 'machineTypes.get', 'regions.get'],
    cases: [
      {
        name: 'an image by name',
        image: 'projects/debian-cloud/global/images/debian-12-bookworm-v20251209',
        want: 'possible',
      },
      {
        name: 'a mistyped family',
        image: 'projects/debian-cloud/global/images/family/debian-21',
        want: 'impossible',
        says: /family\/debian-21/,
      },
      {
        name: "a mistyped image of the project's own",
        image: 'global/images/webb',
        want: 'impossible',
        says: /projects\/acme-prod\/global\/images\/webb/,
      },
      {
        name: 'a mistyped size',
        size: 'e2-smal',
        want: 'impossible',
        says: /size e2-smal is not offered in europe-west1-b/,
      },
      { name: 'a size that another zone has', size: 't2a-standard-1', want: 'impossible', says: /t2a-standard-1/ },
      { name: 'a custom size', size: 'e2-custom-4-8192', want: 'possible' },
    ],
  },
  {
    name: 'Azure',
    open: () => openAzureStage(),
    address: `${prefix}/instance/web-0`,
    image: 'Canonical:ubuntu-24_04-lts:server:latest',
    size: 'Standard_B2s',
    reads: ['VirtualMachineImages_List', 'ResourceSkus_List', 'Usage_List'],
    cases: [
      { name: 'an exact version', image: 'Debian:debian-12:12-gen2:0.20251006.2257', want: 'possible' },
      {
        name: 'a mistyped offer',
        image: 'Canonical:ubuntu-24_04-lst:server:latest',
        want: 'impossible',
        says: /ubuntu-24_04-lst/,
      },
      { name: 'a version that is gone', image: 'Debian:debian-12:12-gen2:0.1.1', want: 'impossible', says: /0.1.1/ },
      {
        name: "a gallery's image that is not there",
        image: `${gallery('web')}/versions/1.0.0`,
        want: 'impossible',
        says: /versions\/1.0.0/,
      },
      {
        name: 'a mistyped size',
        size: 'Standard_B2',
        want: 'impossible',
        says: /size Standard_B2 is not offered in westeurope/,
      },
      { name: 'a size in another case', size: 'standard_b2s', want: 'possible' },
      {
        name: 'a size that this subscription may not use',
        size: 'Standard_M416ms_v2',
        want: 'impossible',
        says: /NotAvailableForSubscription/,
      },
    ],
  },
];

for (const cloud of clouds)
  describe(`the launch check, on ${cloud.name}`, () => {
    let stage: Stage;
    before(async () => {
      stage = await cloud.open();
    });
    after(() => stage.close());
    const question = ({ image = cloud.image, size = cloud.size }: Partial<Case> = {}): LaunchQuestion => ({
      address: cloud.address,
      image,
      size,
      needsRoom: true,
      publicIp: false,
    });

    it('an image and a size that are there: possible, and nothing is asked twice in a session', async () => {
      const session = await stage.open();
      const call = recordedCall();
      for (const _ of [1, 2]) assert.deepEqual(await session.canLaunch?.(question(), call), { as: 'possible' });
      assert.deepEqual(
        call.admitted.map(({ action }) => action),
        cloud.reads,
      );
      assert.ok(call.admitted.every(({ mutating }) => !mutating));
    });

    for (const { want, says, ...one } of cloud.cases)
      it(`${one.name}: ${want}`, async () => {
        const session = await stage.open();
        const answer = await session.canLaunch?.(question(one), recordedCall());
        assert.equal(answer?.as, want, JSON.stringify(answer));
        if (says && answer && 'failure' in answer) assert.match(answer.failure.message, says);
      });

    it('a denied read leaves the machine unjudged', async () => {
      const session = await stage.open();
      stage.sandbox.control.faults.add({ match: {}, effect: { kind: 'access-denied' } });
      const answer = await session.canLaunch?.(question(), recordedCall());
      stage.sandbox.control.faults.clear();
      assert.equal(answer?.as, 'unknown', JSON.stringify(answer));
    });
  });

describe('the launch check of a subnet, on AWS', () => {
  it('a zone that does not offer the size, and a subnet without a free address', async (t) => {
    const stage = await openAwsStage();
    t.after(() => stage.close());
    const session = await stage.open();
    const network = await createOne(session, networkOf('core'));
    const subnet = await createOne(session, subnetOf('core.app', network.id, { zone: 'eu-west-1c' }));
    const about = {
      address: `${awsScope}/instance/web-0`,
      image: 'ami-0abc0abc0abc0abc0',
      subnet: subnet.id,
      needsRoom: true,
      publicIp: false,
    };
    const rare = await session.canLaunch?.({ ...about, size: 'p5.4xlarge' }, recordedCall());
    assert.match(JSON.stringify(rare), /size p5.4xlarge is not offered in eu-west-1c/);
    const { addresses } = stage.sandbox.control.ec2.region('111122223333', 'eu-west-1');
    const taken = Array.from({ length: 256 - 5 }, (_, i) => `10.20.1.${i + 4}`);
    addresses.set(subnet.id, new Set(taken));
    const full = await session.canLaunch?.({ ...about, size: 't3.small' }, recordedCall());
    assert.match(JSON.stringify(full), /InsufficientFreeAddressesInSubnet.*is full: delete machines there/);
    const after = await session.canLaunch?.({ ...about, size: 't3.small', needsRoom: false }, recordedCall());
    assert.deepEqual(after, { as: 'possible' });
  });
});

const beside = { needsRoom: true, publicIp: false } as const;
const afterIts = { needsRoom: false, publicIp: false } as const;

describe('the check of room for a machine, on Google Cloud', () => {
  const asked = (estate: Estate, over: Partial<LaunchQuestion> = {}): LaunchQuestion => ({
    address: 'gcp/acme-prod/europe-west1-b/instance/web-9',
    image: 'projects/debian-cloud/global/images/family/debian-12',
    size: 'e2-small',
    subnet: estate.subnet.id,
    ...beside,
    ...over,
  });

  it('a subnet without a free address', async (t) => {
    const estate = await makeEstate();
    t.after(() => estate.stage.close());
    const tiny = await createOnGcp(estate, gcpSubnetOf('core.tiny', estate.network.id, '10.20.2.0/29'));
    const at = { placement: { subnet: tiny.id, zone: 'europe-west1-b', publicIp: false } };
    for (const name of ['a', 'b', 'c']) await createOnGcp(estate, instanceOf(estate, name, at));
    const another = await estate.stage.open();
    const free = await another.canLaunch?.(asked(estate, { subnet: tiny.id }), recordedCall());
    assert.deepEqual(free, { as: 'possible' });
    await createOnGcp(estate, instanceOf(estate, 'd', at));
    const session = await estate.stage.open();
    const full = await session.canLaunch?.(asked(estate, { subnet: tiny.id }), recordedCall());
    assert.match(JSON.stringify(full), /"impossible".*SubnetIsFull.*subnet core-tiny is full: delete machines there/);
    const after = await session.canLaunch?.(asked(estate, { subnet: tiny.id, ...afterIts }), recordedCall());
    assert.deepEqual(after, { as: 'possible' });
  });

  const quotas = { instances: 3, cpus: 6, externalAddresses: 1 };
  const cases: readonly (readonly [name: string, over: Partial<LaunchQuestion>, says: RegExp])[] = [
    ['as many vCPUs as are left', { size: 'e2-standard-2' }, /"possible"/],
    [
      'more vCPUs than are left',
      { size: 'e2-standard-4' },
      /quota CPUS of europe-west1 .*4 of 6 are in use, and 4 more/,
    ],
    ['vCPUs of a series with a quota of its own', { size: 'n2-standard-4' }, /"possible"/],
    ['more of those than there are', { size: 'n2-standard-8' }, /quota N2_CPUS of europe-west1/],
    ['an external address more', { publicIp: true }, /quota IN_USE_ADDRESSES of europe-west1/],
    ['more vCPUs, once its predecessor has ended', { size: 'e2-standard-4', ...afterIts }, /"possible"/],
    ['another region', { address: 'gcp/acme-prod/us-central1-a/instance/web-9', size: 'e2-standard-4' }, /"possible"/],
  ];
  it('quotas of the region, asked for once in a session', async (t) => {
    const estate = await makeEstate({ compute: { quotas } });
    t.after(() => estate.stage.close());
    const at = { placement: { subnet: estate.subnet.id, zone: 'europe-west1-b', publicIp: true } };
    await createOnGcp(estate, instanceOf(estate, 'a', at));
    await createOnGcp(estate, instanceOf(estate, 'b'));
    const call = recordedCall();
    const session = await estate.stage.open();
    for (const [name, over, says] of cases)
      assert.match(JSON.stringify(await session.canLaunch?.(asked(estate, over), call)), says, name);
    const reads = call.admitted.map(({ action }) => action);
    assert.equal(reads.filter((action) => action === 'regions.get').length, 2, 'one each region');
    assert.equal(reads.filter((action) => action === 'subnetworks.get').length, 1);
    await createOnGcp(estate, instanceOf(estate, 'c'));
    const next = await estate.stage.open();
    const many = await next.canLaunch?.(asked(estate), recordedCall());
    assert.match(JSON.stringify(many), /quota INSTANCES of europe-west1 .*3 of 3 are in use/);
    await byHand(estate.stage, 'POST', 'zones/europe-west1-b/instances/a/stop');
    const later = await estate.stage.open();
    const address = await later.canLaunch?.(asked(estate, { publicIp: true }), recordedCall());
    assert.match(JSON.stringify(address), /INSTANCES/, 'one that is stopped is an instance still');
  });
});

describe('the check of room for a machine, on Azure', () => {
  const asked = ({ subnet }: Pick<Land, 'subnet'>, over: Partial<LaunchQuestion> = {}): LaunchQuestion => ({
    address: `${prefix}/instance/web-9`,
    image: 'Canonical:ubuntu-24_04-lts:server:latest',
    size: 'Standard_B2s',
    subnet,
    ...beside,
    ...over,
  });

  it('a full subnet; one that a half-made machine fills, which holds its address already', async (t) => {
    const land = await makeLand();
    t.after(() => land.stage.close());
    const { session, network, stage } = land;
    const tiny = {
      ...land,
      subnet: (await createOnAzure(session, azureSubnetOf('core.tiny', network.id, { cidr: '10.20.2.0/29' }))).id,
    };
    for (const name of ['a', 'b']) await createOnAzure(session, machineOf(tiny, name));
    const free = await (await stage.open()).canLaunch?.(asked(tiny), recordedCall());
    assert.deepEqual(free, { as: 'possible' });
    stage.sandbox.control.faults.add({
      match: { action: 'virtualMachines.createOrUpdate' },
      effect: { kind: 'access-denied' },
    });
    const [half] = await session.actuators.instance.create([machineOf(tiny, 'c')], recordedCall());
    stage.sandbox.control.faults.clear();
    assert.equal(half?.ok, false);
    const finishing = await (await stage.open()).canLaunch?.(asked(tiny), recordedCall());
    assert.deepEqual(finishing, { as: 'possible' });
    await createOnAzure(session, machineOf(tiny, 'c'));
    const next = await stage.open();
    const full = await next.canLaunch?.(asked(tiny), recordedCall());
    assert.match(JSON.stringify(full), /"impossible".*SubnetIsFull.*subnet tiny is full: delete machines there/);
    const after = await next.canLaunch?.(asked(tiny, afterIts), recordedCall());
    assert.deepEqual(after, { as: 'possible' });
  });

  const quotas = { machines: { machines: 3, cores: 13, coresPerFamily: 8 } };
  const cases: readonly (readonly [name: string, over: Partial<LaunchQuestion>, says: RegExp])[] = [
    ['as many vCPUs of the family as are left', { size: 'Standard_B4ms' }, /"possible"/],
    [
      'more of the family than are left',
      { size: 'Standard_B8ms' },
      /quota standardBSFamily of westeurope .*4 of 8 are in use, and 8 more/,
    ],
    ['those of another family', { size: 'Standard_D4s_v5' }, /"possible"/],
    [
      'more of all families than are left',
      { size: 'Standard_D16s_v5' },
      /quota cores of westeurope .*4 of 13 are in use/,
    ],
    ['more vCPUs, once its predecessor has ended', { size: 'Standard_B8ms', ...afterIts }, /"possible"/],
  ];
  it('quotas of the location, asked for once in a session', async (t) => {
    const land = await makeLand({ arm: { quotas } });
    t.after(() => land.stage.close());
    for (const name of ['a', 'b']) await createOnAzure(land.session, machineOf(land, name));
    const call = recordedCall();
    const session = await land.stage.open();
    for (const [name, over, says] of cases)
      assert.match(JSON.stringify(await session.canLaunch?.(asked(land, over), call)), says, name);
    const reads = call.admitted.map(({ action }) => action);
    for (const one of ['Usage_List', 'VirtualNetworks_ListUsage', 'ResourceSkus_List'])
      assert.equal(reads.filter((action) => action === one).length, 1, one);
    await createOnAzure(land.session, machineOf(land, 'c'));
    const many = await (await land.stage.open()).canLaunch?.(asked(land), recordedCall());
    assert.match(JSON.stringify(many), /quota virtualMachines of westeurope .*3 of 3 are in use/);
    const [refused] = await land.session.actuators.instance.create([machineOf(land, 'd')], recordedCall());
    assert.match(JSON.stringify(refused), /OperationNotAllowed.*Virtual Machines quota/, 'as the launch itself says');
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Sandbox } from '../../sandbox/index.ts';
import type { LaunchAnswer, LaunchQuestion } from '../../src/ports/launch-check.ts';
import type { Session } from '../../src/ports/provider.ts';
import { scope as awsScope, openAwsStage } from '../support/aws-session.ts';
import { account, openAzureStage, prefix } from '../support/azure-session.ts';
import { recordedCall } from '../support/fixtures.ts';
import { openGcpStage } from '../support/gcp-session.ts';
import { createOne, networkOf, subnetOf } from './aws/estate.ts';

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
    reads: ['images.getFromFamily', 'machineTypes.get'],
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
    reads: ['VirtualMachineImages_List', 'ResourceSkus_List'],
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
  describe(`whether a machine can be launched, on ${cloud.name}`, () => {
    let stage: Stage;
    before(async () => {
      stage = await cloud.open();
    });
    after(() => stage.close());
    const question = ({ image = cloud.image, size = cloud.size }: Partial<Case> = {}): LaunchQuestion => ({
      address: cloud.address,
      image,
      size,
      needsAddress: true,
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

    it('what may not be read says nothing of the machine', async () => {
      const session = await stage.open();
      stage.sandbox.control.faults.add({ match: {}, effect: { kind: 'access-denied' } });
      const answer = await session.canLaunch?.(question(), recordedCall());
      stage.sandbox.control.faults.clear();
      assert.equal(answer?.as, 'unknown', JSON.stringify(answer));
    });
  });

describe('whether a machine can be launched in a subnet, on AWS', () => {
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
      needsAddress: true,
    };
    const rare = await session.canLaunch?.({ ...about, size: 'p5.4xlarge' }, recordedCall());
    assert.match(JSON.stringify(rare), /size p5.4xlarge is not offered in eu-west-1c/);
    const { addresses } = stage.sandbox.control.ec2.region('111122223333', 'eu-west-1');
    const taken = Array.from({ length: 256 - 5 }, (_, i) => `10.20.1.${i + 4}`);
    addresses.set(subnet.id, new Set(taken));
    const full = await session.canLaunch?.({ ...about, size: 't3.small' }, recordedCall());
    assert.match(JSON.stringify(full), /InsufficientFreeAddressesInSubnet.*is full: end machines there/);
    const after = await session.canLaunch?.({ ...about, size: 't3.small', needsAddress: false }, recordedCall());
    assert.deepEqual(after, { as: 'possible' });
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { VirtualMachine } from '@azure/arm-compute';
import { type InstanceContext, observeMachine } from '../../../providers/azure/instance/observe.ts';
import type { Effect } from '../../../sandbox/faults.ts';
import { diff } from '../../../src/core/diff.ts';
import type { Attributes } from '../../../src/core/resource.ts';
import { ListingFailed } from '../../../src/ports/provider.ts';
import { type RecordedCall, recordedCall, writesOf } from '../../support/fixtures.ts';
import { byHand, createOne, inGroup, must } from './estate.ts';
import {
  compute,
  identityId,
  image,
  type Land,
  machineOf,
  machineSeen,
  machinesSeen,
  makeLand,
  running,
  sizes,
  to,
} from './machines.ts';

let land: Land;
before(async () => {
  land = await makeLand();
});
after(() => land.stage.close());

type Over = Partial<Attributes['instance']>;
const machine = { image: 'Canonical:ubuntu-24_04-lts:server:latest', size: 'Standard_B2s', power: 'running' } as const;
const wishes: readonly (readonly [string, () => Over])[] = [
  ['nothing else', () => ({})],
  ['labels, as the user spells their keys', () => ({ labels: { Env: 'prod', 'cost centre': '42', empty: '' } })],
  ['two groups', () => ({ groups: land.groups.toSorted() })],
  ['no groups', () => ({ groups: [] })],
  ['a public address', () => ({ placement: { subnet: land.subnet, publicIp: true } })],
  ['a disk of its own', () => ({ disk: { size: 64, type: 'Premium_LRS', encrypted: true } })],
  ['an identity', () => ({ machine: { ...machine, identity: identityId('web') } })],
  [
    'an image of one version',
    () => ({ machine: { ...machine, image: machine.image.replace('latest', '24.04.202507030') } }),
  ],
  ['no power', () => ({ machine: { ...machine, power: 'stopped' } })],
];

describe('a machine asked for with', () => {
  for (const [ordinal, [name, over]] of wishes.entries()) {
    test(`${name} lists back so, and reading says the same`, async () => {
      const creation = machineOf(land, `wish-${ordinal}`, over());
      const made = await createOne(land.session, creation);
      const seen = await machineSeen(land, `wish-${ordinal}`);
      assert.deepEqual(diff(creation.desired.attributes, seen.attributes), []);
      assert.deepEqual(diff(made.attributes, seen.attributes), [], 'the answer says nothing else');
      assert.deepEqual([made.id, made.signs, seen.condition.state], [seen.id, seen.signs, 'ready']);
      const [read] = await (await land.stage.open()).actuators.instance.read([seen.id], recordedCall());
      assert.deepEqual(must(read), seen);
    });
  }
});

describe('reading', () => {
  test('what never was, and what bears another number, answers nothing and hides no other', async () => {
    const { observed } = await running(land, 'read-0');
    const ids = [compute('virtualMachines/nowhere').toLowerCase(), observed.id.replace(/#.*/, '#another'), observed.id];
    const read = await land.session.actuators.instance.read(ids, recordedCall());
    assert.deepEqual(
      read.map((result) => must(result)?.name),
      [undefined, undefined, 'read-0'],
    );
  });
});

describe('power', () => {
  test('that is not told is waited for, and never taken for stopped', async () => {
    await running(land, 'dark-0');
    land.stage.sandbox.control.faults.add({
      // why: machines are listed twice, the second time for how they run
      match: { action: 'virtualMachines.listAll', nth: 2 },
      effect: { kind: 'flicker', share: 1 },
    });
    const seen = await machineSeen(land, 'dark-0');
    land.stage.sandbox.control.faults.clear();
    assert.deepEqual([seen.condition.state, seen.attributes.machine.power], ['pending', 'running']);
  });
});

describe('a listing that misses', () => {
  const short = [
    { what: 'machines that hold parts of ours', action: 'virtualMachines.listAll' },
    { what: 'interfaces', action: 'networkInterfaces.listAll' },
    { what: 'disks', action: 'disks.list' },
    { what: 'public addresses of machines of ours', action: 'publicIPAddresses.listAll' },
  ];
  for (const { what, action } of short) {
    test(`${what} is no listing`, async () => {
      land.stage.sandbox.control.faults.add({ match: { action, nth: 1 }, effect: { kind: 'flicker', share: 1 } });
      const listing = machinesSeen(await land.stage.open());
      await assert.rejects(listing, (error) => error instanceof ListingFailed && error.code === 'ShortListing');
      land.stage.sandbox.control.faults.clear();
    });
  }
});

describe('what others made', () => {
  test('is listed without a mark, and its free parts are no machine of ours', async () => {
    const address = inGroup('publicIPAddresses/lab-ip');
    const body = {
      location: 'westeurope',
      sku: { name: 'Standard' },
      properties: { publicIPAllocationMethod: 'Static' },
    };
    await byHand(land.stage, 'PUT', address, body);
    const names = (await machinesSeen(await land.stage.open())).map(({ name }) => name);
    assert.ok(!names.includes('lab'));
  });

  test('with tags that were copied from a part of ours is no part where it bears another name', async () => {
    await running(land, 'copied-0', { placement: { subnet: land.subnet, publicIp: true } });
    const { tags } = await byHand(land.stage, 'GET', inGroup('publicIPAddresses/copied-0-ip'));
    const body = {
      location: 'westeurope',
      tags,
      sku: { name: 'Standard' },
      properties: { publicIPAllocationMethod: 'Static' },
    };
    await byHand(land.stage, 'PUT', inGroup('publicIPAddresses/copy-of-it'), body);
    const before = await machineSeen(land, 'copied-0');
    assert.equal(before.condition.parts?.length, 3);
    must((await land.session.actuators.instance.delete([{ id: before.id, observed: before }], recordedCall()))[0]);
    assert.equal((await byHand(land.stage, 'GET', inGroup('publicIPAddresses/copy-of-it'))).status, 200);
  });

  test('with the tags of a machine of ours, and named as a part, is none unless it says so', async () => {
    await running(land, 'policy-0');
    const { tags } = await byHand(land.stage, 'GET', compute('virtualMachines/policy-0'));
    const body = {
      location: 'westeurope',
      tags,
      sku: { name: 'Standard' },
      properties: { publicIPAllocationMethod: 'Static' },
    };
    await byHand(land.stage, 'PUT', inGroup('publicIPAddresses/nobody-ip'), body);
    const seen = await machinesSeen(await land.stage.open());
    assert.deepEqual(
      seen.filter(({ condition }) => condition.missing !== undefined),
      [],
    );
  });
});

let pollsLand: Land;
before(async () => {
  pollsLand = await makeLand();
});
after(() => pollsLand.stage.close());

const polls = ['operations.get', 'operationResults.get'];

/** Made, resized with a larger disk, and taken away: the writes that it took, and the polls. */
async function life(name: string): Promise<{ readonly writes: readonly string[]; readonly calls: RecordedCall }> {
  const calls = recordedCall();
  const { instance } = pollsLand.session.actuators;
  const creation = machineOf(pollsLand, name, { placement: { subnet: pollsLand.subnet, publicIp: true } });
  must((await instance.create([creation], calls))[0]);
  const observed = await machineSeen(pollsLand, name);
  const over = { machine: { image, size: sizes[1], power: 'running' as const }, disk: { size: 64 } };
  must((await instance.update([to({ creation, observed }, over)], calls))[0]);
  must((await instance.delete([{ id: observed.id, observed }], calls))[0]);
  return { writes: writesOf(calls), calls };
}

describe('what Azure takes its time for is awaited to its end', () => {
  for (const [trouble, effect] of [
    ['throttled', { kind: 'throttle' }],
    ['not answered', { kind: 'reset-before' }],
  ] as const satisfies readonly (readonly [string, Effect])[]) {
    test(`though polls of it are ${trouble}, and nothing is written twice`, async () => {
      const plain = await life(`plain-${effect.kind}`);
      const { faults } = pollsLand.stage.sandbox.control;
      for (let nth = 2; nth <= 40; nth += 3) faults.add({ match: { action: polls, nth }, effect });
      const troubled = await life(`rough-${effect.kind}`);
      faults.clear();
      assert.deepEqual(troubled.writes, plain.writes);
      const failures = troubled.calls.reported.filter(({ answer }) => answer.failure !== undefined);
      assert.ok(failures.length > 5, `${failures.length} polls failed`);
    });
  }
});

const around: InstanceContext = {
  nics: new Map(),
  addresses: new Map(),
  disks: new Map(),
  views: new Map(),
  refOf: (id) => id ?? '',
  unknownTo: () => undefined,
};
const local = { storageProfile: { osDisk: { createOption: 'FromImage', diffDiskSettings: { option: 'Local' } } } };

/** Undefined is "it may", see plan/destructive-drift.ts. */
const cases: readonly (readonly [
  name: string,
  size: string,
  more: Partial<VirtualMachine>,
  want: boolean | undefined,
])[] = [
  ['managed disks', 'Standard_B2s', {}, false],
  ['a temporary disk, which is not for data', 'Standard_D2ds_v5', {}, false],
  ['an OS disk on its host', 'Standard_D2ds_v5', local, true],
  ['NVMe data disks on its host', 'Standard_L8s_v3', {}, true],
  ['the same, spelled otherwise', 'standard_l16as_V3', {}, true],
  ['a size for high performance', 'Standard_HB176rs_v4', {}, undefined],
  ['a size with GPUs', 'Standard_ND96asr_v4', {}, undefined],
  ['a size that is not told', '', {}, undefined],
];

for (const [name, vmSize, more, want] of cases)
  test(`${name}: ${want ?? 'not known'}`, () => {
    const vm = {
      id: '/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/web-0',
      location: 'x',
    };
    const observed = observeMachine({ ...vm, hardwareProfile: { vmSize }, ...more }, around);
    assert.equal(observed.condition.ephemeral, want);
  });

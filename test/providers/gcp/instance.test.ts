import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { observeInstance } from '../../../providers/gcp/instance/observe.ts';
import { markLabels } from '../../../providers/gcp/marks/labels.ts';
import type { Observed } from '../../../src/core/observed.ts';
import type { InstanceAttributes, Labels } from '../../../src/core/resource.ts';
import { desired, observed } from '../../support/actions.ts';
import { markFor, recordedCall } from '../../support/fixtures.ts';
import { byHand, zone } from '../../support/gcp-session.ts';
import {
  createOne,
  deleteOne,
  type Estate,
  instanceOf,
  makeEstate,
  pathOf,
  revise,
  said,
  seen,
  updateOne,
} from './estate.ts';
import { type Change, change, diskOf, labelByHand, machineIn, wireOf, withMachine } from './machines.ts';
import { scriptedCloud } from './scripted-cloud.ts';

let estate: Estate;
before(async () => {
  estate = await makeEstate();
});
after(() => estate.stage.close());

describe('a machine is made', () => {
  test('with its mark, its disk’s, and what it will not tell', async () => {
    const { creation, observed } = await machineIn(estate, { boot: { userData: 'sha256:1' }, labels: { tier: 'web' } });
    const { labels, metadata } = await wireOf(estate, observed.id);
    assert.equal(labels?.['setpoint-estate'], creation.mark.estate);
    assert.deepEqual((metadata?.items ?? []).map(({ key }) => key).toSorted(), [
      'setpoint-access',
      'setpoint-image',
      'setpoint-user-data',
      'ssh-keys',
      'startup-script',
    ]);
    const marked = await diskOf(estate, observed.id);
    assert.deepEqual(
      [marked.labels?.['setpoint-part'], marked.labels?.['setpoint-name']],
      ['disk', creation.desired.name],
    );
  });

  test('in an estate whose name no label takes, and knows it all the same', async () => {
    const creation = instanceOf(estate, 'odd-0');
    const mark = { ...creation.mark, estate: 'Acme_Größe' };
    const { id } = await createOne(estate, { ...creation, mark });
    assert.deepEqual((await seen(estate, 'instance', id)).signs.mark, mark);
  });

  test('standing still, where it shall', async () => {
    const { observed } = await machineIn(estate, {
      machine: { ...instanceOf(estate, 'x').desired.attributes.machine, power: 'stopped' },
    });
    assert.deepEqual(
      [(await wireOf(estate, observed.id)).status, observed.attributes.machine.power],
      ['TERMINATED', 'stopped'],
    );
  });
});

const labelled =
  (labels: Labels): Change =>
  (was) => ({ ...was, labels });

describe('labels', () => {
  test('of others stay, whatever we write', async () => {
    const it = await machineIn(estate, { labels: { tier: 'web' } });
    const { labels } = await wireOf(estate, it.observed.id);
    await labelByHand(estate, it.observed.id, { ...labels, cost: 'c-7' });
    const fields = [
      { field: 'labels.app', to: 'x' },
      { field: 'labels.tier', from: 'web' },
    ];
    assert.equal(said(await change(estate, it, { to: labelled({ app: 'x' }), fields })), 'ok');
    assert.deepEqual((await seen(estate, 'instance', it.observed.id)).attributes.labels, { app: 'x', cost: 'c-7' });
    assert.equal((await wireOf(estate, it.observed.id)).labels?.['setpoint-estate'], 'acme');
  });

  test('stay through every other change', async () => {
    const it = await machineIn(estate, { labels: { tier: 'web' } });
    const before = (await wireOf(estate, it.observed.id)).labels;
    const groups = ['tag:core-all', 'tag:core-web'];
    const size = 'e2-medium';
    const to: Change = (was) => ({ ...withMachine({ size })(was), groups });
    assert.equal(said(await change(estate, it, { to, fields: ['groups', 'machine.size'] })), 'ok');
    assert.deepEqual((await wireOf(estate, it.observed.id)).labels, before);
    const now = await seen(estate, 'instance', it.observed.id);
    const machine = { ...it.observed.attributes.machine, size };
    assert.deepEqual([now.attributes.groups, now.attributes.machine], [groups, machine]);
  });

  test('that somebody writes between our look and our write: a conflict, and theirs stand', async () => {
    const it = await machineIn(estate);
    const { labels } = await wireOf(estate, it.observed.id);
    const call = recordedCall(undefined, async ({ action }) => {
      if (action === 'instances.setLabels') await labelByHand(estate, it.observed.id, { ...labels, theirs: 'yes' });
    });
    const edit = { to: labelled({ app: 'x' }), fields: [{ field: 'labels.app', to: 'x' }] };
    assert.match(said(await change(estate, it, edit, call)), /^conflict /);
    assert.deepEqual((await seen(estate, 'instance', it.observed.id)).attributes.labels, { theirs: 'yes' });
  });

  test('tags that somebody writes in between: a conflict, and theirs stand', async () => {
    const it = await machineIn(estate);
    const { tags } = await wireOf(estate, it.observed.id);
    const theirs = { items: ['theirs'], fingerprint: tags?.fingerprint };
    const call = recordedCall(undefined, async ({ action }) => {
      if (action === 'instances.setTags')
        await byHand(estate.stage, 'POST', `${pathOf(it.observed.id)}/setTags`, theirs);
    });
    const to: Change = (was) => ({ ...was, groups: ['tag:core-web'] });
    assert.match(said(await change(estate, it, { to, fields: ['groups'] }, call)), /^conflict /);
    assert.deepEqual((await seen(estate, 'instance', it.observed.id)).attributes.groups, ['tag:theirs']);
  });
});

describe('disks', () => {
  test('grow in use', async () => {
    const it = await machineIn(estate, { disk: { size: 20 } });
    assert.equal(
      said(await change(estate, it, { to: (was) => ({ ...was, disk: { size: 30 } }), fields: ['disk.size'] })),
      'ok',
    );
    assert.equal((await diskOf(estate, it.observed.id)).sizeGb, '30');
  });
  test('keep their type: that is refused by name, and nothing is sent', async () => {
    const it = await machineIn(estate, { disk: { type: 'pd-balanced' } });
    const call = recordedCall();
    const to: Change = (was) => ({ ...was, disk: { type: 'pd-ssd' } });
    const result = await change(
      estate,
      it,
      { to, fields: [{ field: 'disk.type', from: 'pd-balanced', to: 'pd-ssd' }] },
      call,
    );
    assert.ok(!result.ok && /is pd-balanced and Google Cloud cannot make it pd-ssd/.test(result.failure.message));
    assert.deepEqual(call.admitted, []);
  });
  test('go with their machine', async () => {
    const { observed } = await machineIn(estate);
    assert.equal(said(await deleteOne(estate, observed)), 'ok');
    const { items = [] } = await byHand<{ items?: readonly { name: string }[] }>(
      estate.stage,
      'GET',
      `zones/${zone}/disks`,
    );
    assert.ok(!items.some(({ name }) => name === observed.name));
  });
});

describe('the owner of a machine', () => {
  test('a new mark is written on it and on its disk', async () => {
    const it = await machineIn(estate);
    const mark = markFor(it.creation.mark.address.replace(/[^/]*$/, 'pool-5'), 'intent-9');
    const revision = { ...revise(it.creation, it.observed, { attributes: it.observed.attributes, changes: [] }), mark };
    assert.equal(said(await updateOne(estate, revision)), 'ok');
    assert.deepEqual((await seen(estate, 'instance', it.observed.id)).signs.mark, mark);
    assert.equal((await diskOf(estate, it.observed.id)).labels?.['setpoint-name'], 'pool-5');
  });
  test('one without our mark is not written', async () => {
    const it = await machineIn(estate);
    await labelByHand(estate, it.observed.id, {});
    const result = await change(estate, it, { to: withMachine({ power: 'stopped' }), fields: ['machine.power'] });
    assert.equal(said(result), 'conflict MarkChanged');
    assert.equal(said(await deleteOne(estate, it.observed)), 'conflict MarkChanged');
    assert.equal((await wireOf(estate, it.observed.id)).status, 'RUNNING');
  });
  test('a protected one says how to go on', async () => {
    const { observed } = await machineIn(estate);
    await byHand(estate.stage, 'POST', `${pathOf(observed.id)}/setDeletionProtection?deletionProtection=true`);
    const result = await deleteOne(estate, observed);
    assert.ok(!result.ok && result.failure.kind === 'terminal', said(result));
    assert.match(result.failure.message, /deletion protection is on: turn it off/);
  });
});

const attributes: InstanceAttributes = {
  placement: { subnet: 'projects/acme/regions/europe-west1/subnetworks/app#1', publicIp: false },
  machine: { image: 'i', size: 'e2-small', power: 'running' },
  labels: {},
};
const path = 'zones/europe-west1-b/instances/web-0';

for (const status of ['STOPPING', 'PENDING_STOP', 'SUSPENDING']) {
  test(`a machine that is ${status} is not said to have been started`, async () => {
    const mark = { estate: 'acme', store: 's1', address: 'gcp/acme/europe-west1-b/instance/web-0' };
    const body = { id: '7', name: 'web-0', status, zone: 'zones/europe-west1-b', labels: markLabels(mark) };
    const cloud = await scriptedCloud(() => ({ body }));
    try {
      const session = await cloud.open();
      const seen: Observed<'instance'> = {
        ...observed('instance', `projects/acme/${path}#7`, attributes),
        signs: { mark },
      };
      const changes = [{ field: 'machine.power', from: 'stopped', to: 'running' }];
      const item = { desired: desired('instance', 'web-0', attributes), observed: seen, changes };
      const [result] = await session.actuators.instance.update([item], recordedCall());
      assert.equal(result?.ok === false && result.failure.kind, 'conflict');
      assert.deepEqual(
        cloud.asked.filter(({ path: asked }) => asked.endsWith('/start')),
        [],
      );
    } finally {
      await cloud.close();
    }
  });
}

const around = { project: 'acme', resolve: (link: string | null | undefined) => link ?? '', disks: new Map() };
const boot = { boot: true, type: 'PERSISTENT', autoDelete: true } as const;

/** https://cloud.google.com/compute/docs/disks/local-ssd#data_persistence */
const cases = [
  ['no disk at all', [], false],
  ['a boot disk', [boot], false],
  ['further disks that stay', [boot, { type: 'PERSISTENT' }], false],
  ['local SSD beside the boot disk', [boot, { type: 'SCRATCH', interface: 'NVME' }], true],
] as const;

for (const [name, disks, want] of cases)
  test(`${name}: ${want ? 'a stop empties it' : 'a stop leaves all as it is'}`, () => {
    const instance = { name: 'web-0', zone: 'zones/b', status: 'RUNNING' as const, disks: [...disks] };
    assert.equal(observeInstance(instance, around).condition.ephemeral, want);
  });

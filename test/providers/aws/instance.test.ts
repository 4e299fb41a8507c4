import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { observeInstance } from '../../../providers/aws/instance/observe.ts';
import { userDataOf } from '../../../providers/aws/instance/user-data.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { actionsOf, codes, type Estate, instanceOf, listOf, makeEstate, must } from './estate.ts';
import { running, seen, settle } from './machines.ts';

let estate: Estate;
before(async () => {
  estate = await makeEstate(true);
});
beforeEach(() => {
  estate.stage.sandbox.control.faults.clear();
  estate.stage.sandbox.control.log.clear();
});
after(() => estate.stage.close());

const instances = () => estate.session.actuators.instance;
const log = () => estate.stage.sandbox.control.log;
const faults = () => estate.stage.sandbox.control.faults;

describe('terminating', () => {
  test('many in one call; they stay listed and are gone', async () => {
    const made = (
      await instances().create(
        [0, 1, 2].map((n) => instanceOf(estate, ['end', n])),
        recordedCall(),
      )
    ).map(must);
    log().clear();
    assert.deepEqual(
      codes(
        await instances().delete(
          made.map((observed) => ({ id: observed.id, observed })),
          recordedCall(),
        ),
      ),
      ['ok', 'ok', 'ok'],
    );
    assert.deepEqual(actionsOf(estate.stage), ['TerminateInstances']);
    settle(estate);
    assert.equal((await seen(estate, made[0]?.id ?? '')).condition.state, 'gone');
  });

  test('one that is not there does not keep the others', async () => {
    const { observed } = await running(estate, 'alone');
    const removals = ['i-0aaaaaaaaaaaaaaaa', observed.id].map((id) => ({ id, observed }));
    assert.deepEqual(codes(await instances().delete(removals, recordedCall())), ['ok', 'ok']);
    settle(estate);
    assert.equal((await seen(estate, observed.id)).condition.state, 'gone');
  });

  test('a protected one is told with what to do', async () => {
    const { observed } = await running(estate, 'guarded');
    faults().add({
      match: { action: 'TerminateInstances' },
      effect: { kind: 'error', code: 'OperationNotPermitted', status: 400 },
    });
    const [result] = await instances().delete([{ id: observed.id, observed }], recordedCall());
    assert.ok(result?.ok === false && result.failure.kind === 'terminal');
    assert.match(result.failure.message, /termination protection/);
  });
});

test('a machine whose disk is not listed: the listing was short', async () => {
  await running(estate, 'torn');
  faults().add({ match: { action: 'DescribeVolumes' }, effect: { kind: 'flicker', share: 1 } });
  await assert.rejects(listOf(estate.session, 'instance'), { name: 'ListingFailed', code: 'ShortListing' });
});

describe('reading by name', () => {
  test('found with its disk, or the cloud’s own word that it is gone', async () => {
    const { observed } = await running(estate, 'read', { disk: { size: 20 } });
    const results = await instances().read([observed.id, 'i-0aaaaaaaaaaaaaaaa'], recordedCall());
    assert.deepEqual(results, [
      { ok: true, value: observed },
      { ok: true, value: undefined },
    ]);
  });
});

/** `want`: a stop may empty a disk; undefined is "unknown", see plan/destructive-drift.ts. */
const cases: readonly (readonly [size: string, root: 'ebs' | 'instance-store', want: boolean | undefined])[] = [
  ['t3.small', 'ebs', false],
  ['m5.large', 'ebs', false],
  ['m7i-flex.large', 'ebs', false],
  ['c7gn.16xlarge', 'ebs', false],
  ['r6idn.metal', 'ebs', true],
  ['m5d.large', 'ebs', true],
  ['m5ad.large', 'ebs', true],
  ['p4d.24xlarge', 'ebs', true],
  ['i4i.large', 'ebs', true],
  ['im4gn.large', 'ebs', true],
  ['is4gen.large', 'ebs', true],
  ['d3en.xlarge', 'ebs', true],
  ['h1.2xlarge', 'ebs', true],
  ['m5.large', 'instance-store', true],
  ['c3.large', 'ebs', undefined],
  ['m2.xlarge', 'ebs', undefined],
  ['x1.16xlarge', 'ebs', undefined],
  ['g5.xlarge', 'ebs', undefined],
  ['trn1.2xlarge', 'ebs', undefined],
  ['zz9.large', 'ebs', undefined],
  ['', 'ebs', undefined],
];

for (const [InstanceType, RootDeviceType, want] of cases)
  test(`${InstanceType || 'a size that is not told'} on ${RootDeviceType}: ${want ?? 'not known'}`, () => {
    const { observed } = observeInstance({ InstanceId: 'i-1', InstanceType: asType(InstanceType), RootDeviceType });
    assert.equal(observed.condition.ephemeral, want);
  });

// why: EC2 has sizes that its SDK does not know yet
const asType = (size: string): 'm5.large' => size as 'm5.large';

const access = { user: 'ops', sshKeys: ['ssh-ed25519 AAAA "quoted"\n#cloud-config'] };
const textOf = (launch: Parameters<typeof userDataOf>[0]): string =>
  Buffer.from(userDataOf(launch) ?? '', 'base64').toString();

test('nothing is sent where nothing is asked', () => assert.equal(userDataOf({}), undefined));

test('user data goes as it is', () => assert.equal(textOf({ userData: '#!/bin/sh\nécho\n' }), '#!/bin/sh\nécho\n'));

test('access is a cloud-config, and nothing in a key breaks out of it', () => {
  const [head = '', ...rest] = textOf({ access }).split('\n');
  assert.equal(head, '#cloud-config');
  const { users } = JSON.parse(rest.join('\n'));
  assert.equal(users[0], 'default');
  assert.deepEqual([users[1].name, users[1].ssh_authorized_keys], ['ops', access.sshKeys]);
});

test('both are parts of one message, each told by its kind', () => {
  const parts = textOf({ userData: '#!/bin/sh\n--==setpoint==--\n', access }).split('--==setpoint==');
  assert.equal(parts.length, 4, 'a head, two parts, an end');
  assert.match(parts[1] ?? '', /Content-Type: text\/cloud-config/);
  assert.match(parts[2] ?? '', /Content-Type: text\/x-shellscript/);
  const [, body = ''] = (parts[2] ?? '').split('\n\n');
  assert.equal(Buffer.from(body, 'base64').toString(), '#!/bin/sh\n--==setpoint==--\n');
});

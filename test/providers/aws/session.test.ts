import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { loadProvider } from '../../../providers/index.ts';
import type { Kind } from '../../../src/core/resource.ts';
import { account, openAwsStage, region, scope } from '../../support/aws-session.ts';
import { recordedCall } from '../../support/fixtures.ts';
import {
  actionsOf,
  codes,
  createOne,
  type Estate,
  groupOf,
  instanceOf,
  listOf,
  makeEstate,
  networkOf,
  ruleOf,
  subnetOf,
} from './estate.ts';

let estate: Estate;
beforeEach(async () => {
  estate = await makeEstate();
});
afterEach(() => estate.stage.close());

const kinds: readonly Kind[] = ['network', 'subnet', 'group', 'firewall-rule', 'instance'];
const log = () => estate.stage.sandbox.control.log;
const faults = () => estate.stage.sandbox.control.faults;

test('is one listing of each kind of object, in whatever order the kinds ask', async () => {
  await estate.session.actuators.instance.create([instanceOf(estate, ['web', 0])], recordedCall());
  for (const order of [kinds, kinds.toReversed()]) {
    log().clear();
    const session = await estate.stage.open();
    await Promise.all(order.map((kind) => listOf(session, kind)));
    const want = [
      'DescribeInstances',
      'DescribeInternetGateways',
      'DescribeRouteTables',
      'DescribeSecurityGroups',
      'DescribeSubnets',
      'DescribeVolumes',
      'DescribeVpcs',
    ];
    assert.deepEqual(actionsOf(estate.stage).toSorted(), want);
  }
});

test('a kind that asks again gets a new look, and after a write so does every kind', async () => {
  const groups = (): number => log().counts()['DescribeSecurityGroups'] ?? 0;
  await listOf(estate.session, 'group');
  await listOf(estate.session, 'firewall-rule');
  assert.equal(groups(), 1);
  await listOf(estate.session, 'group');
  assert.equal(groups(), 2);
  await estate.session.actuators['firewall-rule'].create([ruleOf(estate)], recordedCall());
  assert.equal((await listOf(estate.session, 'firewall-rule')).length, 4);
  assert.equal(groups(), 3);
});

test('a listing serves for a minute of the session’s clock, and no longer', async () => {
  const groups = (): number => log().counts()['DescribeSecurityGroups'] ?? 0;
  await listOf(estate.session, 'group');
  await estate.stage.clock.sleep(59_999);
  await listOf(estate.session, 'firewall-rule');
  assert.equal(groups(), 1);
  await listOf(estate.session, 'group');
  await estate.stage.clock.sleep(60_000);
  await listOf(estate.session, 'firewall-rule');
  assert.equal(groups(), 3);
});

test('a listing that began before a write was sent serves nobody who asks before its answer', async () => {
  const asked: Promise<unknown>[] = [];
  const call = recordedCall(undefined, async () => void (await listOf(estate.session, 'group')));
  const report: typeof call.report = () => void asked.push(listOf(estate.session, 'firewall-rule'));
  await estate.session.actuators.group.create([groupOf('core.late', estate.network.id)], { ...call, report });
  await Promise.all(asked);
  assert.deepEqual(actionsOf(estate.stage), [
    'DescribeSecurityGroups',
    'CreateSecurityGroup',
    'DescribeSecurityGroups',
  ]);
});

test('short pages are read to their end', async () => {
  for (const name of ['core.a', 'core.b', 'core.c']) await createOne(estate.session, groupOf(name, estate.network.id));
  faults().add({ match: {}, effect: { kind: 'short-page', items: 1 } });
  assert.equal((await listOf(estate.session, 'group')).length, 5);
});

test('a refused page is no end: the listing fails with its code', async () => {
  faults().add({
    match: { action: 'DescribeSecurityGroups', nth: 2 },
    effect: { kind: 'error', code: 'InternalError', status: 500 },
  });
  faults().add({ match: {}, effect: { kind: 'short-page', items: 1 } });
  await assert.rejects(listOf(estate.session, 'group'), { name: 'ListingFailed', code: 'InternalError' });
});

test('a network whose subnets could not be listed is listed all the same, not called empty', async () => {
  faults().add({ match: { action: 'DescribeSubnets' }, effect: { kind: 'access-denied' } });
  assert.deepEqual(
    (await listOf(estate.session, 'network')).map(({ condition }) => condition.empty),
    [undefined],
  );
});

test('objects of another account are listed as shared by it, and bear no mark of ours', async (t) => {
  const stage = await openAwsStage();
  t.after(() => stage.close());
  const session = await stage.open();
  await createOne(session, networkOf('core'));
  const aws = await loadProvider('aws');
  const other = await aws.open({ scope, account: '999900001111', region, endpoint: stage.sandbox.url }, stage.clock);
  const origin = { why: 'shared', detail: `shared by account ${account}` };
  for (const kind of ['network', 'group'] as const) {
    const listed = await listOf(other, kind);
    assert.notEqual(listed.length, 0);
    const read = await other.actuators[kind].read(
      listed.map(({ id }) => id),
      recordedCall(),
    );
    for (const { signs } of listed) assert.deepEqual(signs, { origin });
    for (const result of read) assert.deepEqual(result.ok && result.value?.signs, { origin });
  }
  for (const { signs } of await listOf(other, 'firewall-rule')) assert.deepEqual(signs.origin, origin);
});

test('an aborted listing throws the reason, and is no gap', async () => {
  const aborting = new AbortController();
  const call = recordedCall(aborting.signal, () => aborting.abort(new Error('shutdown')));
  await assert.rejects(listOf(estate.session, 'group', call), /shutdown/);
});

describe('who we are', () => {
  test('is asked of STS', async () => {
    assert.deepEqual(await estate.session.identify(recordedCall()), { ok: true, value: account });
  });
  test('is asked once in a session, however the credentials come', async () => {
    const aws = await loadProvider('aws');
    const target = { scope, account, region, endpoint: estate.stage.sandbox.url };
    for (const role of [{}, { credentials: { assumeRole: `arn:aws:iam::${account}:role/setpoint` } }]) {
      log().clear();
      const session = await aws.open({ ...target, ...role }, estate.stage.clock);
      for (let look = 0; look < 3; look++)
        assert.deepEqual(await session.identify(recordedCall()), { ok: true, value: account });
      assert.equal(log().counts()['GetCallerIdentity'], 1);
      await session.close();
    }
  });
  test('a refusal is not remembered', async () => {
    faults().add({ match: { action: 'GetCallerIdentity', times: 1 }, effect: { kind: 'throttle' } });
    assert.equal((await estate.session.identify(recordedCall())).ok, false);
    assert.deepEqual(await estate.session.identify(recordedCall()), { ok: true, value: account });
  });
  test('a role is assumed at the same endpoint', async () => {
    const aws = await loadProvider('aws');
    const credentials = { assumeRole: `arn:aws:iam::${account}:role/setpoint` };
    const session = await aws.open(
      { scope, account, region, endpoint: estate.stage.sandbox.url, credentials },
      estate.stage.clock,
    );
    assert.deepEqual(await session.identify(recordedCall()), { ok: true, value: account });
    assert.equal((await listOf(session, 'network')).length, 1);
    assert.ok(actionsOf(estate.stage).includes('AssumeRole'));
    await session.close();
  });
  test('keys that a secret held are used, and not those of the process', async () => {
    const aws = await loadProvider('aws');
    const target = { scope, account, region, endpoint: estate.stage.sandbox.url };
    const held = { cloud: 'aws', secretAccessKey: 'not-a-secret' } as const;
    for (const [accessKeyId, ok] of [
      ['AKIASANDBOX111122223', true],
      ['AKIDNOBODY', false],
    ] as const) {
      const credentials = { secret: () => ({ ...held, accessKeyId }) };
      const session = await aws.open({ ...target, credentials }, estate.stage.clock);
      assert.equal((await session.identify(recordedCall())).ok, ok);
      await session.close();
    }
  });
  test('an access key that nobody knows is a failure, not a throw', async () => {
    faults().add({ match: { action: 'GetCallerIdentity' }, effect: { kind: 'access-denied' } });
    const answer = await estate.session.identify(recordedCall());
    assert.equal(answer.ok === false && answer.failure.kind, 'terminal');
  });
});

describe('every request', () => {
  test('is admitted before it is sent, and reported after, with the cloud’s request id', async () => {
    const call = recordedCall();
    for (const kind of kinds) await listOf(estate.session, kind, call);
    assert.deepEqual(
      call.admitted,
      call.reported.map(({ request }) => request),
    );
    assert.equal(call.admitted.length, actionsOf(estate.stage).length);
    assert.ok(call.reported.every(({ answer }) => answer.requestId !== undefined && answer.durationMs >= 0));
  });

  test('that the reconcile does not admit is not sent', async () => {
    const call = recordedCall(undefined, () => {
      throw new Error('stop');
    });
    await assert.rejects(listOf(estate.session, 'group', call), /stop/);
    assert.deepEqual(actionsOf(estate.stage), []);
  });

  test('that was admitted as the reconcile was stopped is not sent either', async () => {
    const stop = new AbortController();
    const call = recordedCall(stop.signal, () => stop.abort(new Error('shutdown')));
    await assert.rejects(
      estate.session.actuators.group.create([groupOf('core.x', estate.network.id)], call),
      /shutdown/,
    );
    assert.deepEqual(actionsOf(estate.stage), []);
  });

  test('once the reconcile is stopped, what has its answer keeps it and the rest is told so', async () => {
    let writes = 0;
    const call = recordedCall(undefined, () => {
      if (++writes > 2) throw new Error('stop');
    });
    const batch = ['a', 'b', 'c', 'd'].map((name) => groupOf(`core.${name}`, estate.network.id));
    assert.deepEqual(codes(await estate.session.actuators.group.create(batch, call)), [
      'ok',
      'ok',
      'CutShort',
      'CutShort',
    ]);
  });
});

describe('the figures', () => {
  test('a network, a subnet, 51 groups, 250 rules and 200 instances: creation, names and both looks in 373 calls', async (t) => {
    const stage = await openAwsStage();
    t.after(() => stage.close());
    const session = await stage.open();
    const look = async (): Promise<void> => {
      const call = recordedCall();
      await session.identify(call);
      await Promise.all(kinds.map((kind) => listOf(session, kind, call)));
    };
    await look();
    const network = await createOne(session, networkOf('core'));
    const subnet = await createOne(session, subnetOf('core.app', network.id, { cidr: '10.20.0.0/20' }));
    const names = ['all', ...Array.from({ length: 50 }, (_, i) => `g${i}`)];
    const groups = await session.actuators.group.create(
      names.map((name) => groupOf(`core.${name}`, network.id)),
      recordedCall(),
    );
    const ids = groups.map((result) => (result.ok ? result.value : assert.fail('group')));
    const all = ids[0] ?? assert.fail('no group');
    const owned = ids.slice(1).map((group) => ({ stage, session, network, subnet, group }));
    const rules = owned.flatMap((one) => [1, 2, 3, 4, 5].map((port) => ruleOf(one, { ports: `${port}` })));
    const made = await session.actuators['firewall-rule'].create(rules, recordedCall());
    const machines = owned.flatMap((one, g) =>
      [0, 1, 2, 3].map((n) => instanceOf(one, [`m${g}`, n], { groups: [all.id, one.group.id].toSorted() })),
    );
    const launched = await session.actuators.instance.create(machines, recordedCall());
    assert.ok([...made, ...launched].every(({ ok }) => ok));
    await look();
    const calls = actionsOf(stage);
    assert.ok(calls.length <= 373, `${calls.length} calls`);

    stage.sandbox.control.log.clear();
    await look();
    assert.ok(actionsOf(stage).length <= 8, actionsOf(stage).join(' '));
  });
});

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { Observed } from '../../../src/core/observed.ts';
import type { Session } from '../../../src/ports/provider.ts';
import { type AwsStage, openAwsStage } from '../../support/aws-session.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { actionsOf, codes, createOne, listOf, must, networkOf, revise, subnetOf } from './estate.ts';

let stage: AwsStage;
let session: Session;
const log = () => stage.sandbox.control.log;
const faults = () => stage.sandbox.control.faults;

beforeEach(async () => {
  stage = await openAwsStage();
  session = await stage.open();
});
afterEach(() => stage.close());

const core = networkOf('core', { internet: true, labels: { tier: 'a' } });
const only = async (): Promise<Observed<'network'>> => {
  const [network, ...more] = await listOf(session, 'network');
  assert.ok(network && more.length === 0, 'exactly one network');
  return network;
};
const toInternet = (observed: Observed<'network'>, internet: boolean) =>
  revise(networkOf('core', { internet }), observed, {
    attributes: { ...core.desired.attributes, internet },
    changes: [{ field: 'internet', from: observed.attributes.internet, to: internet }],
  });

test('without internet it is one VPC, and a first attempt looks for no earlier one', async () => {
  await createOne(session, networkOf('core'));
  assert.deepEqual(actionsOf(stage), ['CreateVpc']);
  assert.equal((await only()).attributes.internet, false);
});

test('a first attempt that is sent again in its session looks before', async () => {
  const { id } = await createOne(session, networkOf('core'));
  assert.equal((await createOne(session, networkOf('core'))).id, id);
  assert.deepEqual(actionsOf(stage), ['CreateVpc', 'DescribeVpcs']);
});

test('with internet its parts stand complete, and are listed as its own', async () => {
  const made = await createOne(session, core);
  const seen = await only();
  assert.deepEqual(seen.attributes, made.attributes);
  assert.deepEqual(seen.signs.mark, core.mark);
  assert.deepEqual(seen.condition.parts, made.condition.parts);
  assert.deepEqual(
    seen.condition.parts?.map(({ part }) => part),
    ['internet-gateway', 'route-table'],
  );
});

test('the next attempt of the same creation finds the first one', async () => {
  const { id } = await createOne(session, core);
  const later = await stage.open();
  assert.equal((await createOne(later, { ...core, mark: { ...core.mark, attempt: 2 } })).id, id);
  assert.equal((await only()).attributes.internet, true);
});

test('an internal error is ambiguous: the VPC may stand', async () => {
  faults().add({
    match: { action: 'CreateVpc' },
    effect: { kind: 'error-after', code: 'InternalError', status: 500 },
  });
  const [result] = await session.actuators.network.create([core], recordedCall());
  assert.equal(result?.ok === false && result.failure.kind, 'ambiguous');
});

test('a part that fails leaves a network that says so, and the next reconcile finishes it', async () => {
  faults().add({ match: { action: 'CreateRoute', times: 1 }, effect: { kind: 'throttle' } });
  assert.equal((await createOne(session, core)).attributes.internet, 'partial');
  const partial = await only();
  assert.deepEqual(partial.condition.missing, ['default-route']);
  log().clear();
  assert.deepEqual(codes(await session.actuators.network.update([toInternet(partial, true)], recordedCall())), ['ok']);
  assert.equal((await only()).attributes.internet, true);
  assert.ok(
    !actionsOf(stage).some((action) => action.startsWith('CreateInternetGateway') || action === 'CreateRouteTable'),
  );
});

test('a lost gateway is waited for, found by its mark, and never made twice', async () => {
  faults().add({ match: { action: 'CreateInternetGateway', times: 1 }, effect: { kind: 'reset-after' } });
  stage.sandbox.control.lag.set({ ms: 120_000 });
  const made = await createOne(session, core);
  const finish = async (observed: Observed<'network'>) =>
    codes(await session.actuators.network.update([toInternet(observed, true)], recordedCall()));
  assert.deepEqual(await finish(made), ['GatewayPending']);
  stage.sandbox.control.clock.advance(301_000);
  stage.sandbox.control.lag.set({ ms: 0 });
  assert.deepEqual(await finish(await only()), ['ok']);
  assert.equal(log().counts()['CreateInternetGateway'], 1);
  assert.equal((await only()).attributes.internet, true);
});

test('while a gateway may yet show, another is refused', async () => {
  const made = await createOne(session, networkOf('core'));
  const vpc = { ...made, condition: { state: 'ready' as const, version: `${stage.clock.now() - 299_000}` } };
  assert.deepEqual(codes(await session.actuators.network.update([toInternet(vpc, true)], recordedCall())), [
    'GatewayPending',
  ]);
  assert.equal(log().counts()['CreateInternetGateway'], undefined);
});

/** The lead of the worker's clock over the store's, the age of the gateway's request by that clock, and the result. */
const skewed: readonly (readonly [aheadMs: number, agoMs: number, made: boolean])[] = [
  [400_000, 15_000, false],
  [200_000, 299_000, false],
  [0, 299_000, false],
  [-400_000, 301_000, true],
];
for (const [aheadMs, agoMs, made] of skewed)
  test(`a gateway of ${agoMs / 1000} s ago, looked for by a clock ${aheadMs / 1000} s ahead: ${made ? 'made again' : 'waited for'}`, async () => {
    const stood = await createOne(session, networkOf('core'));
    const store = stage.clock.now() - aheadMs;
    const vpc = { ...stood, condition: { state: 'ready' as const, version: `${store - agoMs}` } };
    const call = { ...recordedCall(), storeTime: () => ({ earliest: store, latest: store + 50 }) };
    const [code] = codes(await session.actuators.network.update([toInternet(vpc, true)], call));
    assert.equal(code, made ? 'ok' : 'GatewayPending');
    assert.equal(log().counts()['CreateInternetGateway'], made ? 1 : undefined);
  });

test('the tag of a VPC dates its gateway by the store’s clock, as late as it may be', async () => {
  const call = { ...recordedCall(), storeTime: () => ({ earliest: 5_000, latest: 6_000 }) };
  await session.actuators.network.create([core], call);
  assert.equal((await only()).condition.version, '6000');
});

test('a stop after the VPC was made still tells the VPC', async () => {
  const call = recordedCall(undefined, ({ action }) => {
    if (action === 'CreateInternetGateway') throw new Error('the lease is lost');
  });
  const made = must((await session.actuators.network.create([core], call))[0]);
  assert.equal(made.attributes.internet, 'partial');
});

test('a stop before anything was made is thrown', async () => {
  const call = recordedCall(undefined, () => {
    throw new Error('the lease is lost');
  });
  await assert.rejects(session.actuators.network.create([core], call), /lease/);
});

describe('changing a network', () => {
  test('internet comes and goes', async () => {
    await createOne(session, networkOf('core'));
    assert.deepEqual(codes(await session.actuators.network.update([toInternet(await only(), true)], recordedCall())), [
      'ok',
    ]);
    const open = await only();
    assert.equal(open.attributes.internet, true);
    assert.deepEqual(codes(await session.actuators.network.update([toInternet(open, false)], recordedCall())), ['ok']);
    const closed = await only();
    assert.deepEqual([closed.attributes.internet, closed.condition.parts], [false, undefined]);
  });

  test('labels are set and taken away, the mark stays', async () => {
    const observed = await createOne(session, core);
    const revision = revise(core, observed, {
      attributes: { ...core.desired.attributes, labels: { owner: 'net' } },
      changes: [
        { field: 'labels.owner', to: 'net' },
        { field: 'labels.tier', from: 'a' },
      ],
    });
    assert.deepEqual(codes(await session.actuators.network.update([revision], recordedCall())), ['ok']);
    const seen = await only();
    assert.deepEqual(seen.attributes.labels, { Name: 'core', owner: 'net' });
    assert.deepEqual(seen.signs.mark, core.mark);
  });

  test('a new mark is written on the network and its parts', async () => {
    const observed = await createOne(session, core);
    const mark = { ...core.mark, store: 'store-2' };
    await session.actuators.network.update([{ desired: core.desired, observed, changes: [], mark }], recordedCall());
    assert.deepEqual((await only()).signs.mark, mark);
    assert.equal(log().counts()['CreateTags'], 1);
  });

  test('what cannot change is refused before any call', async () => {
    const observed = await createOne(session, core);
    log().clear();
    const revision = revise(core, observed, {
      attributes: core.desired.attributes,
      changes: [{ field: 'cidr', from: 'a', to: 'b' }],
    });
    assert.deepEqual(codes(await session.actuators.network.update([revision], recordedCall())), ['Immutable']);
    assert.deepEqual(actionsOf(stage), []);
  });
});

describe('deleting a network', () => {
  test('takes its parts along', async () => {
    await createOne(session, core);
    const observed = await only();
    assert.deepEqual(codes(await session.actuators.network.delete([{ id: observed.id, observed }], recordedCall())), [
      'ok',
    ]);
    assert.deepEqual(await listOf(session, 'network'), []);
    const { gateways, routeTables } = stage.sandbox.control.ec2.region('111122223333', 'eu-west-1');
    assert.deepEqual([...gateways.seen(), ...routeTables.seen()], []);
  });

  test('what is gone is done', async () => {
    const observed = await createOne(session, networkOf('core'));
    const removal = { id: observed.id, observed };
    await session.actuators.network.delete([removal], recordedCall());
    assert.deepEqual(codes(await session.actuators.network.delete([removal], recordedCall())), ['ok']);
  });

  test('one that holds a subnet stays, and stays whole', async () => {
    const { id } = await createOne(session, core);
    await createOne(session, subnetOf('core.app', id));
    const observed = await only();
    assert.equal(observed.condition.empty, false);
    assert.deepEqual(codes(await session.actuators.network.delete([{ id, observed }], recordedCall())), [
      'DependencyViolation',
    ]);
    assert.deepEqual(await only(), observed);
  });
});

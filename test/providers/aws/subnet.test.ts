import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { Session } from '../../../src/ports/provider.ts';
import { type AwsStage, openAwsStage } from '../../support/aws-session.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { actionsOf, codes, createOne, listOf, networkOf, revise, subnetOf } from './estate.ts';

let stage: AwsStage;
let session: Session;
const log = () => stage.sandbox.control.log;

beforeEach(async () => {
  stage = await openAwsStage();
  session = await stage.open();
});
afterEach(() => stage.close());

const core = networkOf('core', { internet: true });

test('reach the internet by their network’s table, with one call more', async () => {
  const network = await createOne(session, core);
  log().clear();
  const made = await createOne(session, subnetOf('core.app', network.id, { internet: true }));
  assert.deepEqual(actionsOf(stage), ['CreateSubnet', 'AssociateRouteTable']);
  const gateway = network.condition.parts?.find(({ part }) => part === 'internet-gateway')?.id;
  const routes = [{ destination: '0.0.0.0/0', nextHop: gateway }];
  assert.deepEqual(
    (await listOf(session, 'subnet')).map(({ attributes }) => attributes),
    [{ ...made.attributes, settings: { ...made.attributes.settings, routes } }],
  );
});

test('the same creation again finds the first one', async () => {
  const network = await createOne(session, networkOf('core'));
  const creation = subnetOf('core.app', network.id);
  assert.equal((await createOne(session, creation)).id, (await createOne(session, creation)).id);
});

test('a block that another holds is a conflict', async () => {
  const network = await createOne(session, networkOf('core'));
  await createOne(session, subnetOf('core.app', network.id));
  const results = await session.actuators.subnet.create([subnetOf('core.other', network.id)], recordedCall());
  assert.deepEqual(codes(results), ['InvalidSubnet.Conflict']);
});

test('a block that another try of that address holds is a conflict', async () => {
  const network = await createOne(session, networkOf('core'));
  const first = subnetOf('core.app', network.id);
  await createOne(session, first);
  const copied = { ...first, mark: { ...first.mark, intent: 'another' } };
  assert.deepEqual(codes(await session.actuators.subnet.create([copied], recordedCall())), ['InvalidSubnet.Conflict']);
});

test('internet comes and goes', async () => {
  const network = await createOne(session, core);
  const creation = subnetOf('core.app', network.id, { internet: true });
  const observed = await createOne(session, creation);
  for (const internet of [false, true]) {
    const changes = [{ field: 'internet', from: !internet, to: internet }];
    const revision = revise(creation, observed, {
      attributes: { ...creation.desired.attributes, internet },
      changes,
    });
    assert.deepEqual(codes(await session.actuators.subnet.update([revision], recordedCall())), ['ok']);
    assert.equal((await listOf(session, 'subnet'))[0]?.attributes.internet, internet);
  }
});

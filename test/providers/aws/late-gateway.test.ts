import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { CreateInternetGatewayCommand, DescribeInternetGatewaysCommand, EC2Client } from '@aws-sdk/client-ec2';
import { markTags } from '../../../providers/aws/marks.ts';
import { tagList } from '../../../providers/aws/tags.ts';
import type { Mark, Observed } from '../../../src/core/observed.ts';
import type { Session } from '../../../src/ports/provider.ts';
import { type AwsStage, openAwsStage, region } from '../../support/aws-session.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { codes, createOne, listOf, networkOf, revise } from './estate.ts';

let stage: AwsStage;
let session: Session;
let late: EC2Client;
beforeEach(async () => {
  stage = await openAwsStage();
  session = await stage.open();
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-secret' };
  late = new EC2Client({ endpoint: stage.sandbox.url, region, credentials, maxAttempts: 1 });
});
afterEach(async () => {
  late.destroy();
  await stage.close();
});

const core = networkOf('core', { internet: true });
const only = async (): Promise<Observed<'network'>> =>
  (await listOf(session, 'network'))[0] ?? assert.fail('no network');
const gateways = async () => (await late.send(new DescribeInternetGatewaysCommand({}))).InternetGateways ?? [];

/** As a process sends it that was stopped right before. */
async function secondGateway(mark: Mark): Promise<string> {
  const Tags = tagList(markTags(mark, { part: 'internet-gateway' }));
  const TagSpecifications = [{ ResourceType: 'internet-gateway' as const, Tags }];
  const { InternetGateway } = await late.send(new CreateInternetGatewayCommand({ TagSpecifications }));
  return InternetGateway?.InternetGatewayId ?? '';
}

const toInternet = async (internet: boolean) => {
  const observed = await only();
  const revision = revise(core, observed, {
    attributes: { ...core.desired.attributes, internet },
    changes: [{ field: 'internet', from: observed.attributes.internet, to: internet }],
  });
  return codes(await session.actuators.network.update([revision], recordedCall()));
};

test('a gateway that came late beside the attached one is seen as a part, and goes', async () => {
  await createOne(session, core);
  const [first] = await gateways();
  const second = await secondGateway(core.mark);
  const { attributes, condition } = await only();
  assert.equal(attributes.internet, 'partial');
  assert.ok(condition.parts?.some(({ id }) => id === second));
  assert.deepEqual(condition.missing, ['one-gateway-only']);
  assert.deepEqual(await toInternet(true), ['ok']);
  assert.deepEqual(await gateways(), [first]);
  assert.equal((await only()).attributes.internet, true);
});

test('and with its network', async () => {
  await createOne(session, core);
  await secondGateway(core.mark);
  const observed = await only();
  assert.deepEqual(codes(await session.actuators.network.delete([{ id: observed.id, observed }], recordedCall())), [
    'ok',
  ]);
  assert.deepEqual(await gateways(), []);
});

test('and where the way to the internet goes', async () => {
  await createOne(session, core);
  await secondGateway(core.mark);
  assert.deepEqual(await toInternet(false), ['ok']);
  assert.deepEqual(await gateways(), []);
});

for (const [whose, more] of Object.entries({
  'another intent': { intent: 'intent-9' },
  'another estate': { estate: 'other' },
  'another store': { store: 'store-9' },
})) {
  test(`one of ${whose} is no part of it, and stays`, async () => {
    await createOne(session, core);
    await secondGateway({ ...core.mark, ...more });
    assert.equal((await only()).attributes.internet, true);
    assert.deepEqual(await toInternet(true), ['ok']);
    assert.equal((await gateways()).length, 2);
  });
}

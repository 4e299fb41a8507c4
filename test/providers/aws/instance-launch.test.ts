import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { account, region, scope } from '../../support/aws-session.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { actionsOf, createOne, type Estate, instanceOf, makeEstate, must } from './estate.ts';
import { revision, running, seen, settle } from './machines.ts';

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

test('equal replicas go in one launch, and each is known by its own address', async () => {
  const batch = [0, 1, 2].map((ordinal) => instanceOf(estate, ['row', ordinal], { labels: { tier: 'web' } }));
  const made = (await instances().create(batch, recordedCall())).map(must);
  assert.deepEqual(actionsOf(estate.stage), ['RunInstances', 'CreateTags', 'CreateTags', 'CreateTags']);
  const listed = await Promise.all(made.map(({ id }) => seen(estate, id)));
  assert.deepEqual(
    listed.map(({ signs }) => signs.mark?.address),
    batch.map(({ desired }) => desired.address),
  );
  for (const [index, instance] of listed.entries()) {
    const { disk: _, ...attributes } = instance.attributes;
    assert.deepEqual(attributes, made[index]?.attributes);
  }
});

test('ordinals with a hole go in two', async () => {
  const made = (
    await instances().create(
      [0, 2, 3].map((n) => instanceOf(estate, ['hole', n])),
      recordedCall(),
    )
  ).map(must);
  assert.equal(log().counts()['RunInstances'], 2);
  assert.deepEqual(
    made.map(({ signs }) => signs.mark?.address),
    ['hole-0', 'hole-2', 'hole-3'].map((name) => `${scope}/instance/${name}`),
  );
});

test('instances that differ go apart', async () => {
  const machine = { image: 'ami-0abc0abc0abc0abc0', size: 't3.large', power: 'running' as const };
  await instances().create(
    [instanceOf(estate, ['diff', 0]), instanceOf(estate, ['diff', 1], { machine })],
    recordedCall(),
  );
  assert.equal(log().counts()['RunInstances'], 2);
});

test('the same launch again finds the first one', async () => {
  const batch = [0, 1].map((n) => instanceOf(estate, ['again', n]));
  const first = (await instances().create(batch, recordedCall())).map(must);
  const second = (await instances().create(batch, recordedCall())).map(must);
  assert.deepEqual(
    second.map(({ id }) => id),
    first.map(({ id }) => id),
  );
});

test('a smaller launch under the same token is refused, never made beside the first', async () => {
  const batch = [0, 1, 2].map((n) => instanceOf(estate, ['part', n]));
  await instances().create(batch, recordedCall());
  const [result] = await instances().create(batch.slice(0, 2), recordedCall());
  assert.equal(result?.ok === false && result.failure.kind, 'ambiguous');
  assert.equal(result?.ok === false && result.failure.code, 'IdempotentParameterMismatch');
});

test('a launch that comes late is refused where it was sent again meanwhile, whole or in part', async () => {
  const launchOf = (attempt: number, replicas: number) =>
    Array.from({ length: replicas }, (_, n) => instanceOf(estate, ['late', n])).map((item) => ({
      ...item,
      mark: { ...item.mark, attempt },
    }));
  const again = (await instances().create(launchOf(2, 2), recordedCall())).map(must);
  for (const replicas of [2, 3]) {
    const late = await instances().create(launchOf(1, replicas), recordedCall());
    assert.deepEqual([...new Set(late.map((result) => result.ok || result.failure.kind))], ['ambiguous']);
  }
  const { instances: standing } = estate.stage.sandbox.control.ec2.region(account, region);
  const late = [...standing.values()].filter(({ tags }) => tags.get('setpoint:address') === `${scope}/instance/late`);
  assert.deepEqual(late.map(({ id }) => id).sort(), again.map(({ id }) => id).sort());
});

test('no answer: every replica is ambiguous, and nothing is sent again', async () => {
  faults().add({ match: { action: 'RunInstances' }, effect: { kind: 'reset-after' } });
  const results = await instances().create(
    [0, 1].map((n) => instanceOf(estate, ['lost', n])),
    recordedCall(),
  );
  assert.deepEqual(
    results.map((result) => result.ok === false && result.failure.kind),
    ['ambiguous', 'ambiguous'],
  );
  assert.equal(log().counts()['RunInstances'], 1);
});

test('a disk takes one look at the image, and is listed as asked for', async () => {
  const disk = { size: 20, type: 'gp3', encrypted: true };
  const made = await createOne(estate.session, instanceOf(estate, ['disk', 0], { disk }));
  await createOne(estate.session, instanceOf(estate, ['disk-too', 0], { disk }));
  assert.deepEqual(actionsOf(estate.stage), ['DescribeImages', 'RunInstances', 'RunInstances']);
  assert.deepEqual([made.attributes.disk, (await seen(estate, made.id)).attributes.disk], [disk, disk]);
});

test('its parts carry its mark', async () => {
  const { id } = await createOne(estate.session, instanceOf(estate, ['parts', 0]));
  const { volumes, interfaces } = estate.stage.sandbox.control.ec2.region(account, region);
  const parts = (await seen(estate, id)).condition.parts ?? [];
  const tagsOf = (part: string) => (volumes.see(part) ?? interfaces.see(part))?.tags.get('setpoint:address');
  assert.deepEqual(
    parts.map(({ id: part }) => tagsOf(part)),
    Array(2).fill(`${scope}/instance/parts`),
  );
});

test('user data goes to the machine; only its hash is told', async () => {
  const secret = 'correct horse battery staple';
  const call = { ...recordedCall(), secret: async () => ({ userData: secret }) };
  const made = must(
    (await instances().create([instanceOf(estate, ['data', 0], { boot: { userData: 'hash-1' } })], call))[0],
  );
  const stored = estate.stage.sandbox.control.ec2.region(account, region).instances.see(made.id)?.settings.userData;
  assert.equal(Buffer.from(stored ?? '', 'base64').toString(), secret);
  assert.equal((await seen(estate, made.id)).attributes.boot?.userData, 'hash-1');
  assert.ok(!JSON.stringify([made, call.reported]).includes(secret));
});

test('one that shall be stopped is stopped as soon as it runs', async () => {
  const machine = { image: 'ami-0abc0abc0abc0abc0', size: 't3.small', power: 'stopped' as const };
  const made = await createOne(estate.session, instanceOf(estate, ['off', 0], { machine }));
  assert.equal(made.attributes.machine.power, 'stopped');
  assert.equal((await seen(estate, made.id)).attributes.machine.power, 'stopped');
});

test('a public address is asked for, and seen while it runs and while it is stopped', async () => {
  const machine = await running(estate, 'public', { placement: { subnet: estate.subnet.id, publicIp: true } });
  assert.equal(machine.observed.attributes.placement.publicIp, true);
  const off = revision(machine, (a) => ({ ...a, machine: { ...a.machine, power: 'stopped' } }), [
    { field: 'machine.power', to: 'stopped' },
  ]);
  await instances().update([off], recordedCall());
  settle(estate);
  assert.equal((await seen(estate, machine.observed.id)).attributes.placement.publicIp, true);
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { recordedCall } from '../../support/fixtures.ts';
import { actionsOf, createOne, type Estate, instanceOf, makeEstate } from './estate.ts';
import { seen } from './machines.ts';

let estate: Estate;
before(async () => {
  estate = await makeEstate(true);
});
after(() => estate.stage.close());

const clock = () => estate.stage.sandbox.control.clock;
const log = () => estate.stage.sandbox.control.log;
const launched = async (name: string) => (await createOne(estate.session, instanceOf(estate, [name, 0]))).id;

async function statesOf(ids: readonly string[]): Promise<readonly string[]> {
  const results = await estate.session.actuators.instance.health?.(ids, recordedCall());
  return (results ?? []).map((result) => (result.ok ? result.value.state : result.failure.code));
}

describe('status checks', () => {
  test('have not passed while the machine boots and is checked first, and pass then', async () => {
    const id = await launched('healthy');
    assert.deepEqual(await statesOf([id]), ['checking']);
    clock().advance(6_000);
    assert.equal((await seen(estate, id)).condition.state, 'ready');
    assert.deepEqual(await statesOf([id]), ['checking']);
    clock().advance(60_000);
    assert.deepEqual(await statesOf([id]), ['passed']);
  });

  test('are read a hundred machines a call; one that is not found has not passed', async () => {
    const id = await launched('among');
    clock().advance(60_000);
    const ids = [...Array.from({ length: 100 }, () => id), id];
    log().clear();
    assert.deepEqual([...new Set(await statesOf(ids))], ['passed']);
    assert.deepEqual(actionsOf(estate.stage), ['DescribeInstanceStatus', 'DescribeInstanceStatus']);
    assert.deepEqual(await statesOf([id, 'i-0aaaaaaaaaaaaaaaa']), ['passed', 'checking']);
  });

  test('never pass where the image is broken, and a machine that dies at boot says why', async () => {
    const { images } = estate.stage.sandbox.control.ec2.region('111122223333', 'eu-west-1');
    const id = await launched('impaired');
    const image = images.get((await seen(estate, id)).attributes.machine.image ?? '');
    assert.ok(image);
    images.put({ ...image, broken: 'impaired' });
    clock().advance(600_000);
    assert.deepEqual(await statesOf([id]), ['checking']);
    images.put({ ...image, broken: { diesAfterMs: 2_000 } });
    const dead = await launched('dead');
    clock().advance(60_000);
    const { condition } = await seen(estate, dead);
    assert.equal(condition.state, 'gone');
    assert.match(condition.reason ?? '', /Client\.InternalError/);
    images.put(image);
  });
});

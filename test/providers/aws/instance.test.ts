import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
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

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { network, rule } from '../support/engine-world/documents.ts';
import { fleetWorld, where } from '../support/fleet-world.ts';

describe('the generation that stands', () => {
  it('is none of which a change failed', async () => {
    const { accept, cloud, pass, store } = fleetWorld();
    cloud.faults.add({ on: 'CreateNetwork', nth: 1, fault: { do: 'refuse', code: 'Denied' } });
    const number = await accept([network({ internet: false })]);
    assert.equal((await pass()).outcome, 'partly');
    assert.equal(await store.fleet.rollouts.standing(where), 0);
    assert.equal((await pass()).outcome, 'done');
    assert.equal(await store.fleet.rollouts.standing(where), number);
  });

  it('is none of which a part could not be seen', async () => {
    const { accept, cloud, pass, store } = fleetWorld();
    const number = await accept([network({ internet: false }), rule('https')]);
    cloud.faults.add({ on: 'ListRules', fault: { do: 'refuse', code: 'Denied' } });
    await pass();
    assert.equal(await store.fleet.rollouts.standing(where), 0);
    cloud.faults.clear();
    await pass();
    assert.equal(await store.fleet.rollouts.standing(where), number);
  });
});

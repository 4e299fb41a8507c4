import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { network, rule } from '../support/engine-world/documents.ts';
import { fleetWorld } from '../support/fleet-world.ts';

const ground = network({ internet: false });

describe('a commit that goes from plan to enforce', () => {
  it('does not carry itself out: that counts from the next one on', async () => {
    const world = fleetWorld();
    await world.accept([ground], { mode: 'plan' });
    assert.deepEqual((await world.pass()).writes, []);
    await world.accept([ground, rule('https')], { mode: 'enforce' });
    const loosened = await world.pass();
    assert.ok(!loosened.writes.includes('CreateNetwork'), loosened.writes.join(', '));
    await world.accept([ground, rule('https'), rule('ssh', { ports: [22] })], { mode: 'enforce' });
    assert.equal((await world.pass()).outcome, 'done');
  });

  it('does not remove what it no longer names', async () => {
    const world = fleetWorld();
    await world.accept([ground, rule('https')]);
    assert.equal((await world.pass()).outcome, 'done');
    await world.accept([ground, rule('https')], { mode: 'plan' });
    await world.pass();
    await world.accept([ground], { mode: 'enforce' });
    assert.deepEqual((await world.pass()).writes, []);
  });
});

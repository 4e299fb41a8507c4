import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { network, rule } from '../support/engine-world/documents.ts';
import { fleetWorld } from '../support/fleet-world.ts';

const ground = network({ internet: false });
const another = { internet: false, cidr: '10.30.0.0/16', subnets: [] };
const other = network(another, { name: 'other' });

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

  it('does not carry out what is new in it either', async () => {
    const world = fleetWorld();
    await world.accept([ground], { mode: 'plan' });
    await world.pass();
    await world.accept([ground, other], { mode: 'enforce' });
    assert.deepEqual((await world.pass()).writes, []);
    await world.accept([ground, other, rule('ssh')], { mode: 'enforce' });
    assert.ok((await world.pass()).writes.includes('CreateNetwork'));
  });

  it('does not carry out what is new in it where all was only read', async () => {
    const world = fleetWorld();
    await world.accept([ground], { mode: 'observe' });
    await world.pass();
    await world.accept([ground, other], { mode: 'enforce' });
    assert.deepEqual((await world.pass()).writes, []);
    assert.match(world.said().at(-1) ?? '', /mode/);
  });

  it('does not remove what the one before had removed while it was for a person', async () => {
    const world = fleetWorld();
    await world.accept([ground, rule('https')]);
    assert.equal((await world.pass()).outcome, 'done');
    await world.accept([ground], { mode: 'plan' });
    assert.deepEqual((await world.pass()).writes, []);
    await world.accept([ground, other], { mode: 'enforce' });
    assert.deepEqual((await world.pass()).writes, []);
  });
});

describe('a document that is new', () => {
  it('goes out at once by its own mode where nothing above it says one, before or now', async () => {
    const world = fleetWorld();
    const unset = { mode: undefined };
    await world.accept([ground], unset);
    await world.pass();
    await world.accept([ground, network({ ...another, mode: 'enforce' }, { name: 'other' })], unset);
    assert.ok((await world.pass()).writes.includes('CreateNetwork'));
  });
});

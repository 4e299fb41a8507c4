import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { machineIn, network, rule } from '../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld } from '../support/fleet-world.ts';

const ground = network({ internet: false });
const machine = machineIn({ image: 'img-1', size: 'small' });
const https = rule('https', {}, { owner: 'team-web' });
const web = machine('web', { deletionPolicy: 'delete' }, { owner: 'team-web' });

/** What team-web has stands; then somebody holds it still. */
async function held(): Promise<FleetWorld> {
  const world = fleetWorld();
  await world.accept([ground, https, web]);
  assert.equal((await world.pass()).outcome, 'done');
  await world.store.fleet.pauses.begin('acme', {
    what: 'all',
    of: { by: 'owner', name: 'team-web' },
    reason: 'an incident',
    person: 'ada',
    until: world.clock.now() + 3_600_000,
  });
  return world;
}

describe('a pause of an owner', () => {
  it('holds what a commit removes of theirs, later commits too', async () => {
    const world = await held();
    for (const ports of [[22], [23], [24]]) {
      await world.accept([ground, rule('ssh', { group: 'other', ports })]);
      const { writes } = await world.pass();
      assert.deepEqual(
        writes.filter((write) => /^(Revoke|Terminate|Delete)/.test(write)),
        ports[0] === 22 ? [] : ['RevokeRules'],
        'only ssh gives way to itself',
      );
      assert.match(world.said().at(-1) ?? '', /paused 2/);
    }
  });

  it('lets go on what is removed of others', async () => {
    const world = await held();
    await world.accept([ground, https, web, rule('ssh', { ports: [22] }, { owner: 'team-ops' })]);
    await world.pass();
    await world.accept([ground, https, web]);
    assert.equal((await world.pass()).writes.length, 1);
  });
});

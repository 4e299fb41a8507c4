import assert from 'node:assert/strict';
import { it } from 'node:test';
import { callerOf } from '../http/api/support/api-world.ts';
import { network } from '../support/engine-world/documents.ts';
import { answersWorld, machine } from './support/answers-world.ts';

const viewer = (bounds: object) =>
  callerOf('viewer', { id: JSON.stringify(bounds), grants: [{ role: 'viewer', estates: ['acme'], ...bounds }] });
const callers = { web: viewer({ owners: ['team-web'] }), here: viewer({ targets: ['here'] }) };

const future = { from: '2098-01-01T00:00', to: '2099-01-01T00:00', reason: 'a sale' };
const calendar = {
  windows: [{ name: 'days', from: '00:00', to: '24:00' }],
  freezes: [
    { ...future, name: 'teams', owners: ['team-web', 'team-db'] },
    { ...future, name: 'db', owners: ['team-db'] },
    { ...future, name: 'place', targets: ['here'] },
    { ...future, name: 'over', from: '2020-01-01T00:00', to: '2021-01-01T00:00' },
  ],
};
const documents = [
  network({ internet: false }),
  machine('web', {}, { owner: 'team-web' }),
  machine('db', {}, { owner: 'team-db' }),
];

it('windows and freezes over the API, as far as a caller sees their owners and targets', async () => {
  const world = answersWorld(callers);
  await world.accept(documents, calendar);
  await world.store.ledger.note('acme', { pause: { person: 'ada' } });
  const breakGlass = { person: 'ada', reason: 'incident 4711', changes: 2, addresses: [], passed: [] };
  const seq = await world.store.ledger.note('acme', { breakGlass });
  const asked = async (who: string) => JSON.parse((await world.api.ask(who, 'GET /v1/windows')).text);
  const { estate, items, breakGlass: broken } = await asked('viewer');
  assert.equal(estate, 'acme');
  assert.deepEqual(items[0].type, 'window');
  assert.equal(items[0].active, true);
  assert.deepEqual(items[1], {
    ...{ type: 'freeze', name: 'teams', active: false, until: '2098-01-01T00:00:00.000Z', timeZone: 'UTC' },
    ...{ owners: ['team-web', 'team-db'], reason: 'a sale' },
  });
  const at = new Date(world.clock.now()).toISOString();
  assert.deepEqual(broken, [{ seq, at, actor: 'ada', reason: 'incident 4711', changes: 2 }]);
  const named = async (who: string) => {
    const answer = await asked(who);
    assert.equal('breakGlass' in answer, who === 'viewer');
    return answer.items.map(({ name, owners }: { name: string; owners?: readonly string[] }) => [name, owners]);
  };
  const places = [
    ['days', undefined],
    ['place', undefined],
  ];
  assert.deepEqual(await named('viewer'), [
    places[0],
    ['teams', ['team-web', 'team-db']],
    ['db', ['team-db']],
    places[1],
  ]);
  assert.deepEqual(await named('web'), [places[0], ['teams', ['team-web']]]);
  assert.deepEqual(await named('here'), places);
  await world.clock.run(() => world.clock.sleep(8 * 86_400_000));
  assert.deepEqual((await asked('viewer')).breakGlass, [], 'of the last week alone');
});

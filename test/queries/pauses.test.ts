import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { network, rule } from '../support/engine-world/documents.ts';
import { where } from '../support/fleet-world.ts';
import { type AnswersWorld, answersWorld, machine } from './support/answers-world.ts';
import { operators } from './support/operators.ts';

const documents = [
  network({ internet: false }),
  rule('https'),
  machine('web', {}, { owner: 'team-web', labels: { tier: 'a' } }),
  machine('db', {}, { owner: 'team-db', labels: { tier: 'a' } }),
];

async function standing(): Promise<AnswersWorld> {
  const world = answersWorld(operators);
  await world.accept(documents);
  await world.pass();
  return world;
}

const web0 = 'memory/acme/north/instance/web-0';
const db0 = 'memory/acme/north/instance/db-0';

const pause = ({ api }: AnswersWorld, who: string, more: object = {}) =>
  api.ask(who, 'POST /v1/pauses', { body: { reason: 'a freeze', ...more } });

const end = ({ api }: AnswersWorld, who: string, more: object = {}) =>
  api.ask(who, 'POST /v1/pauses/end', { body: { reason: 'over', ...more } });

const subjects: readonly (readonly [who: string, of: object, status: number])[] = [
  ['operator', { by: 'estate' }, 201],
  ['operator', { by: 'target', name: 'here' }, 201],
  ['operator', { by: 'owner', name: 'team-db' }, 201],
  ['operator', { by: 'address', name: db0 }, 201],
  ['operator', { by: 'owner', name: 'nobody' }, 404],
  ['operator', { by: 'address', name: 'web-0' }, 404],
  ['web', { by: 'owner', name: 'team-web' }, 201],
  ['web', { by: 'address', name: web0 }, 201],
  ['web', { by: 'address', name: db0 }, 404],
  ['web', { by: 'owner', name: 'team-db' }, 404],
  ['web', { by: 'target', name: 'here' }, 404],
  ['web', { by: 'estate' }, 403],
  ['webSeesAll', { by: 'address', name: db0 }, 403],
  ['here', { by: 'target', name: 'here' }, 201],
  ['here', { by: 'address', name: db0 }, 201],
  ['here', { by: 'estate' }, 403],
  ['viewer', { by: 'estate' }, 403],
  ['approver', { by: 'estate' }, 403],
  ['elsewhere', { by: 'estate' }, 404],
];

describe('a pause over the API', () => {
  for (const [who, of, status] of subjects)
    it(`${who} asks for one of ${JSON.stringify(of)}: ${status}`, async () => {
      const world = await standing();
      const answer = await pause(world, who, { of });
      assert.equal(answer.status, status, answer.text);
      assert.equal((await world.store.fleet.pauses.inForce('acme')).length, status === 201 ? 1 : 0);
    });

  it('holds in the name of who asked, for a day, and asks for passes', async () => {
    const world = await standing();
    const { text } = await pause(world, 'web', { of: { by: 'owner', name: 'team-web' }, what: 'healing' });
    const [held] = await world.store.fleet.pauses.inForce('acme');
    assert.deepEqual(
      [held?.person, held?.what, (held?.until ?? 0) - world.clock.now()],
      ['wim', 'healing', 86_400_000],
    );
    assert.deepEqual(JSON.parse(text).scopes, [where.scope]);
    assert.match(
      (await world.store.fleet.requests.pulse(where)).reason ?? '',
      /wim paused healing for owner team-web: a freeze/,
    );
    world.meddle('by hand');
    assert.equal((await world.pass()).writes.length, 1, 'what is not of the team is healed');
  });

  it('asks for passes wherever somebody works, and names these places to those who see all', async () => {
    const world = await standing();
    await world.store.leases.acquire('acme', 'memory/globex/south', 'a worker');
    const of = { by: 'owner', name: 'team-web' };
    const scopes = async (who: string) => JSON.parse((await pause(world, who, { of })).text).scopes;
    assert.deepEqual(await scopes('web'), [where.scope]);
    assert.deepEqual(await scopes('operator'), [where.scope, 'memory/globex/south']);
  });

  it('counts the calls that are still on the way, in the scopes that it holds', async () => {
    const world = await standing();
    const acquired = await world.store.leases.acquire('acme', where.scope, 'a worker');
    assert.ok(acquired.ok);
    const { holder, epoch } = acquired.lease;
    const authority = { revision: 'abc', generation: 1, plan: 'd', approver: 'ops' };
    const subject = { kind: 'network', address: 'memory/acme/north/network/lab' } as const;
    await world.store.ledger.intend({ ...where, reconcileId: 'r', authority, lease: { holder, epoch } }, [
      { verb: 'create', subject, details: {} },
    ]);
    assert.equal(JSON.parse((await pause(world, 'operator')).text).onTheWay, 1);
    await end(world, 'operator', { all: true });
  });

  it('is not begun for the past, nor for longer than a year', async () => {
    const world = await standing();
    for (const until of ['2001-01-01T00:00:00Z', '2099-01-01T00:00:00Z', 'tomorrow'])
      assert.equal((await pause(world, 'operator', { until })).status, 400);
    assert.equal((await pause(world, 'operator', { reason: ' ' })).status, 400);
  });
});

describe('the end of a pause over the API', () => {
  it('is of exactly what was paused, by whoever may pause it', async () => {
    const world = await standing();
    await pause(world, 'operator');
    await pause(world, 'web', { of: { by: 'owner', name: 'team-web' } });
    assert.equal((await end(world, 'web')).status, 403);
    assert.equal((await end(world, 'operator', { what: 'healing' })).status, 404);
    const { status, text } = await end(world, 'operator');
    assert.deepEqual([status, JSON.parse(text).items.length], [200, 1]);
    const left = await world.store.fleet.pauses.inForce('acme');
    assert.deepEqual(
      left.map(({ of }) => of.by),
      ['owner'],
    );
  });

  it('of all is of all that is the asker’s', async () => {
    const world = await standing();
    await pause(world, 'operator');
    await pause(world, 'web', { of: { by: 'address', name: web0 } });
    const { text } = await end(world, 'web', { all: true });
    assert.equal(JSON.parse(text).items.length, 1);
    assert.deepEqual(
      (await world.store.fleet.pauses.inForce('acme')).map(({ of }) => of.by),
      ['estate'],
    );
  });

  it('is told with the list: what a pause is of lies within the bounds of whoever asks', async () => {
    const world = await standing();
    await pause(world, 'operator', { of: { by: 'address', name: db0 } });
    await pause(world, 'operator', { of: { by: 'owner', name: 'team-web' } });
    const seen = async (who: string): Promise<readonly { readonly until: string }[]> =>
      JSON.parse((await world.api.ask(who, 'GET /v1/pauses')).text).items;
    assert.equal((await seen('viewer')).length, 2);
    assert.equal((await seen('web')).length, 1);
    assert.match((await seen('web'))[0]?.until ?? '', /^\d{4}-\d\d-\d\dT/);
  });
});

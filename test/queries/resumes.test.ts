import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callerOf } from '../http/api/support/api-world.ts';
import { network, rule } from '../support/engine-world/documents.ts';
import { where } from '../support/fleet-world.ts';
import { type AnswersWorld, answersWorld, machine } from './support/answers-world.ts';
import { operators, within } from './support/operators.ts';

/** The scope has the targets `here` and `there`. */
const callers = { ...operators, both: callerOf('operator', { id: 'both', ...within({ targets: ['here', 'there'] }) }) };

const documents = [
  { kind: 'Target', metadata: { name: 'there' }, spec: { provider: 'memory', account: 'acme', region: 'north' } },
  network({ internet: false }),
  rule('https'),
  machine('web', {}, { owner: 'team-web', labels: { tier: 'a' } }),
  machine('db', {}, { owner: 'team-db', labels: { tier: 'a' } }),
];

const { scope } = where;
const web = `${scope}/instance/web`;
const db = `${scope}/instance/db`;
const gone = `${scope}/instance/gone`;

/** Nothing has stopped but what is named. */
async function standing(...stopped: readonly string[]): Promise<AnswersWorld> {
  const world = answersWorld(callers);
  await world.accept(documents);
  for (const document of stopped)
    await world.store.fleet.rollouts.stop(where, { document, generation: 1, why: 'web-0 failed' });
  return world;
}

const resume = ({ api }: AnswersWorld, who: string, what: object) =>
  api.ask(who, 'POST /v1/pauses/end', { body: { reason: 'mended', ...what } });

const wishIn = async ({ store }: AnswersWorld) => (await store.fleet.requests.pulse(where)).reason;

async function notesIn({ store }: AnswersWorld): Promise<number> {
  let notes = 0;
  for await (const { type } of store.ledger.entries({ estate: 'acme' })) if (type === 'note') notes += 1;
  return notes;
}

/** Of the rollouts of the scope, web, db and one that no specs have any more: who names which, what comes, and what goes on. */
const rollouts: readonly (readonly [who: string, named: string, status: number, goOn: readonly string[]])[] = [
  ['operator', 'all', 200, [scope, db, gone, web]],
  ['operator', 'web', 200, [web]],
  ['operator', 'instance/web', 200, [web]],
  ['operator', db, 200, [db]],
  ['operator', scope, 200, [scope]],
  ['operator', gone, 200, [gone]],
  ['operator', 'nope', 404, []],
  ['web', 'web', 200, [web]],
  ['web', 'all', 200, [web]],
  ['web', 'db', 404, []],
  ['web', gone, 404, []],
  ['web', scope, 404, []],
  ['webSeesAll', 'all', 200, [web]],
  ['webSeesAll', 'db', 403, []],
  ['webSeesAll', gone, 403, []],
  ['webSeesAll', scope, 403, []],
  ['here', 'db', 200, [db]],
  ['here', 'all', 200, [db, web]],
  ['here', scope, 403, []],
  ['both', scope, 200, [scope]],
  ['viewer', 'all', 403, []],
  ['approver', 'web', 403, []],
  ['elsewhere', 'web', 404, []],
];

describe('a rollout that stopped, over the API', () => {
  for (const [who, named, status, goOn] of rollouts)
    it(`${who} lets ${named} go on: ${status}`, async () => {
      const world = await standing(scope, web, db, gone);
      const { status: was, text } = await resume(world, who, { rolloutOf: named });
      assert.equal(was, status, text);
      const left = (await world.store.fleet.rollouts.stopped(where)).map(({ document }) => document);
      assert.deepEqual(
        [scope, db, gone, web].filter((one) => !left.includes(one)),
        goOn,
      );
      if (status === 200) {
        const told: readonly { readonly document: string }[] = JSON.parse(text).rollouts;
        assert.deepEqual(told.map(({ document }) => document).sort(), [...goOn].sort());
      }
      assert.equal(await notesIn(world), goOn.length);
      assert.equal((await wishIn(world)) !== undefined, goOn.length > 0);
    });

  it('goes on in the name of who asked, and says what had stopped it', async () => {
    const world = await standing(web);
    const { body } = await resume(world, 'web', { rolloutOf: 'web' });
    const rollout = { document: web, generation: 1, why: 'web-0 failed' };
    assert.deepEqual(body, { estate: 'acme', items: [], rollouts: [rollout] });
    assert.equal(await wishIn(world), 'wim let a rollout go on: mended');
  });

  it('is none where none has stopped that is seen, whatever is named, as on the store', async () => {
    const world = await standing(db);
    for (const rolloutOf of ['all', 'web', 'db']) {
      const { status, body } = await resume(world, 'web', { rolloutOf });
      assert.deepEqual([status, body], [200, { estate: 'acme', items: [], rollouts: [] }]);
    }
    assert.equal(await wishIn(world), undefined);
  });

  it('is named whole where an ending would be of several', async () => {
    const other = `${scope}/group/web`;
    const world = await standing(web, other);
    const { status, text } = await resume(world, 'operator', { rolloutOf: 'web' });
    assert.deepEqual([status, JSON.parse(text).addresses], [409, [other, web]]);
    assert.equal((await resume(world, 'operator', { rolloutOf: other })).status, 200);
  });
});

const quarantined: readonly (readonly [who: string, named: string, status: number])[] = [
  ['operator', scope, 200],
  ['operator', 'memory/acme/south', 404],
  ['operator', 'north', 404],
  ['both', scope, 200],
  ['here', scope, 403],
  ['webSeesAll', scope, 403],
  ['web', scope, 404],
  ['viewer', scope, 403],
  ['approver', scope, 403],
  ['elsewhere', scope, 404],
];

describe('a scope in quarantine, over the API', () => {
  for (const [who, named, status] of quarantined)
    it(`${who} lets ${named} have passes again: ${status}`, async () => {
      const world = await standing();
      const { quarantine } = world.store.fleet;
      await quarantine.put(where, 'x is not a function', 1);
      const answer = await resume(world, who, { quarantined: named });
      assert.equal(answer.status, status, answer.text);
      const isOut = status === 200;
      assert.equal((await quarantine.list('acme')).length, isOut ? 0 : 1);
      assert.equal(await notesIn(world), isOut ? 1 : 0);
      if (!isOut) return assert.equal(await wishIn(world), undefined);
      assert.deepEqual(answer.body, { estate: 'acme', items: [], released: scope });
      assert.match((await wishIn(world)) ?? '', / released it from quarantine: mended$/);
    });

  it('that no specs have any more is for who has all of the estate', async () => {
    const world = await standing();
    const left = { estate: 'acme', scope: 'memory/acme/south' };
    await world.store.fleet.quarantine.put(left, 'x is not a function', 1);
    for (const [who, status] of [
      ['both', 404],
      ['webSeesAll', 403],
      ['operator', 200],
      ['operator', 404],
    ] as const)
      assert.equal((await resume(world, who, { quarantined: left.scope })).status, status, who);
  });
});

describe('what is let go on', () => {
  const mixed: readonly object[] = [
    { rolloutOf: 'web', quarantined: scope },
    { rolloutOf: 'web', all: true },
    { rolloutOf: 'web', what: 'all' },
    { quarantined: scope, of: { by: 'estate' } },
    { quarantined: scope, all: true },
    { rolloutOf: '' },
  ];
  for (const what of mixed)
    it(`is not guessed: ${JSON.stringify(what)}`, async () => {
      const world = await standing(web);
      await world.store.fleet.quarantine.put(where, 'x is not a function', 1);
      assert.equal((await resume(world, 'operator', what)).status, 400);
      assert.equal(await notesIn(world), 0);
    });
});

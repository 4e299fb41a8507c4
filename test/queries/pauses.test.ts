import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callerOf } from '../http/api/support/api-world.ts';
import { network, rule } from '../support/engine-world/documents.ts';
import { where } from '../support/fleet-world.ts';
import { type AnswersWorld, answersWorld, machine } from './support/answers-world.ts';

/** May operate the resources of `acme` within these bounds. */
const within = (bounds: object) => ({ grants: [{ role: 'operator' as const, estates: ['acme'], ...bounds }] });

/** Of parts of an estate that differ; the scope of their world has the target `here`. */
const operators = {
  web: callerOf('operator', { id: 'web', person: 'wim', ...within({ owners: ['team-web'] }) }),
  webSeesAll: callerOf('operator', {
    id: 'seer',
    grants: [...within({ owners: ['team-web'] }).grants, { role: 'viewer', estates: ['acme'] }],
  }),
  here: callerOf('operator', { id: 'here', ...within({ targets: ['here'] }) }),
  elsewhere: callerOf('operator', { id: 'elsewhere', grants: [{ role: 'operator', estates: ['other'] }] }),
};

const documents = [
  network({ internet: false }),
  rule('https'),
  machine('web', {}, { owner: 'team-web', labels: { tier: 'a' } }),
  machine('db', {}, { owner: 'team-db', labels: { tier: 'a' } }),
];

async function standing(): Promise<AnswersWorld> {
  const world = answersWorld(operators);
  await world.accept(documents);
  await world.reconcile();
  return world;
}

const web0 = 'memory/acme/north/instance/web-0';
const db0 = 'memory/acme/north/instance/db-0';

const pause = ({ api }: AnswersWorld, who: string, more: object = {}) =>
  api.ask(who, 'POST /v1/pauses', { body: { reason: 'a freeze', ...more } });

const end = ({ api }: AnswersWorld, who: string, more: object = {}) =>
  api.ask(who, 'POST /v1/pauses/end', { body: { reason: 'over', ...more } });

const subjects: readonly (readonly [who: string, subject: object, status: number])[] = [
  ['operator', { type: 'estate' }, 201],
  ['operator', { type: 'target', name: 'here' }, 201],
  ['operator', { type: 'owner', name: 'team-db' }, 201],
  ['operator', { type: 'address', name: db0 }, 201],
  ['operator', { type: 'owner', name: 'nobody' }, 404],
  ['operator', { type: 'address', name: 'web-0' }, 404],
  ['web', { type: 'owner', name: 'team-web' }, 201],
  ['web', { type: 'address', name: web0 }, 201],
  ['web', { type: 'address', name: db0 }, 404],
  ['web', { type: 'owner', name: 'team-db' }, 404],
  ['web', { type: 'target', name: 'here' }, 404],
  ['web', { type: 'estate' }, 403],
  ['webSeesAll', { type: 'address', name: db0 }, 403],
  ['here', { type: 'target', name: 'here' }, 201],
  ['here', { type: 'address', name: db0 }, 201],
  ['here', { type: 'estate' }, 403],
  ['viewer', { type: 'estate' }, 403],
  ['approver', { type: 'estate' }, 403],
  ['elsewhere', { type: 'estate' }, 404],
];

describe('a pause over the API', () => {
  for (const [who, subject, status] of subjects)
    it(`${who} asks for one of ${JSON.stringify(subject)}: ${status}`, async () => {
      const world = await standing();
      const answer = await pause(world, who, { subject });
      assert.equal(answer.status, status, answer.text);
      assert.equal((await world.store.fleet.pauses.active('acme')).length, status === 201 ? 1 : 0);
    });

  it('holds in the name of who asked, for a day, and asks for reconciles', async () => {
    const world = await standing();
    const { text } = await pause(world, 'web', { subject: { type: 'owner', name: 'team-web' }, mode: 'healing' });
    const [held] = await world.store.fleet.pauses.active('acme');
    assert.deepEqual(
      [held?.person, held?.what, (held?.until ?? 0) - world.clock.now()],
      ['wim', 'healing', 86_400_000],
    );
    assert.deepEqual(JSON.parse(text).scopes, [where.scope]);
    assert.match(
      (await world.store.fleet.requests.pendingState(where)).reason ?? '',
      /wim paused healing for owner team-web: a freeze/,
    );
    world.meddle('by hand');
    assert.equal((await world.reconcile()).writes.length, 1, 'what is not of the team is healed');
  });

  it('asks for reconciles wherever somebody works, and names these places to those who see all', async () => {
    const world = await standing();
    await world.store.leases.acquire('acme', 'memory/globex/south', 'a worker');
    const subject = { type: 'owner', name: 'team-web' };
    const scopes = async (who: string) => JSON.parse((await pause(world, who, { subject })).text).scopes;
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
    assert.equal(JSON.parse((await pause(world, 'operator')).text).inFlight, 1);
    await end(world, 'operator', { all: true });
  });

  it('is not begun for the past, nor for longer than a year', async () => {
    const world = await standing();
    for (const until of ['2001-01-01T00:00:00Z', '2099-01-01T00:00:00Z', 'tomorrow'])
      assert.equal((await pause(world, 'operator', { until })).status, 400);
    assert.equal((await pause(world, 'operator', { reason: ' ' })).status, 400);
  });
});

describe('an incident over the API', () => {
  const listed = async ({ api }: AnswersWorld) =>
    JSON.parse((await api.ask('viewer', 'GET /v1/pauses', {})).text).items.map(
      ({ incident, holdNarrowing }: { incident?: string; holdNarrowing: boolean }) => [incident, holdNarrowing],
    );

  it('is a pause with a name, and lets healing that narrows traffic go on unless its person says otherwise', async () => {
    const world = await standing();
    await pause(world, 'operator', {});
    await pause(world, 'operator', { incident: 'outage' });
    await pause(world, 'operator', { incident: 'breach', holdNarrowing: true });
    await pause(world, 'operator', { holdNarrowing: false });
    assert.deepEqual(await listed(world), [
      [undefined, true],
      ['outage', false],
      ['breach', true],
      [undefined, false],
    ]);
    assert.equal((await pause(world, 'operator', { incident: 'an outage' })).status, 400);
  });

  it('ends by its name alone, and not with all others', async () => {
    const world = await standing();
    await pause(world, 'operator', {});
    await pause(world, 'operator', { incident: 'outage' });
    await pause(world, 'operator', { incident: 'outage', subject: { type: 'owner', name: 'team-db' } });
    assert.equal((await end(world, 'operator', { incident: 'outage', mode: 'all' })).status, 400);
    assert.equal((await end(world, 'operator', { incident: 'outage', quarantined: where.scope })).status, 400);
    assert.equal((await end(world, 'operator', { incident: 'breach' })).status, 404);
    assert.equal((await end(world, 'web', { incident: 'outage' })).status, 403);
    assert.equal(JSON.parse((await end(world, 'operator', { all: true })).text).items.length, 1);
    assert.equal((await end(world, 'operator', {})).status, 404);
    assert.equal(JSON.parse((await end(world, 'operator', { incident: 'outage' })).text).items.length, 2);
    assert.deepEqual(await listed(world), []);
  });
});

describe('the end of a pause over the API', () => {
  it('is of exactly what was paused, by whoever may pause it', async () => {
    const world = await standing();
    await pause(world, 'operator');
    await pause(world, 'web', { subject: { type: 'owner', name: 'team-web' } });
    assert.equal((await end(world, 'web')).status, 403);
    assert.equal((await end(world, 'operator', { mode: 'healing' })).status, 404);
    const { status, text } = await end(world, 'operator');
    assert.deepEqual([status, JSON.parse(text).items.length], [200, 1]);
    const left = await world.store.fleet.pauses.active('acme');
    assert.deepEqual(
      left.map(({ of }) => of.by),
      ['owner'],
    );
  });

  it('of all is of all that is the asker’s', async () => {
    const world = await standing();
    await pause(world, 'operator');
    await pause(world, 'web', { subject: { type: 'address', name: web0 } });
    const { text } = await end(world, 'web', { all: true });
    assert.equal(JSON.parse(text).items.length, 1);
    assert.deepEqual(
      (await world.store.fleet.pauses.active('acme')).map(({ of }) => of.by),
      ['estate'],
    );
  });

  it('is told with the list: what a pause is of lies within the bounds of whoever asks', async () => {
    const world = await standing();
    await pause(world, 'operator', { subject: { type: 'address', name: db0 } });
    await pause(world, 'operator', { subject: { type: 'owner', name: 'team-web' } });
    const seen = async (who: string): Promise<readonly { readonly until: string }[]> =>
      JSON.parse((await world.api.ask(who, 'GET /v1/pauses')).text).items;
    assert.equal((await seen('viewer')).length, 2);
    assert.equal((await seen('web')).length, 1);
    assert.match((await seen('web'))[0]?.until ?? '', /^\d{4}-\d\d-\d\dT/);
  });
});

/** The scope has the targets `here` and `there`. */
const callers = { ...operators, both: callerOf('operator', { id: 'both', ...within({ targets: ['here', 'there'] }) }) };

const resumeDocuments = [
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

/** Only the named rollout has stopped. */
async function resumeStanding(...stopped: readonly string[]): Promise<AnswersWorld> {
  const world = answersWorld(callers);
  await world.accept(resumeDocuments);
  for (const document of stopped)
    await world.store.fleet.rollouts.stop(where, { document, generation: 1, why: 'web-0 failed' });
  return world;
}

const resume = ({ api }: AnswersWorld, who: string, what: object) =>
  api.ask(who, 'POST /v1/pauses/end', { body: { reason: 'mended', ...what } });

const wishIn = async ({ store }: AnswersWorld) => (await store.fleet.requests.pendingState(where)).reason;

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
      const world = await resumeStanding(scope, web, db, gone);
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
    const world = await resumeStanding(web);
    const { body } = await resume(world, 'web', { rolloutOf: 'web' });
    const rollout = { document: web, generation: 1, reason: 'web-0 failed' };
    assert.deepEqual(body, { estate: 'acme', items: [], rollouts: [rollout] });
    assert.equal(await wishIn(world), 'wim let a rollout go on: mended');
  });

  it('is none where none has stopped that is seen, whatever is named, as on the store', async () => {
    const world = await resumeStanding(db);
    for (const rolloutOf of ['all', 'web', 'db']) {
      const { status, body } = await resume(world, 'web', { rolloutOf });
      assert.deepEqual([status, body], [200, { estate: 'acme', items: [], rollouts: [] }]);
    }
    assert.equal(await wishIn(world), undefined);
  });

  it('is named whole where an ending would be of several', async () => {
    const other = `${scope}/group/web`;
    const world = await resumeStanding(web, other);
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
      const world = await resumeStanding();
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
    const world = await resumeStanding();
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

describe('resumed work', () => {
  const mixed: readonly object[] = [
    { rolloutOf: 'web', quarantined: scope },
    { rolloutOf: 'web', all: true },
    { rolloutOf: 'web', mode: 'all' },
    { quarantined: scope, subject: { type: 'estate' } },
    { quarantined: scope, all: true },
    { rolloutOf: '' },
  ];
  for (const what of mixed)
    it(`is not guessed: ${JSON.stringify(what)}`, async () => {
      const world = await resumeStanding(web);
      await world.store.fleet.quarantine.put(where, 'x is not a function', 1);
      assert.equal((await resume(world, 'operator', what)).status, 400);
      assert.equal(await notesIn(world), 0);
    });
});

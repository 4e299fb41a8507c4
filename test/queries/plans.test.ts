import assert from 'node:assert/strict';
import { describe, it, mock, test } from 'node:test';
import { limits } from '../../src/source/limits.ts';
import { type Answer, callerOf } from '../http/api/support/api-world.ts';
import { network } from '../support/engine-world/documents.ts';
import { there, where } from '../support/fleet-world.ts';
import {
  type AnswersWorld,
  activeWorld,
  answersWorld,
  approve,
  bringIn,
  labelled,
  planOf,
  post,
  postPlan,
  specsOf,
  tierOf,
} from './support/answers-world.ts';

describe('a plan of posted specs', () => {
  it('says what they would do, beside what is in force, and changes nothing', async () => {
    const world = await activeWorld();
    const calls = world.cloud.history.calls.length;
    const { status, body, text, headers } = await post(world, specsOf(labelled('b')));
    assert.equal(status, 201, text);
    const plan = planOf(body);
    assert.deepEqual(
      [plan.subject, plan.summary.update, plan.generation, plan.activeGeneration, plan.stale, plan.observed.complete],
      ['proposal', 1, 2, 1, false, true],
    );
    assert.deepEqual(plan.actions[0]?.documents[0]?.file, 'all.yaml');
    assert.equal(Date.parse(plan.expiresAt) - world.clock.now(), 7 * 86_400_000);
    assert.equal(headers['location'], `/v1/plans/${plan.id}`);
    assert.equal(world.cloud.history.calls.length, calls);
    assert.equal((await world.store.generations.current('acme'))?.number, 1);
  });

  it('is read again, and is stale once other specs are in force', async () => {
    const world = await activeWorld();
    const id = await postPlan(world, 'ada');
    assert.equal(planOf((await world.api.ask('bob', `GET /v1/plans/${id}`)).body).stale, false);
    await bringIn(world, labelled('c'), undefined);
    assert.equal(planOf((await world.api.ask('bob', `GET /v1/plans/${id}`)).body).stale, true);
  });

  it('of specs that are not sound is refused with the file, line and column of each error', async () => {
    const { status, text } = await post(await activeWorld(), [
      { path: 'web.yaml', text: 'apiVersion: setpoint.dev/v1\nkind: Netwrk\n' },
    ]);
    assert.equal(status, 422);
    const { problems } = JSON.parse(text);
    assert.ok(
      problems.some(({ file, line }: { file: string; line: number }) => file === 'web.yaml' && line === 2),
      JSON.stringify(problems),
    );
  });

  it('is asked for with specs, or of what is in force, and not both', async () => {
    const world = await activeWorld();
    assert.equal((await world.api.ask('ada', 'POST /v1/plans', { body: {} })).status, 400);
    assert.equal((await post(world, specsOf(labelled('b')), { active: true })).status, 400);
    const { status, body } = await world.api.ask('ada', 'POST /v1/plans', { body: { active: true } });
    assert.deepEqual([status, planOf(body).subject, planOf(body).generation], [201, 'active', 1]);
  });
});

describe('the meaning of a plan', () => {
  const policy = {
    kind: 'Policy',
    metadata: { name: 'sizes' },
    spec: {
      kinds: ['instance', 'network'],
      rules: [{ name: 'all', deny: 'true', message: 'Choose another.' }],
    },
  };
  const both = {
    ...network({ internet: false, targets: ['here', 'there'] }),
    metadata: { name: 'core', owner: 'team-net' },
  };
  const asked = async (who: string) => {
    const grants = [{ role: 'planner', estates: ['acme'], owners: ['team-net'], targets: ['here'] }] as const;
    const world = answersWorld({ whole: callerOf('admin'), part: callerOf('planner', { grants }) });
    await bringIn(world, [there, both, policy], undefined);
    const { status, body, text } = await world.api.ask(who, 'POST /v1/plans', { body: { active: true } });
    assert.equal(status, 201, text);
    // why: the schema of the route has checked it
    return body as { effect?: object; policies?: readonly { address: string; targets: readonly string[] }[] };
  };

  it('has the effect and all violations for callers who see all of the estate', async () => {
    const { effect, policies = [] } = await asked('whole');
    assert.ok(effect);
    assert.deepEqual(
      policies.map(({ address }) => address),
      ['memory/acme/north/network/core', 'memory/acme/south/network/core'],
    );
  });

  it('has the violations of a part alone for callers who see that part', async () => {
    const { effect, policies = [] } = await asked('part');
    assert.equal(effect, undefined);
    assert.deepEqual(
      policies.map(({ address, targets }) => [address, targets]),
      [['memory/acme/north/network/core', ['here']]],
    );
  });
});

describe('a path of posted specs', () => {
  it('lies no deeper than in any tree of specs: what does is refused before a folder of it is made', async () => {
    const world = await activeWorld();
    const [spec] = specsOf(labelled('b'));
    const at = (path: string) => [{ ...spec, path }];
    const deepest = `${'a/'.repeat(limits.folderDepth)}all.yaml`;
    assert.equal((await post(world, at(deepest))).status, 201);
    const deep = (name: string): string => `${'a/'.repeat(490)}${name}`;
    const script = { path: deep('up.sh'), base64: '' };
    const refused = [
      await post(world, at(`a/${deepest}`)),
      await post(world, at(deep('all.yaml'))),
      await post(world, at('all.yaml'), { userData: [script] }),
      ...(await Promise.all(['/all.yaml', 'a//all.yaml', 'a/'].map((path) => post(world, at(path))))),
    ];
    assert.deepEqual(
      refused.map(({ status }) => status),
      refused.map(() => 400),
    );
    assert.match(
      refused[0]?.text ?? '',
      /"at":"specs\[0\]\.path","expected":"names parted by \/, in at most 16 folders"/,
    );
  });
});

const paths = ['/v1/drift', '/v1/approvals'];

test('all that plans stands in one line, and what waits there for the same is planned once', async () => {
  const world = await activeWorld();
  const looked = mock.method(world.store.inventory, 'latest');
  const asked = Array.from({ length: 12 }, (_, i) => world.api.ask('bob', `GET ${paths[i % 2]}`));
  const answers = await Promise.all(asked);
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [...Array.from({ length: 9 }, () => 200), 429, 429, 429]);
  assert.equal(answers.find(({ status }) => status === 429)?.headers['retry-after'], '2');
  assert.equal(looked.mock.callCount(), 1);
  assert.equal((await world.api.ask('bob', 'GET /v1/drift')).status, 200);
  assert.equal(looked.mock.callCount(), 2, 'nothing is kept for those who come later');
});

test('a caller who waits for a changed estate learns of the change', async () => {
  const world = await activeWorld();
  const { fleet, inventory } = world.store;
  const { latest } = inventory;
  const until = world.clock.now() + 3_600_000;
  const draft = { what: 'healing', of: { by: 'estate' }, person: 'root', reason: 'a release', until } as const;
  const looked = mock.method(inventory, 'latest', async (estate: string) => {
    if (looked.mock.callCount() === 0) await fleet.pauses.begin('acme', draft);
    return latest(estate);
  });
  const asked = [1, 2].map(() => world.api.ask('bob', 'GET /v1/drift'));
  for (const { status } of await Promise.all(asked)) assert.equal(status, 200);
  assert.equal(looked.mock.callCount(), 2);
});

const listOf = ({ text }: Answer): { readonly items: readonly { readonly id: string }[]; readonly next?: string } =>
  JSON.parse(text);

const apply = (world: AnswersWorld, id: string, who = 'operator') =>
  world.api.ask(who, `POST /v1/plans/${id}/apply`, { body: { reason: 'launch' } });

describe('a plan that is brought into force', () => {
  it('is the next generation, with its poster among the authors; others approve it, and workers do it', async () => {
    const world = await activeWorld();
    const id = await postPlan(world, 'ada');
    const { status, text } = await apply(world, id);
    assert.equal(status, 202, text);
    assert.deepEqual(
      { ...JSON.parse(text), revision: '' },
      { estate: 'acme', generation: 2, revision: '', scopes: [where.scope] },
    );
    const [authors] = await world.store.authors.since('acme', 1, 10);
    assert.ok(
      authors?.authors?.names.includes('ada@acme.example') && authors.authors.names.includes('carl@acme.example'),
    );
    assert.match((await world.store.fleet.requests.pendingState(where)).reason ?? '', /generation 2/);
    await world.reconcile();
    assert.equal(tierOf(world), 'a', 'the mode is plan: a person lets it pass');
    assert.equal((await approve(world, 'bob')).status, 201);
    await world.reconcile();
    assert.equal(tierOf(world), 'b');
  });

  it('is refused, action by action, where the clouds have moved since', async () => {
    const world = await activeWorld();
    const id = await postPlan(world, 'ada');
    world.meddle('by hand');
    await world.reconcile();
    const { status, text } = await apply(world, id);
    assert.equal(status, 409);
    assert.deepEqual(
      JSON.parse(text).stale.map((one: { address: string; verb: string }) => [one.address, one.verb]),
      [['memory/acme/north/instance/web-0', 'update']],
    );
    assert.equal((await world.store.generations.current('acme'))?.number, 1);
  });

  it('is refused where it would do more than was shown', async () => {
    const world = await activeWorld();
    const { body } = await post(world, specsOf([...labelled('b'), network({}, { name: 'other' })]));
    const { id } = planOf(body);
    const kept = (await world.store.proposals.read(id)) ?? assert.fail();
    const [plan] = kept.planned.plans;
    assert.ok(plan && plan.actions.length > 1);
    // why: as if it had been made while the other network still stood
    const planned = { ...kept.planned, plans: [{ ...plan, actions: plan.actions.slice(0, 1) }] };
    await world.store.proposals.keep({ ...kept, planned, head: { ...kept.head, id: 'less' } }, 10);
    const { status, text } = await apply(world, 'less');
    assert.equal(status, 409);
    assert.match(text, /it was not in the plan/);
  });

  it('is refused where what is in force came out of a repository', async () => {
    const world = await activeWorld();
    const { revision, guards } = (await world.store.generations.current('acme')) ?? assert.fail();
    const tree = (await world.store.fleet.specSnapshots.read('acme', revision)) ?? assert.fail();
    const commit = `git:${'a'.repeat(40)}`;
    await world.store.fleet.specSnapshots.keep('acme', commit, tree);
    await world.store.generations.accept('acme', commit, guards);
    const { status, text } = await apply(world, await postPlan(world, 'ada'));
    assert.equal(status, 409);
    assert.match(text, /Merge the proposal/);
  });
});

describe('plans of others', () => {
  it('are not brought into force by whoever operates a part, and of another’s estate there are none', async () => {
    const callers = {
      part: callerOf('operator', {
        id: 'part',
        grants: [
          { role: 'operator', estates: ['acme'], targets: ['here'] },
          { role: 'viewer', estates: ['acme'] },
        ],
      }),
      other: callerOf('admin', { id: 'other', grants: [{ role: 'admin', estates: ['other'] }] }),
    };
    const world = await activeWorld(callers);
    const id = await postPlan(world, 'ada');
    assert.equal((await apply(world, id, 'part')).status, 403);
    const foreign = await apply(world, id, 'other');
    const missing = await apply(world, 'no-such-plan', 'other');
    assert.deepEqual([foreign.status, foreign.text], [404, missing.text]);
  });

  it('are listed newest first, in pages: all to whoever sees the estate, else one’s own', async () => {
    const part = callerOf('planner', {
      id: 'part',
      grants: [{ role: 'planner', estates: ['acme'], owners: ['team-web'] }],
    });
    const world = await activeWorld({ part });
    const ids = [await postPlan(world, 'ada', 'b'), await postPlan(world, 'bob', 'c')];
    const mine = planOf((await world.api.ask('part', 'POST /v1/plans', { body: { active: true } })).body).id;
    const list = async (who: string, query = '') => listOf(await world.api.ask(who, `GET /v1/plans${query}`));
    assert.deepEqual(
      (await list('viewer')).items.map(({ id }) => id),
      [mine, ...ids.toReversed()],
    );
    const first = await list('viewer', '?limit=2');
    assert.equal(first.items.length, 2);
    assert.deepEqual(
      (await list('viewer', `?limit=2&after=${first.next}`)).items.map(({ id }) => id),
      [ids[0]],
    );
    assert.deepEqual(
      (await list('part')).items.map(({ id }) => id),
      [mine],
    );
    assert.equal((await world.api.ask('part', `GET /v1/plans/${ids[0]}`)).status, 404);
  });
});

/** S13: fields beyond the rights of an untrusted author. The text of a target and an estate, in another spelling. */
const reaches: readonly (readonly [what: string, change: (text: string) => string])[] = [
  ['another mode', (text) => text.replace('"mode":"plan"', '"mode":"enforce"')],
  ['no mode', (text) => text.replace('"mode":"plan"', '')],
  ['other limits', (text) => text.replace('"mode":"plan"', '"mode":"plan","limits":{"deletes":500}')],
  ['signers of its own', (text) => text.replace('"mode":"plan"', '"mode":"plan","signatures":{"required":false}')],
  [
    'sources of its own',
    (text) =>
      text.replace(
        '"mode":"plan"',
        '"mode":"plan","sources":[{"name":"web","repo":"https://git.example/w.git","owners":["web"]}]',
      ),
  ],
  [
    'hooks of its own',
    (text) =>
      text.replace(
        '"mode":"plan"',
        '"mode":"plan","hooks":[{"name":"h","from":"github","secret":{"env":"SETPOINT_SECRET_H"}}]',
      ),
  ],
  ['another estate', (text) => text.replace('"name":"acme"}', '"name":"other"}')],
  ['no estate', (text) => text.replace(/^.*"kind":"Estate".*\n---\n/, '')],
  ['another account', (text) => text.replace('"account":"acme"', '"account":"bank"')],
  ['another region', (text) => text.replace('"region":"north"', '"region":"south"')],
  ['an endpoint', (text) => text.replace('"account":"acme"', '"account":"acme","endpoint":"http://127.0.0.1:1"')],
  [
    'credentials',
    (text) => text.replace('"account":"acme"', '"account":"acme","credentials":{"env":"SETPOINT_SECRET_X"}'),
  ],
  [
    'credentials of a file',
    (text) => text.replace('"account":"acme"', '"account":"acme","credentials":{"file":"/etc/passwd"}'),
  ],
  ['another mode of a target', (text) => text.replace('"account":"acme"', '"account":"acme","mode":"enforce"')],
  [
    'a target more',
    (text) =>
      `${text}\n---\n${JSON.stringify({ apiVersion: 'setpoint.dev/v1', kind: 'Target', metadata: { name: 'mine' }, spec: { provider: 'memory', account: 'mine', region: 'north' } })}`,
  ],
  ['no target', (text) => text.replace(/^.*"kind":"Target".*\n---\n/m, '')],
  [
    'a secret in a machine',
    (text) =>
      text.replace('"size":"small"', '"size":"small","access":{"user":"ops","password":{"env":"SETPOINT_SECRET_DB"}}'),
  ],
  [
    'a secret of a target’s own',
    (text) =>
      text.replace(
        '"size":"small"',
        '"size":"small","on":{"here":{"access":{"user":"ops","password":{"env":"SETPOINT_SECRET_DB"}}}}',
      ),
  ],
  ['anchors', (text) => `${text}\n---\na: &a [x]\nb: *a`],
  [
    'a policy',
    (text) =>
      `${text}\n---\n${JSON.stringify({ apiVersion: 'setpoint.dev/v1', kind: 'Policy', metadata: { name: 'p' }, spec: {} })}`,
  ],
];

describe('a plan of posted specs that reach for more than those in force', () => {
  for (const [what, change] of reaches)
    it(`is refused: ${what}`, async () => {
      const world = await activeWorld();
      const [file] = specsOf(labelled('b'));
      const text = change(file?.text ?? '');
      assert.notEqual(text, file?.text);
      const { status, body } = await post(world, [{ path: 'all.yaml', text }]);
      assert.equal(status, 422, JSON.stringify(body));
      assert.deepEqual(await world.store.proposals.list({ estate: 'acme', limit: 10 }), []);
    });

  for (const path of [
    '../a.yaml',
    '/a.yaml',
    'a/../../b.yaml',
    'a//b.yaml',
    './a.yaml',
    '.git/a.yaml',
    'a\\b.yaml',
    '-a.yaml',
    'a\u202eb.yaml',
  ])
    it(`is refused, or passed over: a file at ${JSON.stringify(path)}`, async () => {
      const world = await activeWorld();
      const [file] = specsOf(labelled('b'));
      const { status, text } = await post(world, [file ?? {}, { path, text: 'kind: [' }]);
      // An empty name is no path at all.
      const expected = path.split('/').includes('') ? 400 : 422;
      assert.ok(status === expected || (status === 201 && path.startsWith('.git')), text);
    });

  it('is refused where a path stands twice, or more is sent than may be', async () => {
    const world = await activeWorld();
    const [file = {}] = specsOf(labelled('b'));
    assert.equal((await post(world, [file, file])).status, 400);
    const many = Array.from({ length: 2001 }, (_, i) => ({ path: `${i}.yaml`, text: '' }));
    assert.equal((await post(world, many)).status, 400);
    assert.equal((await post(world, [{ path: 'a.yaml', text: ' '.repeat(9_000_000) }])).status, 413);
  });

  it('is refused to callers who may plan only a part of the estate', async () => {
    const part = callerOf('planner', { grants: [{ role: 'planner', estates: ['acme'], owners: ['team-web'] }] });
    const world = answersWorld({ part });
    await bringIn(world, labelled('a'), undefined);
    const { status, text } = await post(world, specsOf(labelled('b')), {}, 'part');
    assert.deepEqual([status, text.includes('"permission":"plan"')], [403, true]);
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptSpecs, openEstate } from '../../src/estate/load.ts';
import { parseStored } from '../../src/source/stored-tree.ts';
import { callerOf } from '../http/api/support/api-world.ts';
import { today } from '../support/fleet-world.ts';
import { type AnswersWorld, answersWorld } from './support/answers-world.ts';

const callers = {
  web: callerOf('operator', { grants: [{ role: 'operator', estates: ['acme'], owners: ['team-web'] }] }),
};

const estate = `apiVersion: setpoint.dev/v1
kind: Estate
metadata: { name: acme }
spec: { mode: enforce }
---
apiVersion: setpoint.dev/v1
kind: Target
metadata: { name: here }
spec: { provider: memory, account: acme, region: north }
---
apiVersion: setpoint.dev/v1
kind: Network
metadata: { name: core }
spec: { targets: [here], cidr: 10.20.0.0/16, internet: false, subnets: [{ name: app, cidr: 10.20.1.0/24 }] }
---
apiVersion: setpoint.dev/v1
kind: FirewallRule
metadata: { name: https }
spec: { network: core, protocol: tcp, ports: [443], group: web, peers: { cidrs: [0.0.0.0/0] } }
`;

const machines = `# The machines of the shop.
apiVersion: setpoint.dev/v1
kind: Instance
metadata:
  name: web   # two of them
  owner: team-web
  labels: { tier: "a" }
spec:
  targets: [here]
  network: core
  subnet: app
  groups: [web]
  image: img-1
  size: small
  replicas: 2
  beforeDelete: stop
---
apiVersion: setpoint.dev/v1
kind: Instance
metadata: { name: db, owner: team-db, labels: { tier: a, env: prod, password: old } }
spec:
  targets: [here]
  network: core
  subnet: app
  groups: [web]
  image: img-1
  size: small
  ignore:
    - { field: power, owner: team-db, reason: saves money, until: 2027-01-31 }
    - { field: labels.env, owner: team-db, reason: a test, until: 2025-12-31 }   # until the move
`;

/** Active and carried out; then the loop may heal nothing. `between`: before that. */
async function activeWorld(
  between: (world: AnswersWorld) => Promise<void> = async () => {},
  specs = [
    { path: 'estate.yaml', text: estate },
    { path: 'shop/machines.yaml', text: machines },
  ],
): Promise<AnswersWorld> {
  const world = answersWorld(callers);
  const tree = parseStored({ specs, userData: [] }, 'git:1a2b3c4', today);
  assert.deepEqual(
    tree.problems.map(({ code }) => code),
    ['ignore-ended'],
  );
  await acceptSpecs(await openEstate(tree, world.context.outside.cloud, today), world.store);
  await world.reconcile();
  await between(world);
  await world.store.fleet.pauses.begin('acme', {
    ...{ what: 'all', of: { by: 'estate' }, reason: 'a freeze', person: 'ada' },
    until: world.clock.now() + 86_400_000,
  });
  return world;
}

/** Somebody gives machines other labels, and a worker sees it. */
async function relabel(world: AnswersWorld, names: readonly string[], tags: Readonly<Record<string, string>>) {
  const ids = world.cloud.inspect.live().flatMap(({ type, id, mark }) => {
    const its = names.some((name) => mark?.address?.endsWith(`/instance/${name}`));
    return type === 'instance' && its ? [id] : [];
  });
  assert.equal(ids.length, names.length);
  world.cloud.outside.do('TagObjects', { ids, tags });
  await world.reconcile();
}

interface Edit {
  readonly revision: string;
  readonly accepted: readonly object[];
  readonly others: readonly string[];
  readonly files: readonly { readonly path: string; readonly diff: string }[];
  readonly command?: string;
  readonly next: string;
}

interface Refusal {
  readonly detail: string;
  readonly where?: string;
  readonly why?: string;
  readonly next?: string;
}

const ask = (world: AnswersWorld, body: object, who = 'admin') => world.api.ask(who, 'POST /v1/edits', { body });

async function edited(world: AnswersWorld, body: object): Promise<Edit> {
  const { status, text } = await ask(world, body);
  assert.equal(status, 200, text);
  return JSON.parse(text);
}

async function refused(world: AnswersWorld, body: object, code = 409): Promise<Refusal> {
  const { status, text } = await ask(world, body);
  assert.equal(status, code, text);
  return JSON.parse(text);
}

/** The lines that a diff adds and removes. */
const changedLines = ({ files }: Edit): readonly string[] =>
  files.flatMap(({ diff }) => diff.split('\n').filter((line) => /^[+-](?![+-])/.test(line)));

const web = (index: number): string => `memory/acme/north/instance/web-${index}`;
const db = 'memory/acme/north/instance/db-0';
const entry = { owner: 'team-data', reason: 'their tool sets it', until: '2026-06-30' };

test('accepted drift is one line of the document, with the command that proposes it; nothing is changed', async () => {
  const world = await activeWorld();
  await relabel(world, ['web-0', 'web-1'], { tier: 'b' });
  const calls = world.cloud.history.calls.length;
  const head = await world.store.audit.head('acme');
  const { revision, accepted, others, files, command } = await edited(world, { address: 'web-0' });
  const change = { address: web(0), field: 'labels.tier', from: 'a', to: 'b', file: 'shop/machines.yaml', line: 7 };
  assert.deepEqual({ revision, accepted, others }, { revision: 'git:1a2b3c4', accepted: [change], others: [web(1)] });
  assert.deepEqual(
    files.map(({ path }) => path),
    ['shop/machines.yaml'],
  );
  assert.match(files[0]?.diff ?? '', /^- {2}labels: \{ tier: "a" \}\n\+ {2}labels: \{ tier: "b" \}$/m);
  assert.equal(command, `setpoint accept ${web(0)} --propose`);
  assert.equal(world.cloud.history.calls.length, calls);
  assert.deepEqual(await world.store.audit.head('acme'), head);
  assert.equal((await world.store.generations.current('acme'))?.number, 1);
});

test('only the named fields are accepted, and secrets are masked', async () => {
  const world = await activeWorld();
  await relabel(world, ['db-0'], { tier: 'b', password: 'hunter2' });
  const one = await edited(world, { address: db, accept: { fields: ['labels.tier'] } });
  assert.equal(one.accepted.length, 1);
  assert.equal(one.command, `setpoint accept ${db} --field labels.tier --propose`);
  const all = await edited(world, { address: 'db-0' });
  assert.equal(all.accepted.length, 2);
  assert.doesNotMatch(all.files[0]?.diff ?? '', /hunter2/);
});

test('without drift there is nothing to edit', async () => {
  const world = await activeWorld();
  const none = await edited(world, { address: 'db-0' });
  assert.deepEqual([none.accepted, none.files, none.command], [[], [], undefined]);
  assert.equal(none.next, 'Nothing to do: there is no such drift.');
  assert.deepEqual((await edited(world, { address: 'db-0', ignore: { field: 'size', ...entry } })).files, []);
});

test('files of a team lie in its repository, and no command edits them', async () => {
  const source = '{ name: web, repo: "https://git.acme.example/web.git", owners: [team-web, team-db] }';
  const specs = [
    { path: 'estate.yaml', text: estate.replace('mode: enforce', `mode: enforce, sources: [${source}]`) },
    { path: '@web/machines.yaml', text: machines },
  ];
  const world = await activeWorld(undefined, specs);
  await relabel(world, ['db-0'], { tier: 'b' });
  const { files, command, next } = await edited(world, { address: 'db-0' });
  assert.deepEqual([files.map(({ path }) => path), command], [['@web/machines.yaml'], undefined]);
  assert.match(next, /Files below `@NAME\/` lie in the repository of the team NAME\.$/);
});

test('an edit that says more than the drift is refused, with place, reason and next step', async () => {
  const world = await activeWorld();
  await relabel(world, ['web-0'], { tier: 'b' });
  const { where, why, next, detail } = await refused(world, { address: 'web-0' });
  assert.equal(where, 'shop/machines.yaml:7');
  assert.equal(why, `labels.tier of ${web(1)}: the edited line states it too, and the cloud has "a" there`);
  assert.match(next ?? '', /^If these drifted alike, name them too/);
  assert.ok(detail.includes(why ?? '-') && detail.startsWith('An edit of the documents would change more'), detail);
});

test('a field that has not drifted is refused, and the answer does not repeat it', async () => {
  const world = await activeWorld();
  await relabel(world, ['db-0'], { tier: 'b' });
  const accept = await refused(world, { address: 'db-0', accept: { fields: ['hunter2'] } });
  const ignore = await refused(world, { address: 'db-0', ignore: { field: 'hunter2', ...entry } });
  assert.deepEqual(accept, ignore);
  assert.deepEqual(await refused(world, { address: 'db-0', ignore: { field: 'labels', ...entry } }), ignore);
  assert.equal(accept.why, 'Drifted: labels.tier.');
  assert.ok(!JSON.stringify(accept).includes('hunter2'));
});

test('a field that a patch sets is refused', async () => {
  const world = await activeWorld(async (here) => {
    const body = { address: 'instance/db', fields: { 'labels.tier': 'patched' }, reason: 'incident' };
    const until = new Date(here.clock.now() + 3_600_000).toISOString();
    const { status, text } = await here.api.ask('admin', 'POST /v1/patches', { body: { ...body, until } });
    assert.equal(status, 201, text);
    await here.reconcile();
  });
  await relabel(world, ['db-0'], { tier: 'b' });
  const { detail, next } = await refused(world, { address: 'db-0' });
  assert.match(detail, /^Patch #1 sets a field of this drift, and no spec file does\./);
  assert.equal(next, 'End it first: setpoint patch end 1 --reason "…"');
});

test('a new entry under ignore, and the plan no longer has the change', async () => {
  const world = await activeWorld();
  await relabel(world, ['web-0', 'web-1'], { tier: 'b' });
  const made = await edited(world, { address: 'web-0', ignore: { field: 'labels.tier', ...entry } });
  assert.deepEqual(changedLines(made), [
    '+  ignore:',
    '+    - { field: labels.tier, owner: team-data, reason: their tool sets it, until: 2026-06-30 }',
  ]);
  assert.deepEqual([made.others, made.command], [[web(1)], undefined]);
  assert.match(made.next, /^Make the edits of the diffs in a checkout of the specs/);
  const [change] = made.accepted;
  assert.deepEqual(
    { ...change, line: 0 },
    {
      ...{ address: web(0), field: 'labels.tier', from: 'a', to: 'b' },
      ...{ file: 'shop/machines.yaml', line: 0 },
    },
  );
});

test('a list of entries gets one more; an ended one of the same field gets its new terms in place', async () => {
  const world = await activeWorld();
  await relabel(world, ['db-0'], { tier: 'b', env: 'test' });
  const added = await edited(world, { address: 'db-0', ignore: { field: 'labels.tier', ...entry } });
  assert.deepEqual(changedLines(added), [
    '+    - { field: labels.tier, owner: team-data, reason: their tool sets it, until: 2026-06-30 }',
  ]);
  const again = await edited(world, { address: 'db-0', ignore: { field: 'labels.env', ...entry } });
  assert.deepEqual(changedLines(again), [
    '-    - { field: labels.env, owner: team-db, reason: a test, until: 2025-12-31 }   # until the move',
    '+    - { field: labels.env, owner: team-data, reason: their tool sets it, until: 2026-06-30 }   # until the move',
  ]);
});

test('a field that the document may not ignore is refused, with the place', async () => {
  const world = await activeWorld();
  // why: until then a stopped machine is a launch that failed
  for (let looks = 0; looks < 3; looks += 1) {
    await world.clock.advance(600_000);
    await world.reconcile();
  }
  const ids = world.cloud.inspect.live().flatMap(({ id, mark }) => (mark?.address?.includes('/web-') ? [id] : []));
  world.cloud.outside.do('StopInstances', { ids });
  await world.reconcile();
  const { detail, where, why, next } = await refused(world, { address: 'web-0', ignore: { field: 'power', ...entry } });
  assert.match(detail, /^This field cannot be ignored there\. Nothing was changed\. shop\/machines\.yaml:16 /);
  assert.equal(where, 'shop/machines.yaml:16');
  assert.match(why ?? '', /^`beforeDelete: stop` stops the machine/);
  const asInPlans = await refused(world, { address: 'web-0', ignore: { field: 'machine.power', ...entry } });
  assert.equal(asInPlans.why, why);
  assert.equal(next, 'Accept the drift, or apply, so that Setpoint reverts it.');
});

test('a day in the past is refused', async () => {
  const world = await activeWorld();
  await relabel(world, ['db-0'], { tier: 'b' });
  const past = { field: 'labels.tier', ...entry, until: '2025-12-31' };
  const { detail, next } = await refused(world, { address: 'db-0', ignore: past });
  assert.match(detail, /^The last day of the entry has passed\./);
  assert.equal(next, 'Send a day from 2026-01-01 on as `until`.');
});

test('who plans a part of the estate gets no edit, and what is not there is not found', async () => {
  const world = await activeWorld();
  assert.equal((await ask(world, { address: 'web-0' }, 'web')).status, 403);
  assert.equal((await ask(world, { address: 'web-0' }, 'viewer')).status, 403);
  await refused(world, { address: 'web-9' }, 404);
  const both = { address: 'web-0', accept: {}, ignore: { field: 'size', ...entry } };
  await refused(world, both, 400);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dialect } from '../../providers/memory/dialect.ts';
import type { Action } from '../../src/core/action.ts';
import { compile } from '../../src/core/compile/compile.ts';
import { ofKind } from '../../src/core/documents/spec-set.ts';
import { withoutStore } from '../../src/core/knowledge.ts';
import type { Observation } from '../../src/core/observed.ts';
import { plan } from '../../src/core/plan/plan.ts';
import type { PlanInput } from '../../src/core/plan/plan-input.ts';
import { changeJudge } from '../../src/estate/change-rules.ts';
import { inTurns } from '../../src/estate/in-turns.ts';
import type { OpenedEstate } from '../../src/estate/load.ts';
import { parseSpecs } from '../../src/source/parse-specs.ts';
import { document } from '../core/documents/problems-of.ts';

const text = [
  document('Estate', '{ name: acme }', '{ mode: enforce }'),
  document('Target', '{ name: north }', '{ provider: memory, account: acme, region: north }'),
  document(
    'Network',
    '{ name: core }',
    '{ targets: [north], cidr: 10.0.0.0/16, subnets: [{ name: app, cidr: 10.0.1.0/24 }] }',
  ),
  document('Instance', '{ name: web }', '{ targets: [north], network: core, subnet: app, image: new, size: small }'),
  document(
    'Policy',
    '{ name: images }',
    '{ kinds: [instance], mode: enforce, rules: [{ name: old, deny: image.age > 180, message: Choose a newer one }] }',
  ),
].join('---\n');
const today = '2027-01-31';
const { documents } = parseSpecs([{ path: 'x.yaml', text }], today);
const [specs] = ofKind(documents, 'Estate');
assert.ok(specs);
const hashes = { userData: () => '', access: () => '' };
const compiled = compile({ estate: specs.value, documents, dialects: { memory: dialect }, hashes, today });
const [scope] = compiled.scopes;
assert.ok(scope);
const estate = { tree: { documents }, compiled, today } as unknown as OpenedEstate; // why: the judge reads nothing else of it

/** The reason that holds the launch of web-0, or another action of it; undefined where nothing does. */
async function heldBy(
  images: Observation['images'],
  more: Partial<PlanInput> = {},
  actionOf: (launch: Action) => Action = (launch) => launch,
): Promise<string | undefined> {
  assert.ok(scope);
  const observation = {
    scope: scope.scope,
    at: 0,
    resources: [],
    gaps: [],
    pending: [],
    calls: 0,
    ...(images && { images }),
  };
  const input = { wanted: scope.wanted, observation, knowledge: withoutStore('acme'), dialect, ...more };
  const made = plan(input);
  const launch = made.actions.find(({ kind }) => kind === 'instance');
  assert.ok(launch);
  const action = actionOf(launch);
  const judge = await changeJudge(estate);
  assert.ok(judge);
  return (await inTurns(judge({ ...made, actions: [action] }, input)))?.(action)?.why;
}

const day = 86_400_000;
const facts = (days: number) => ({
  at: 0,
  read: [{ image: 'new', owner: 'x', verified: true, deprecated: false, createdAt: -days * day }],
  unread: [],
});

test('the age of an image decides', async () => {
  assert.match((await heldBy(facts(200))) ?? '', /^the rule old of the policy images denies it/);
  assert.equal(await heldBy(facts(10)), undefined);
});

test('unknown facts deny the launch of an observation of now', async () => {
  assert.match((await heldBy(undefined)) ?? '', /has no answer for it \(the facts of the image new are unknown/);
});

test('a stored observation that did not ask for an image holds nothing: the worker reads its facts before it launches', async () => {
  assert.equal(await heldBy(undefined, { isStored: true }), undefined);
  const unread = [{ image: 'new', reason: 'the cloud has no such image' }];
  assert.match((await heldBy({ at: 0, read: [], unread }, { isStored: true })) ?? '', /the cloud has no such image/);
  assert.match((await heldBy(facts(200), { isStored: true })) ?? '', /denies it/);
});

test('a changed machine needs a good image, and the start of a machine that Setpoint stopped does not', async () => {
  const changed = (more: object) => (launch: Action) =>
    ({ ...launch, verb: 'update', changes: [], effect: 'in-place', ...more }) as unknown as Action; // why: the judge reads nothing else of it
  assert.match((await heldBy(facts(200), {}, changed({}))) ?? '', /denies it/);
  assert.equal(await heldBy(facts(200), {}, changed({ restarts: true })), undefined);
});

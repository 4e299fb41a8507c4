import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import type { Action, ScopePlan, Verb } from '../../../src/core/action.ts';
import { actionDigest, type Hash } from '../../../src/core/digest.ts';
import { noCount } from '../../../src/core/limits.ts';
import { type Bounds, planEstate } from '../../../src/core/plan/estate.ts';
import { approvedBy, pauseHold, unlessApproved } from '../../../src/core/plan/holds.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import type { Hold, PlanInput } from '../../../src/core/plan/plan-input.ts';
import { at, input, know, looked, ours, settle, summary, vpc, want } from './fixture.ts';
import { machines, standing, told } from './rollouts.ts';

const none = { generation: noCount, healing: noCount };
const bounds = (more: Partial<Bounds> = {}): Bounds => ({
  limits: { deletes: 2, replaces: 1 },
  spent: none,
  owned: 0,
  ...more,
});

/** A scope in which so many networks are removed from the specs, and one is added. */
function removing(count: number): PlanInput {
  const names = Array.from({ length: count }, (_, i) => `old-${i}`);
  const seen = names.map((name) => ours('network', name, `vpc-${name}`, vpc()));
  const settled = new Map(
    names.map((name) => [`vpc-${name}`, settle('network', at('network', name), { deletionPolicy: 'delete' as const })]),
  );
  return input([want('network', 'new', vpc())], looked(seen), { knowledge: know([], { settled }) });
}

const verbs = (given: PlanInput[], more: Partial<Bounds> = {}): string[] =>
  planEstate(given, bounds(more))
    .flatMap(summary)
    .map((line) => line.split(' ')[0] ?? '');

const cases: ReadonlyArray<{ name: string; given: PlanInput[]; more?: Partial<Bounds>; want: string[] }> = [
  { name: 'at the limit: all pass', given: [removing(2)], want: ['create', 'delete', 'delete'] },
  {
    name: 'over it: every delete waits, the rest goes on',
    given: [removing(3)],
    want: ['create', 'withheld', 'withheld', 'withheld'],
  },
  {
    name: 'scopes count together',
    given: [removing(2), removing(1)],
    want: ['create', 'withheld', 'withheld', 'create', 'withheld'],
  },
  {
    name: 'what this generation already deleted counts',
    given: [removing(1)],
    more: { spent: { ...none, generation: { ...noCount, deletes: 2 } } },
    want: ['create', 'withheld'],
  },
  {
    name: 'so does what it would still delete in scopes that are not planned here',
    given: [removing(1)],
    more: { elsewhere: { ...noCount, deletes: 2 } },
    want: ['create', 'withheld'],
  },
  {
    name: 'a person lets it pass',
    given: [removing(3)],
    more: { allowDeletes: 3 },
    want: ['create', 'delete', 'delete', 'delete'],
  },
  {
    name: 'a person let fewer pass',
    given: [removing(4)],
    more: { allowDeletes: 3 },
    want: ['create', 'withheld', 'withheld', 'withheld', 'withheld'],
  },
  {
    name: 'a share binds from 20 resources up',
    given: [removing(2)],
    more: { limits: { deletes: 9, replaces: 9, share: 0.05 }, owned: 20 },
    want: ['create', 'withheld', 'withheld'],
  },
  {
    name: 'and not below',
    given: [removing(2)],
    more: { limits: { deletes: 9, replaces: 9, share: 0.05 }, owned: 19 },
    want: ['create', 'delete', 'delete'],
  },
];

const newMachines = (replicas: number): PlanInput => machines({ replicas, there: [] });

test('limits: new machines over the limit all wait, and the reason names both ways to let them pass', () => {
  const [made] = planEstate([newMachines(51)], bounds());
  assert.deepEqual(told(made ?? { actions: [], findings: [] }), [
    '51 limit: this generation would make 51 new machines, the limit is 50 (limits.creates) (0 already made). If that is a mistake, commit the former specs. Allow it with: setpoint apply --allow-creates 51, or: setpoint approve --reason "…"',
  ]);
});

const launching: ReadonlyArray<{ name: string; replicas: number[]; more?: Partial<Bounds>; want: number }> = [
  { name: 'up to 50 of a limit that says nothing of them', replicas: [50], want: 50 },
  { name: 'over all scopes', replicas: [30, 30], want: 0 },
  {
    name: 'with those launched before',
    replicas: [10],
    more: { spent: { ...none, generation: { ...noCount, creates: 41 } } },
    want: 0,
  },
  { name: 'with those of other scopes', replicas: [10], more: { elsewhere: { ...noCount, creates: 41 } }, want: 0 },
  {
    name: 'not with those that healing launched',
    replicas: [10],
    more: { spent: { ...none, healing: { ...noCount, creates: 41 } } },
    want: 10,
  },
  {
    name: 'by the limit that is said',
    replicas: [900],
    more: { limits: { deletes: 0, replaces: 0, creates: 900 } },
    want: 900,
  },
  { name: 'as many as a person lets pass', replicas: [60], more: { allowCreates: 60 }, want: 60 },
  { name: 'and no more', replicas: [60], more: { allowCreates: 59, allowDeletes: 60 }, want: 0 },
];

for (const { name, replicas, more, want: launched } of launching)
  test(`limits of new machines: ${name}`, () => {
    const plans = planEstate(
      replicas.map((count) => newMachines(count)).map((given) => ({ ...given, choices: { atOnce: true } })),
      bounds(more),
    );
    assert.equal(plans.flatMap(({ actions }) => actions).filter(({ verb }) => verb === 'create').length, launched);
  });

test('limits: a machine that vanished counts as healing, and a replaced one is no new machine', () => {
  const lost = machines({ replicas: 3, there: standing(0, 1, 'new'), lost: standing(2, 2, 'new') });
  const [healed] = planEstate([lost], bounds({ spent: { ...none, healing: { ...noCount, creates: 50 } } }));
  assert.match(
    told(healed ?? { actions: [], findings: [] }).join(),
    /^1 limit: healing in the last 24 h would make 51 new machines/,
  );
  const old = machines({ replicas: 1, there: standing(0, 0, 'old') });
  const [made] = planEstate([old], bounds({ limits: { deletes: 0, replaces: 1, creates: 0 } }));
  assert.deepEqual(told(made ?? { actions: [], findings: [] }), ['replace web-0']);
});

test('limits: what later waves would replace counts with the first', () => {
  const given = machines({ replicas: 4, there: standing(0, 3, 'old'), rollout: [1, 'rest'] });
  const replaces = (most: number) => told(planOf(given, most)).map((line) => line.split(':')[0]);
  assert.deepEqual(replaces(4), ['replace web-0', '3 wave']);
  assert.deepEqual(replaces(3), ['4 limit']);
});

const planOf = (given: PlanInput, replaces: number): ScopePlan => {
  const [made] = planEstate([given], bounds({ limits: { deletes: 0, replaces } }));
  assert.ok(made);
  return made;
};

for (const { name, given, more, want: expected } of cases) {
  test(`limits: ${name}`, () => assert.deepEqual(verbs(given, more), expected));
}

/** Texts stand for their own hashes. */
const hash: Hash = (text) => text;

const core = (tier: string, mode: 'observe' | 'plan' = 'plan') =>
  want('network', 'core', vpc('10.0.0.0/16', { tier }), { mode });
const old = (name: string, more: Parameters<typeof settle>[2] = {}) =>
  [`vpc-${name}`, settle('network', at('network', name), { deletionPolicy: 'delete', ...more })] as const;
const olds = ['a', 'b', 'c'];

/** `core` wants another label; `a`, `b` and `c` are in no document any more and are to go. */
function world(tier: string, more: Parameters<typeof settle>[2] = {}, mode: 'observe' | 'plan' = 'plan'): PlanInput {
  const seen = [
    ours('network', 'core', 'vpc-core', vpc('10.0.0.0/16', { tier: 'old' })),
    ...olds.map((name) => ours('network', name, `vpc-${name}`, vpc())),
  ];
  const settled = new Map([...know(seen).settled, ...olds.map((name) => old(name, more))]);
  return input([core(tier, mode)], looked(seen), { knowledge: know(seen, { settled }) });
}

/** The digests of a plan by a person. */
const shown = (given: PlanInput, verb?: Verb): readonly string[] =>
  plan(given)
    .actions.filter((action) => verb === undefined || action.verb === verb)
    .map((action) => actionDigest(action, hash));

interface Row {
  readonly name: string;
  readonly given: PlanInput;
  readonly approved: readonly string[];
  readonly holds?: readonly Hold[];
  readonly deletes?: number;
  readonly want: readonly string[];
}

const unattended = ({ given, approved, holds = [], deletes = 9 }: Row): readonly string[] => {
  const choices = { unattended: true, approved: approvedBy(new Set(approved), hash), holds };
  const bounds = { limits: { deletes, replaces: 1 }, spent: { generation: noCount, healing: noCount }, owned: 0 };
  return planEstate([{ ...given, choices }], bounds).flatMap(summary);
};

const deleted = olds.map((name) => `delete network/${name} (removed)`);
const held = (code: string, names: readonly string[] = [...olds, 'core'].toSorted()) =>
  names.map((name) => `withheld network/${name}: ${code}`);
const everything = shown(world('new'));
const freeze = { reason: 'freeze', person: 'ann', until: 0 };

const rows: readonly Row[] = [
  { name: 'nothing is approved: mode plan waits for a person', given: world('new'), approved: [], want: held('mode') },
  {
    name: 'what is approved passes mode plan',
    given: world('new'),
    approved: everything,
    want: ['update network/core', ...deleted],
  },
  {
    name: 'one of several is approved: the others wait',
    given: world('new'),
    approved: shown(world('new'), 'update'),
    want: ['update network/core', ...held('mode', olds)],
  },
  {
    name: 'the spec has moved since: its action is another, and not approved; the others are',
    given: world('newer'),
    approved: everything,
    want: [...deleted, ...held('mode', ['core'])],
  },
  {
    name: 'observe is never lifted',
    given: world('new', {}, 'observe'),
    approved: everything,
    want: [...deleted, ...held('mode', ['core'])],
  },
  {
    name: 'approved deletes pass the limit',
    given: world('new'),
    approved: everything,
    deletes: 2,
    want: ['update network/core', ...deleted],
  },
  {
    name: 'approved deletes pass the limit and still count: the one that was not shown waits',
    given: { ...world('new'), wanted: { ...world('new').wanted, mode: 'enforce' } },
    approved: everything.filter((digest) => !digest.includes('vpc-b')),
    deletes: 2,
    want: ['update network/core', ...deleted.filter((line) => !line.includes('/b')), ...held('limit', ['b'])],
  },
  {
    name: 'protect is never lifted',
    given: world('new', { protect: true }),
    approved: everything,
    want: ['update network/core', ...held('protect', olds)],
  },
  {
    name: 'what was adopted in the store only is never deleted',
    given: world('new', { storeOnly: true }),
    approved: everything,
    want: ['update network/core', ...held('adopted-in-store-only', olds)],
  },
  {
    name: 'a pause is never lifted',
    given: world('new'),
    approved: everything,
    holds: [pauseHold([{ what: 'all', of: { by: 'estate' }, ...freeze }], world('new').wanted)],
    want: held('paused'),
  },
  {
    name: 'a further hold is not lifted by itself',
    given: world('new'),
    approved: everything,
    holds: [() => ({ code: 'wave', why: '' })],
    want: held('wave'),
  },
];

describe('approve', () => {
  for (const row of rows) it(row.name, () => assert.deepEqual(unattended(row), row.want));

  it('takes no digest of what nothing withholds', () => {
    const [action] = plan(world('new')).actions;
    assert.ok(action);
    const never = (_: Action): boolean => assert.fail('asked');
    assert.equal(unlessApproved(() => undefined, never)(action), undefined);
    const limit: Hold = () => ({ code: 'limit', why: '' });
    assert.equal(unlessApproved(limit)(action)?.code, 'limit');
    assert.equal(unlessApproved(limit, () => true)(action), undefined);
  });
});

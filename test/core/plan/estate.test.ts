import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ScopePlan } from '../../../src/core/action.ts';
import { type Bounds, planEstate } from '../../../src/core/plan/estate.ts';
import type { PlanInput } from '../../../src/core/plan/plan-input.ts';
import { at, input, know, looked, ours, settle, vpc, want } from './fixture.ts';
import { machines, standing, told } from './rollouts.ts';
import { summary } from './summary.ts';

const none = { generation: { deletes: 0, replaces: 0 }, healing: { deletes: 0, replaces: 0 } };
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
    more: { spent: { ...none, generation: { deletes: 2, replaces: 0 } } },
    want: ['create', 'withheld'],
  },
  {
    name: 'so does what it would still delete in scopes that are not planned here',
    given: [removing(1)],
    more: { elsewhere: { deletes: 2, replaces: 0 } },
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

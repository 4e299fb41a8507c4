import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Action, Verb } from '../../../src/core/action.ts';
import { actionDigest, type Hash } from '../../../src/core/digest.ts';
import { noCount } from '../../../src/core/limits.ts';
import { planEstate } from '../../../src/core/plan/estate.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import type { PlanInput, Policy } from '../../../src/core/plan/plan-input.ts';
import { approvedBy, pausePolicy, unlessApproved } from '../../../src/core/plan/policies.ts';
import { at, input, know, looked, ours, settle, vpc, want } from './fixture.ts';
import { summary } from './summary.ts';

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

/** The digests of what a person who plans sees. */
const shown = (given: PlanInput, verb?: Verb): readonly string[] =>
  plan(given)
    .actions.filter((action) => verb === undefined || action.verb === verb)
    .map((action) => actionDigest(action, hash));

interface Row {
  readonly name: string;
  readonly given: PlanInput;
  readonly approved: readonly string[];
  readonly policies?: readonly Policy[];
  readonly deletes?: number;
  readonly want: readonly string[];
}

const unattended = ({ given, approved, policies = [], deletes = 9 }: Row): readonly string[] => {
  const choices = { unattended: true, approved: approvedBy(new Set(approved), hash), policies };
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
    policies: [pausePolicy([{ what: 'all', of: { by: 'estate' }, ...freeze }], world('new').wanted)],
    want: held('paused'),
  },
  {
    name: 'a further policy is not lifted by itself',
    given: world('new'),
    approved: everything,
    policies: [() => ({ code: 'wave', why: '' })],
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
    const limit: Policy = () => ({ code: 'limit', why: '' });
    assert.equal(unlessApproved(limit)(action)?.code, 'limit');
    assert.equal(unlessApproved(limit, () => true)(action), undefined);
  });
});

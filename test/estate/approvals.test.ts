import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Action, ScopePlan } from '../../src/core/action.ts';
import { actionDigest } from '../../src/core/digest.ts';
import { type ApprovedAction, holdAgainst, onlyApproved } from '../../src/estate/approvals.ts';
import { sha256 } from '../../src/estate/sha256.ts';
import { at, attributes, create, desired, observed, remove, replace, update } from '../support/actions.ts';

const web = desired('instance', 'web-0', attributes.instance());
const machine = observed('instance', 'i-1', attributes.instance());
const net = desired('network', 'core', attributes.network());
const vpc = observed('network', 'vpc-1', attributes.network());
const size = (from: string, to = 'big') => [{ field: 'machine.size', from, to }];

const saved = (...actions: readonly Action[]): readonly ApprovedAction[] =>
  actions.map((action) => ({ address: action.address, verb: action.verb, digest: actionDigest(action, sha256) }));

const held: readonly {
  readonly name: string;
  readonly saved: readonly Action[];
  readonly now: readonly Action[];
  readonly approved: readonly string[];
  readonly stale: readonly RegExp[];
}[] = [
  { name: 'the same: approved', saved: [create(net)], now: [create(net)], approved: ['create'], stale: [] },
  {
    name: 'others in between do not matter',
    saved: [create(net)],
    now: [create(web), create(net), remove('old', vpc)],
    approved: ['create'],
    stale: [],
  },
  {
    name: 'a before-value moved: that one is stale, the rest goes on',
    saved: [create(net), update(web, machine, size('small'))],
    now: [create(net), update(web, machine, size('medium'))],
    approved: ['create'],
    stale: [/what it would update has changed since/],
  },
  {
    name: 'another verb now',
    saved: [update(web, machine, size('small'))],
    now: [replace(web, machine)],
    approved: [],
    stale: [/it was to update, and would now replace/],
  },
  {
    name: 'nothing to do any more',
    saved: [create(net)],
    now: [],
    approved: [],
    stale: [/it was to create; that is no longer/],
  },
];

for (const { name, saved: kept, now, approved, stale } of held)
  test(`a kept plan: ${name}`, () => {
    const result = holdAgainst(saved(...kept), now);
    assert.deepEqual(
      result.approved.map(({ verb }) => verb),
      approved,
    );
    assert.equal(result.stale.length, stale.length);
    for (const [i, pattern] of stale.entries()) assert.match(result.stale[i]?.why ?? '', pattern);
  });

const blocked: ScopePlan = {
  scope: 'memory/acme/here',
  actions: [],
  findings: [
    {
      type: 'blocked',
      code: 'pending',
      kind: 'network',
      address: at('network', 'core'),
      why: '',
      scope: 'memory/acme/here',
    },
  ],
  calls: { observed: 0, predicted: 0 },
};

const rests = (action: 'create' | 'delete'): ScopePlan['findings'][number] => ({
  type: 'withheld',
  code: 'depends',
  action,
  kind: 'instance',
  address: at('instance', 'web-0'),
  why: '',
  scope: 'memory/acme/here',
});
const inDoubt: ScopePlan = { ...blocked, findings: [...blocked.findings, rests('create')] };
const sure: ScopePlan = { ...blocked, findings: [rests('create')] };
const leaving: ScopePlan = { ...blocked, findings: [...blocked.findings, rests('delete')] };

const twin: Action = { ...remove('core', vpc), verb: 'delete', because: 'twin', observed: vpc };
const gone: Action = {
  verb: 'forget',
  kind: 'network',
  address: at('network', 'x'),
  documents: [],
  cause: 'drift',
  id: 'v',
  because: 'gone',
};

const inGrace = (phase: 'runs' | 'ends'): Extract<Action, { verb: 'delete' }> => ({
  ...{ kind: 'instance', address: at('instance', 'web-0'), documents: [], cause: 'rollout', verb: 'delete' },
  ...{ observed: machine, because: 'removed', grace: { phase, since: 0, until: 1, allowed: true } },
});
const stop: Action = {
  ...{ kind: 'instance', address: at('instance', 'web-0'), documents: [], cause: 'rollout', verb: 'update' },
  ...{ desired: web, observed: machine, changes: [], effect: 'in-place', retires: inGrace('runs') },
};

const later: readonly (readonly [
  name: string,
  shown: readonly Action[],
  plans: readonly ScopePlan[],
  now: Action,
  passes: boolean,
])[] = [
  ['what was shown', [create(net)], [], create(net), true],
  ['what finishes it', [create(net)], [], update(net, vpc, []), true],
  ['what nobody saw', [create(net)], [], create(web), false],
  ['a delete of what was to be changed', [update(net, vpc, [])], [], remove('core', vpc), false],
  ['a replace of what was to be stopped', [update(web, machine, size('a'), 'stops')], [], replace(web, machine), false],
  [
    'a stop of what was to be relabelled',
    [update(web, machine, [])],
    [],
    update(web, machine, size('a'), 'stops'),
    false,
  ],
  ['a delete that was shown', [remove('core', vpc)], [], remove('core', vpc), true],
  ['a stop for a grace that was shown, by its deletion,', [stop], [], inGrace('runs'), true],
  ['a stop for a grace that nobody saw, by its deletion,', [create(net)], [], inGrace('runs'), false],
  ['a delete of what was to be stopped for its grace', [stop], [], inGrace('ends'), false],
  ['a creation that was in doubt', [], [blocked], create(net), true],
  ['what rests on a creation that was in doubt', [], [inDoubt], create(web), true],
  ['a delete that rested on a creation in doubt', [], [leaving], remove('web-0', machine), false],
  ['what rested on what nobody doubted', [], [sure], create(web), false],
  ['a twin of our own lost answer', [], [], twin, true],
  ['forgetting what is gone', [], [], gone, true],
];

for (const [name, shown, plans, now, passes] of later)
  test(`after approval, ${name} ${passes ? 'passes' : 'is stale'}`, () =>
    assert.equal(onlyApproved(shown, plans)(now)?.code, passes ? undefined : 'stale'));

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApplyResult, applyResultOf, exitOf, outcomeText } from '../../src/cli/output/outcome.ts';
import type { Action, Finding } from '../../src/core/action.ts';
import { withoutStore } from '../../src/core/knowledge.ts';
import { entriesOf } from '../../src/core/render/summary.ts';
import type { Converged, PlannedObservation } from '../../src/engine/converge.ts';
import type { Executed, Failing } from '../../src/engine/ports.ts';
import { at, attributes, create, desired, observed, remove } from '../support/actions.ts';

const net = create(desired('network', 'core', attributes.network()));
const web = create(desired('instance', 'web-0', attributes.instance()));
const old = remove('old', observed('network', 'vpc-9', attributes.network()));
const scope = 'memory/acme/here';

const nothing: ApplyResult = {
  done: [],
  inGrace: [],
  failed: [],
  left: [],
  refused: [],
  open: [],
  ended: { stopped: false, calls: 0 },
};
const failure: Failing = {
  kind: 'instance',
  verb: 'create',
  address: web.address,
  expected: 'person',
  failure: { kind: 'terminal', code: 'Quota', message: 'no more', requestId: 'r-1' },
};
const gap: Finding = { type: 'incomplete', kind: 'network', code: 'Denied', why: 'not listed', scope };
const taken: Finding = {
  type: 'blocked',
  code: 'name-taken',
  kind: 'network',
  address: net.address,
  why: 'taken',
  scope,
};
const refusal = { address: old.address, verb: 'delete', why: 'over the limit' } as const;
const done = entriesOf([net]);
const left = entriesOf([web]);

const exits: readonly (readonly [name: string, result: Partial<ApplyResult>, code: number])[] = [
  ['nothing to do', {}, 0],
  ['all done', { done }, 0],
  ['failed, nothing done', { failed: [failure] }, 1],
  ['failed, something done', { failed: [failure], done }, 4],
  ['not done, something done', { left, done }, 4],
  ['stopped before anything', { ended: { stopped: true, calls: 0 } }, 1],
  ['stopped on the way', { ended: { stopped: true, calls: 3 }, done }, 4],
  ['not seen', { open: [gap] }, 1],
  ['not seen, something done', { open: [gap], done }, 4],
  ['blocked', { open: [taken] }, 3],
  ['blocked, the rest done', { open: [taken], done }, 4],
  ['refused', { refused: [refusal] }, 3],
  ['chosen and refused', { refused: [{ ...refusal, chosen: true }] }, 3],
  ['chosen and refused, the rest done', { refused: [{ ...refusal, chosen: true }], done }, 4],
  ['refused, the rest done', { refused: [refusal], done }, 3],
];

for (const [name, result, code] of exits)
  test(`${name}: exit ${code}`, () => assert.equal(exitOf({ ...nothing, ...result }), code));

test('after a failure the text names each failed, refused, open, undone and finished action', () => {
  const all = { ...nothing, done, left, failed: [failure], refused: [refusal], open: [taken] };
  const [verdict, body] = outcomeText(all, 7, (_, text) => text);
  assert.equal(
    verdict,
    'Applied: 1 added, 0 changed, 0 replaced, 0 deleted · 1 failed · 1 not done · 1 refused · 1 open · generation 7 · 0 calls',
  );
  assert.deepEqual(body.split('\n'), [
    `  failed    create ${web.address}: Quota: no more (request r-1)`,
    `  refused   delete ${at('network', 'old')}: over the limit`,
    `  open      ${at('network', 'core')}: taken`,
    `  not done  + ${web.address}`,
    `  done      + ${net.address}`,
  ]);
});

test('actions that one cause holds open in a scope are one line', () => {
  const unlisted = (name: string, why: string): Finding => ({ ...taken, address: at('network', name), why });
  const open = [unlisted('a', 'denied'), unlisted('b', 'denied'), unlisted('c', 'taken'), gap];
  assert.deepEqual(outcomeText({ ...nothing, open }, 1, (_, text) => text)[1].split('\n'), [
    `  open      ${at('network', 'a')} and 1 more: denied`,
    `  open      ${at('network', 'c')}: taken`,
    `  open      ${scope}: not listed`,
  ]);
});

test('after a whole success one line is enough', () => {
  assert.equal(outcomeText({ ...nothing, done }, 1, (_, text) => text)[1], '');
  const ended = { stopped: false, calls: 1 };
  assert.match(outcomeText({ ...nothing, done, ended }, 1, (_, text) => text)[0], / · 1 call$/);
});

const calls = { reads: 1, writes: 1 };
const settled = (action: Action): Executed => ({
  settled: [{ kind: action.kind, verb: action.verb, address: action.address }],
  failed: [],
  findings: [],
  next: 'done',
  calls,
});
const lost: Executed = { settled: [], failed: [failure], findings: [], next: 'observe', calls };

/** The last observation of a scope, and the work that remained then. */
const sight = (actions: readonly Action[], findings: readonly Finding[] = []): PlannedObservation => ({
  observation: { scope, at: 0, resources: [], gaps: [], pending: [], calls: 1 },
  knowledge: withoutStore('acme'),
  plan: { scope, actions, findings, calls: { observed: 1, predicted: 0 } },
});

const ends: readonly (readonly [
  name: string,
  scope: Converged,
  done: readonly Action[],
  failed: number,
  left: readonly Action[],
])[] = [
  [
    'settled, and the last look has nothing to do',
    { outcome: 'done', rounds: [settled(web)], last: sight([]) },
    [web],
    0,
    [],
  ],
  ['failed, then settled', { outcome: 'done', rounds: [lost, settled(web)], last: sight([]) }, [web], 0, []],
  ['an answer was lost, and it had been a success', { outcome: 'done', rounds: [lost], last: sight([]) }, [web], 0, []],
  ['failed for good', { outcome: 'failed', rounds: [lost], last: sight([web]) }, [], 1, []],
  [
    'settled, and it did not stick',
    { outcome: 'unfinished', rounds: [settled(web)], last: sight([web]) },
    [],
    0,
    [web],
  ],
  [
    'blocked in the end',
    { outcome: 'done', rounds: [], last: sight([], [{ ...taken, address: web.address }]) },
    [],
    0,
    [web],
  ],
  ['stopped after it was settled', { outcome: 'stopped', rounds: [settled(web)], last: sight([web]) }, [web], 0, []],
  ['stopped before it was sent', { outcome: 'stopped', rounds: [], last: sight([web]) }, [], 0, [web]],
  ['stopped in the first look', { outcome: 'stopped', rounds: [] }, [], 0, [web]],
];

for (const [name, converged, done_, failed, left_] of ends)
  test(`what came of it: ${name}`, () => {
    const result = applyResultOf([web], [], { generation: 1, scopes: [converged], idle: [] });
    const addresses = (some: readonly { readonly address: string }[]) => some.map(({ address }) => address);
    assert.deepEqual(addresses(result.done), addresses(done_));
    assert.equal(result.failed.length, failed);
    assert.deepEqual(addresses(result.left), addresses(left_));
    assert.equal(result.ended.calls, converged.rounds.length);
  });

/** Two atoms of one rule document: one that goes, and one that comes. */
const atomsOf = (because: 'removed' | 'changed') => {
  const made = create(desired('firewall-rule', 'new', attributes.rule('core.app'), 'https'));
  const gone = remove('old', observed('firewall-rule', 'sgr-1', attributes.rule('core.web')));
  return { made, gone: { ...gone, because, documents: made.documents } as Action }; // why: `remove` makes a delete
};
const refused = ({ kind, verb, address }: Action): Executed => ({
  ...lost,
  failed: [{ ...failure, kind, verb, address }],
});

test('of a rule that was deleted, and not made anew, the deletion counts as done', () => {
  const { made, gone } = atomsOf('removed');
  const reconciles = [{ ...refused(made), settled: settled(gone).settled }];
  const scopes: readonly Converged[] = [{ outcome: 'failed', rounds: reconciles, last: sight([made]) }];
  const result = applyResultOf([made, gone], [], { generation: 1, scopes, idle: [] });
  assert.match(outcomeText(result, 1, (_, text) => text)[0], /^Applied: .*1 deleted · 1 failed · generation/);
  assert.equal(exitOf(result), 4);
});

test('of a rule that was neither made anew nor deleted nothing counts as done', () => {
  const { made, gone } = atomsOf('changed');
  const scopes: readonly Converged[] = [{ outcome: 'failed', rounds: [refused(made)], last: sight([made, gone]) }];
  const result = applyResultOf([made, gone], [], { generation: 1, scopes, idle: [] });
  assert.match(outcomeText(result, 1, (_, text) => text)[0], /^Not applied: .*0 deleted · 1 failed/);
  assert.equal(exitOf(result), 1);
});

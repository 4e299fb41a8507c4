import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { explanationText } from '../../src/cli/commands/explain.ts';
import { ledgerTable } from '../../src/cli/commands/ledger.ts';
import { statusText } from '../../src/cli/commands/status.ts';
import { tokenTable } from '../../src/cli/commands/token.ts';
import { errorText, UserError } from '../../src/cli/errors.ts';
import {
  approvalText,
  type PendingApprovals,
  pendingApprovalsText,
  questionText,
} from '../../src/cli/output/approval-text.ts';
import { inventoryText } from '../../src/cli/output/inventory.ts';
import { outcomeText } from '../../src/cli/output/outcome.ts';
import { sourceText, unmanagedScopeText } from '../../src/cli/output/plan.ts';
import { paintFor, printJson } from '../../src/cli/output/print.ts';
import { problemText } from '../../src/cli/output/problems.ts';
import { progressOn } from '../../src/cli/output/progress.ts';
import { askYes } from '../../src/cli/prompt.ts';
import type { Action, Finding } from '../../src/core/action.ts';
import { error } from '../../src/core/documents/problem.ts';
import { noEffect } from '../../src/core/effect/effect.ts';
import { planText } from '../../src/core/render/plan-text.ts';
import { diffText } from '../../src/core/render/revision-diff.ts';
import { entriesOf } from '../../src/core/render/summary.ts';
import { printable } from '../../src/core/text.ts';
import { at, attributes, create, desired, observed, remove, replace, update } from '../support/actions.ts';
import { barbed, barbs, obeyed } from '../support/barbed.ts';
import { fakeTerminal } from './support/fake-terminal.ts';

const moment = Date.parse('2026-12-01T08:00Z');
const scope = 'memory/acme/here';
const colourful = { write: () => undefined, colour: true, live: false, columns: 80 };
const [paint, tone] = [paintFor(colourful), paintFor(colourful)];
const signal = AbortSignal.any([]);

const by = { who: 'bob', action: 'StopInstances', from: '203.0.113.9', event: 'e-1', at: moment };
const labelled = { ...attributes.network(), labels: { tier: 'web' } };
const [net, vpc] = [desired('network', 'core', labelled), observed('network', 'vpc-1', labelled)];
const rule = { wanted: desired('firewall-rule', 'web', attributes.rule('core.web')), id: 'sg-1' };
const actions: readonly Action[] = [
  create(net),
  create(rule.wanted),
  { ...update(net, vpc, [{ field: 'labels.tier', from: 'old', to: 'new' }]), by },
  replace(net, vpc),
  remove('old', vpc),
  remove('rule', observed('firewall-rule', rule.id, attributes.rule('core.web'))),
];
const findings: readonly Finding[] = [
  { type: 'unmanaged', kind: 'network', id: 'vpc-9', name: 'lab', why: 'nobody claims it', scope, by },
  { type: 'blocked', code: 'name-taken', kind: 'network', address: net.address, why: 'taken', scope, by },
  { type: 'incomplete', kind: 'instance', code: 'Denied', why: 'not listed', scope },
];
const plans = [{ scope, actions, findings, calls: { observed: 1, predicted: 2 } }];
const revision = 'git:0123456789abcdef+web=fedcba9876543210@prod';
const guards = { limits: { deletes: 1, replaces: 1, share: 1 }, modes: {}, policies: {}, protected: [] };
const offer: PendingApprovals = {
  estate: 'acme',
  revision,
  plans,
  required: [],
  refusals: [
    {
      ...{ estate: 'acme', scope, seq: 5, generation: 3, digest: 'd', actions: ['a'] },
      by: { person: 'ann', reason: 'no' },
      at: moment,
    },
  ],
  refusalsTruncated: false,
  free: 2,
  digest: '0123456789ab',
  generation: 3,
  accepts: {},
};
const approval = {
  ...{ estate: 'acme', scope, generation: 3, digest: 'd', actions: ['a'], destroys: 1 },
  ...{ by: { person: 'ann', reason: 'seen' }, until: moment, seq: 4, ran: 0 },
};
const source = {
  source: 'https://git.example/infra',
  head: revision,
  state: 'broken',
  why: 'a.yaml:3',
  since: 0,
} as const;
const problem = error('odd', { file: 'a.yaml', line: 3, column: 2 }, 'It is odd.', { expected: 'x', didYouMean: 'y' });
const failure = { kind: 'terminal', code: 'Quota', message: 'no more', requestId: 'r-1' } as const;

/** Every text for people with names that others may choose; `of`: makes the text of each thing. */
const texts: readonly (readonly [name: string, text: (of: <T>(thing: T) => T) => string])[] = [
  ['plan', (of) => planText(of(plans), { revision: of(revision), paint })],
  [
    'diff',
    (of) =>
      diffText(
        of({
          ...{ from: revision, to: revision, plans, left: [{ scope, documents: 2 }] },
          moved: [{ target: 'aws', from: 'a', to: 'b' }],
          effect: noEffect,
          looserGuards: [],
        }),
        paint,
      ),
  ],
  [
    'explain',
    (of) =>
      explanationText(
        of({
          address: net.address,
          wanted: [net],
          origins: [{ document: net.address, field: 'cidr', value: '10.0.0.0/16', layer: 'base', file: 'a', line: 1 }],
          mode: { mode: 'plan', why: 'a.yaml:3 says so' },
          remediation: [],
          there: [{ scope, observed: vpc, claim: 'ours', why: 'marked', by }],
          ...{ actions, findings },
        }),
        { dir: 'specs', paint, ago: () => 'now' },
      ),
  ],
  [
    'inventory',
    (of) =>
      inventoryText(
        of({
          unobserved: [],
          scopes: [
            {
              scope,
              at: moment,
              gaps: [{ kind: 'instance', code: 'Denied', reason: 'no' }],
              objects: [
                {
                  kind: 'network',
                  id: 'vpc-9',
                  name: 'lab',
                  status: 'Unmanaged',
                  claim: 'unmanaged',
                  why: 'No mark.',
                  by,
                  attributes: labelled,
                },
              ],
            },
          ],
        }),
        moment,
        colourful,
      ),
  ],
  [
    'inventory in groups',
    (of) =>
      inventoryText(
        of({
          unobserved: [scope],
          scopes: [{ scope, at: moment, gaps: [], objects: [] }],
          groups: { by: 'network' as const, all: [{ group: 'lab (vpc-9)', objects: 1, kinds: { network: 1 } }] },
        }),
        moment,
        colourful,
      ),
  ],
  [
    'ledger',
    (of) =>
      ledgerTable(
        of([
          ...[{ address: at('network', 'core'), details: { by }, authority: { approver: 'ann' } }].map((body) =>
            entry('intent', body),
          ),
          entry('settlement', { outcome: { ok: false, failure }, calls: [{ action: 'Run', requestId: 'r' }] }),
          entry('note', { note: { pause: { person: 'ann', reason: 'a freeze' } } }),
          entry('note', { note: { odd: 'whatever' } }),
        ]),
      ),
  ],
  [
    'status',
    (of) =>
      statusText(
        of({
          withheldChanges: [],
          withheldDrift: [],
          fights: [],
          looserGuards: ['policy open (goes)'],
          orphans: 1,
          violations: { resources: 1, policies: [{ policy: 'open', effect: 'deny', mode: 'enforce', count: 1 }] },
          calendar: [],
          breakGlass: [],
          patches: [],
          lifetimes: [],
          endedPatches: [],
          ...{ estate: 'acme', generation: { number: 2, revision }, folder: { dir: 'specs', revision: 'folder:ab' } },
          scopes: [
            {
              ...{ scope, criticality: 'high', everyMs: 150_000, nextAt: moment },
              ...{ appliedGeneration: 1, approvals: [approval], reconcileRequest: 'ann resumed' },
              inGrace: [{ kind: 'network', address: net.address, id: 'vpc-1', since: 0, until: moment + 60_000 }],
              stopped: [{ document: net.address, generation: 2, why: 'failed' }],
              replacements: [
                { address: net.address, predecessor: 'i-1', successor: 'i-2', since: 0, waitsFor: 'i-2 to be ready' },
              ],
            },
          ],
          limited: [{ scope, count: 1, why: 'over' }],
          pauses: [
            {
              ...{ id: 1, what: 'all', of: { by: 'owner', name: 'team web' }, reason: 'a freeze', person: 'ann' },
              ...{ at: 0, until: moment },
            },
          ],
          quarantined: [{ estate: 'acme', scope, why: 'a defect', since: 0, generation: 1 }],
          leases: [{ estate: 'acme', scope, holder: 'ann@host', epoch: 1, since: 0 }],
          sources: [source],
          pin: { revision, by: { person: 'ann', reason: 'broke' }, at: 0 },
          unmanagedScopes: [{ scope, resources: 2 }],
        }),
        { now: moment, paint: tone },
      ).join('\n'),
  ],
  [
    'outcome',
    (of) =>
      outcomeText(
        of({
          ...{ done: entriesOf(actions), left: entriesOf(actions), open: findings, inGrace: entriesOf(actions) },
          failed: [{ kind: 'network', verb: 'create', address: net.address, expected: 'person', failure }],
          refused: [{ address: net.address, verb: 'delete', why: 'over the limit' }],
          ended: { stopped: false, calls: 2 },
        }),
        3,
        tone,
      ).join('\n'),
  ],
  ['offer', (of) => pendingApprovalsText(of(offer), paint)],
  ['question', (of) => questionText(of({ ...offer, accepts: { after: { number: 2, revision, guards } } }), moment)],
  [
    'approval',
    (of) => approvalText(of(offer), of({ given: [approval], missing: [], breakGlass: false }), moment).join('\n'),
  ],
  [
    'tokens',
    (of) =>
      tokenTable(
        of([
          {
            ...{ id: '3f1c', name: 'ci', grants: [{ role: 'viewer', owners: ['team-web'] }], expiresAt: moment + 1 },
            ...{ for: 'ann', maker: { person: 'bob', identities: [] }, at: 0 },
          },
        ]),
        moment,
      ),
  ],
  ['problems', (of) => problemText([{ ...of(problem), source: ` ${of('cdir: 1')}` }], 'specs', tone)],
  ['held sources', (of) => sourceText(of(source), moment)],
  ['scopes left alone', (of) => unmanagedScopeText(of({ scope, resources: 1 }))],
  ['what is done', (of) => progressed(of(scope), of('creating web-0'))],
];

const entry = (type: 'intent' | 'settlement' | 'note', body: Readonly<Record<string, unknown>>) => ({
  ...{ seq: 1, at: moment, type, body },
  chain: { previous: 'p', hash: 'h' },
});

function progressed(key: string, text: string): string {
  const { err, stderr } = fakeTerminal();
  let now = 0;
  const progress = progressOn(err, { now: () => now, sleep: () => Promise.resolve() });
  now = 5000;
  progress.show(key, text);
  progress.finish(key, text);
  return stderr();
}

const lines = (text: string): number => text.split('\n').length;

describe('names of others neither steer a terminal nor make a line', () => {
  for (const [name, text] of texts)
    test(name, () => {
      const [plain, stung] = [text((thing) => thing), text((thing) => barbed(thing))];
      assert.deepEqual(obeyed(plain.replaceAll('\t', ' ')), []);
      assert.deepEqual(obeyed(stung.replaceAll('\t', name === 'problems' ? ' ' : '\t')), [], stung);
      assert.match(stung, name === 'problems' ? /�/ : /\\u001b\[45m/);
      assert.equal(lines(stung), lines(plain), stung);
    });

  test('a complaint: what somebody said into it begins no line of ours', () => {
    const said = barbed({ where: 'there', why: 'it failed', next: 'mend it' });
    const text = errorText(new UserError(barbed('It failed.'), said));
    assert.deepEqual(obeyed(text), [], text);
    const heads = text.split('\n').filter((line) => line !== '' && !line.startsWith(' '.repeat(9)));
    assert.deepEqual(
      heads.map((line) => line.slice(0, 8)),
      ['\\u001b[4', '  where:', '  why:  ', '  next: '],
    );
  });

  test('a question', async () => {
    const terminal = fakeTerminal({ says: 'no\n' });
    await askYes(terminal, { text: barbed('Let it go?'), flag: '--yes' }, signal);
    assert.deepEqual(obeyed(terminal.stderr()), []);
  });

  test('JSON says the same as before, and steers nothing either', () => {
    const terminal = fakeTerminal();
    const value = { name: `${barbs}\u{e0001}`, [barbs]: 1 };
    printJson(terminal, value);
    assert.deepEqual(obeyed(terminal.stdout()), []);
    assert.deepEqual(JSON.parse(terminal.stdout()), value);
  });
});

test('texts of people stay as they are: letters of all languages, composed emoji, signs', () => {
  const text = 'Grüße 日本 می‌خواهم 👩‍👩‍👧 \\n 50 % “x” \u00a0é';
  assert.equal(printable(text), text);
  assert.deepEqual(printable({ text: [text, 1, null, undefined, true] }), { text: [text, 1, null, undefined, true] });
});

test('control characters are escaped as in JSON', () => {
  assert.equal(printable('\u001b[2J\n\r\t\u009b\u202e\u{e0001}'), '\\u001b[2J\\n\\r\\t\\u009b\\u202e\\udb40\\udc01');
});

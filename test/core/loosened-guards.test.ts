import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Guards } from '../../src/core/guards.ts';
import { loosenedGuards } from '../../src/core/loosened-guards.ts';
import type { PolicyRules } from '../../src/core/policy/rules.ts';

const web = 'aws/1/eu-west-1/instance/web';
const db = 'aws/1/eu-west-1/instance/db';
const shop = 'aws/1/eu-west-1/instance/shop';
const strict: Guards = {
  limits: { deletes: 5, replaces: 5, share: 0.1 },
  modes: { [web]: 'plan', [db]: 'observe' },
  policies: { [web]: 'retain', [db]: 'retain' },
  protected: [web],
};
const none: Guards['remediation'] = { scopes: {}, documents: {} };
const window = { days: ['mon'], from: '08:00', to: '16:00', timeZone: 'UTC' } as const;

const policy = (name: string, rules: PolicyRules['rules'] = []): PolicyRules => ({
  name,
  mode: 'enforce',
  kinds: [],
  rules,
  exemptions: [],
});

interface Case {
  readonly reason: string;
  readonly before?: Partial<Guards>;
  readonly after: Partial<Guards>;
  readonly want: readonly string[];
}

const cases: readonly Case[] = [
  { reason: 'the same guards', after: {}, want: [] },
  {
    reason: 'a document that had ended is back with a looser mode',
    before: { ended: { [shop]: 'observe' } },
    after: { modes: { ...strict.modes, [shop]: 'enforce' } },
    want: ['mode observe → enforce of instance shop'],
  },
  {
    reason: 'higher limits, or no share, are looser; the usual ones hold where none is stated',
    after: { limits: { deletes: 50, replaces: 4, creates: 500 } },
    want: ['limits.deletes 5 → 50', 'limits.creates 50 → 500', 'limits.share 10% → none'],
  },
  {
    reason: 'a higher limit of the cost, none, or one in another currency',
    before: { limits: { deletes: 5, replaces: 5, cost: { monthly: 100, currency: 'EUR' } } },
    after: { limits: { deletes: 5, replaces: 5, cost: { monthly: 90, currency: 'USD' } } },
    want: ['limits.cost 100 EUR → 90 USD'],
  },
  {
    reason: 'a limit of the cost that goes',
    before: { limits: { deletes: 5, replaces: 5, cost: { monthly: 100, currency: 'EUR' } } },
    after: { limits: { deletes: 5, replaces: 5 } },
    want: ['limits.cost 100 EUR → none'],
  },
  {
    reason: 'a lower limit of the cost is not looser, nor is a new one',
    before: { limits: { deletes: 5, replaces: 5, cost: { monthly: 100, currency: 'EUR' } } },
    after: { limits: { deletes: 5, replaces: 5, cost: { monthly: 50, currency: 'EUR' } } },
    want: [],
  },
  {
    reason: 'a mode that lets more be done is looser',
    after: { modes: { [web]: 'enforce', [db]: 'enforce' } },
    want: ['mode plan → enforce of instance web', 'mode observe → enforce of instance db'],
  },
  { reason: 'a stricter mode is not', after: { modes: { [web]: 'observe', [db]: 'observe' } }, want: [] },
  { reason: 'a document that goes has no mode', after: { modes: {} }, want: [] },
  { reason: 'protection that goes', after: { protected: [db] }, want: ['protect of instance web'] },
  {
    reason: 'a deletion policy that deletes',
    after: { policies: { [web]: 'delete', [db]: 'delete' } },
    want: ['deletionPolicy retain → delete of instance web, instance db'],
  },
  {
    reason: 'policies in force that go or change; new ones are stricter',
    before: { enforced: [policy('a'), policy('b')] },
    after: { enforced: [policy('b', [{ name: 'x', deny: 'true', message: 'no' }]), policy('c')] },
    want: ['policy a (goes)', 'policy b (changes)'],
  },
  {
    reason: 'a record of other scopes, or with its fields in another order, is the same policy',
    before: { enforced: [{ ...policy('a'), scopes: ['memory/acme/north'] }] },
    after: { enforced: [{ exemptions: [], rules: [], kinds: [], mode: 'enforce', name: 'a' }] },
    want: [],
  },
  {
    reason: 'windows and freezes',
    before: {
      calendar: {
        windows: [{ name: 'office', ...window }],
        freezes: [{ name: 'xmas', from: '2026-12-24T00:00', to: '2026-12-27T00:00', timeZone: 'UTC', reason: 'x' }],
        scopes: {},
      },
    },
    after: { calendar: { windows: [{ name: 'office', ...window, to: '18:00' }], freezes: [], scopes: {} } },
    want: ['window office (changes)', 'freeze xmas (goes)'],
  },
  {
    reason: 'drift that was reported and is healed',
    before: {
      remediation: {
        scopes: {
          'aws/1/eu-west-1': { 'instance.power': 'report' },
          'aws/1/us-east-1': { 'instance.power': 'propose' },
        },
        documents: { [web]: { 'instance.size': 'propose' } },
      },
    },
    after: {
      remediation: { scopes: { 'aws/1/us-east-1': { 'instance.power': 'report' } }, documents: { [web]: {} } },
    },
    want: ['remediation of instance web', 'remediation of aws/1/eu-west-1'],
  },
  {
    reason: 'a document without a word of its own has that of its scope',
    before: { remediation: { scopes: {}, documents: { [web]: { 'instance.size': 'propose' } } } },
    after: { remediation: none },
    want: ['remediation of instance web'],
  },
  {
    reason: 'a shorter grace than the usual one',
    after: {
      grace: { network: 86_400_000, subnet: 86_400_000, group: 86_400_000, 'firewall-rule': 0, instance: 60_000 },
    },
    want: ['deletionGracePeriod of instance 1 h → 1 min'],
  },
];

describe('looser guards of a later generation', () => {
  for (const { reason, before, after, want } of cases)
    it(reason, () => assert.deepEqual(loosenedGuards({ ...strict, ...before }, { ...strict, ...after }), want));

  it('of some documents: nothing of the estate', () => {
    const after: Guards = {
      ...strict,
      limits: { deletes: 50, replaces: 5 },
      protected: [],
      modes: { [db]: 'enforce' },
    };
    assert.deepEqual(
      loosenedGuards(strict, after, (document) => document === web),
      ['protect of instance web'],
    );
  });

  it('of many documents names five', () => {
    const names = Array.from({ length: 7 }, (_, i) => `aws/1/eu-west-1/instance/web-${i}`);
    assert.deepEqual(loosenedGuards({ ...strict, protected: names }, { ...strict, protected: [] }), [
      'protect of instance web-0, instance web-1, instance web-2, instance web-3, instance web-4 and 2 more',
    ]);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ChangeCalendar } from '../../src/core/change-windows.ts';
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
const window = { days: ['mon'], from: '08:00', to: '16:00', timeZone: 'UTC' } as const;
const office = { name: 'office', ...window } as const;
const xmas = {
  name: 'xmas',
  ...{ from: '2026-12-24T00:00', to: '2026-12-27T00:00', timeZone: 'UTC', reason: 'x' },
} as const;

/** With these windows and freezes. */
const during = (
  windows: ChangeCalendar['windows'],
  freezes: ChangeCalendar['freezes'] = [],
): { readonly calendar: ChangeCalendar } => ({ calendar: { windows, freezes, scopes: {} } });

const deny = { name: 'x', deny: 'resource.opens(22)', message: 'close it' } as const;
const ask = { name: 'x', requireApproval: 'true', message: 'ask' } as const;
const exemption = { resources: ['*/bastion'], owner: 'a', reason: 'x', until: '2027-01-31' } as const;

/** A policy before and after, and whether it is listed. */
const policyCases: readonly (readonly [string, Partial<PolicyRules>, Partial<PolicyRules>, boolean])[] = [
  ['a corrected message', { rules: [deny] }, { rules: [{ ...deny, message: 'close the port' }] }, false],
  ['a rule more', { rules: [deny] }, { rules: [{ ...deny, name: 'y' }, deny] }, false],
  ['a rule less', { rules: [deny, { ...deny, name: 'y' }] }, { rules: [deny] }, true],
  ['another name of a rule', { rules: [deny] }, { rules: [{ ...deny, name: 'y' }] }, true],
  [
    'a rule that only warned goes',
    { rules: [{ name: 'w', warn: 'true', message: 'w' }, deny] },
    { rules: [deny] },
    false,
  ],
  ['a rule that only warns now', { rules: [deny] }, { rules: [{ name: 'x', warn: deny.deny, message: 'x' }] }, true],
  [
    'a denial of all that needed approval',
    { rules: [ask] },
    { rules: [{ name: 'x', deny: 'true', message: '' }] },
    true,
  ],
  ['an approval instead of a denial', { rules: [{ name: 'x', deny: 'true', message: '' }] }, { rules: [ask] }, true],
  ['more approvers', { rules: [ask] }, { rules: [{ ...ask, approvers: { people: 2, role: 'net' } }] }, false],
  ['fewer approvers', { rules: [{ ...ask, approvers: { people: 2 } }] }, { rules: [ask] }, true],
  [
    'approvers of any role',
    { rules: [{ ...ask, approvers: { people: 1, role: 'net' } }] },
    { rules: [{ ...ask, approvers: { people: 1 } }] },
    true,
  ],
  ['a kind more', { kinds: ['instance'] }, { kinds: ['instance', 'group'] }, false],
  ['a kind less', { kinds: ['instance', 'group'] }, { kinds: ['instance'] }, true],
  ['a target more', { targets: ['eu'] }, { targets: ['us', 'eu'] }, false],
  ['all targets', { targets: ['eu'] }, {}, false],
  ['one target of all', {}, { targets: ['eu'] }, true],
  ['a new exemption', {}, { exemptions: [exemption] }, true],
  ['an exemption less', { exemptions: [exemption] }, {}, false],
  ['a longer exemption', { exemptions: [exemption] }, { exemptions: [{ ...exemption, until: '2027-02-01' }] }, true],
  [
    'a shorter exemption of fewer rules, for another reason',
    { exemptions: [exemption] },
    { exemptions: [{ ...exemption, rules: ['x'], until: '2027-01-30', reason: 'y' }] },
    false,
  ],
  ['an exemption from all rules', { exemptions: [{ ...exemption, rules: ['x'] }] }, { exemptions: [exemption] }, true],
  [
    'an exemption of more resources',
    { exemptions: [exemption] },
    { exemptions: [{ ...exemption, resources: ['*/bastion', '*'] }] },
    true,
  ],
];

const none: Guards['remediation'] = { scopes: {}, documents: {} };

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
    before: { enforced: [policy('a'), policy('b', [{ name: 'x', deny: 'true', message: 'no' }])] },
    after: { enforced: [policy('b', [{ name: 'x', deny: 'false', message: 'no' }]), policy('c')] },
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
    reason: 'two targets with a window and a freeze of one name, that do not change',
    before: during(
      [
        { ...office, target: 'eu' },
        { ...office, target: 'us', from: '10:00' },
      ],
      [{ ...xmas, target: 'eu' }],
    ),
    after: during(
      [
        { ...office, target: 'eu' },
        { ...office, target: 'us', from: '10:00' },
      ],
      [{ ...xmas, target: 'eu' }],
    ),
    want: [],
  },
  {
    reason: 'a new target with a window and a freeze of the same name',
    before: during([{ ...office, target: 'eu' }], [{ ...xmas, target: 'eu' }]),
    after: during(
      [
        { ...office, target: 'eu' },
        { ...office, target: 'us', to: '23:00' },
      ],
      [
        { ...xmas, target: 'eu' },
        { ...xmas, target: 'us', to: '2026-12-25T00:00' },
      ],
    ),
    want: [],
  },
  {
    reason: 'the window and the freeze of one of two targets change or go',
    before: during(
      [
        { ...office, target: 'eu' },
        { ...office, target: 'us' },
      ],
      [{ ...xmas, target: 'eu' }],
    ),
    after: during(
      [
        { ...office, target: 'eu' },
        { ...office, target: 'us', to: '23:00' },
      ],
      [{ ...xmas, target: 'us' }],
    ),
    want: ['window office of target us (changes)', 'freeze xmas of target eu (goes)'],
  },
  {
    reason: 'a window with fewer hours and days, of more owners; a longer freeze of all, for another reason',
    before: during([{ ...office, owners: ['a'] }], [{ ...xmas, owners: ['a'], target: 'eu' }]),
    after: during([{ ...office, from: '09:00', to: '15:00' }], [{ ...xmas, to: '2026-12-31T00:00', reason: 'y' }]),
    want: [],
  },
  {
    reason:
      'a window on another day, one in another time zone, one of fewer owners; a shorter freeze, one of fewer targets',
    before: during(
      [
        { ...office, target: 'a' },
        { ...office, target: 'b' },
        { ...office, target: 'c' },
      ],
      [xmas, { ...xmas, name: 'y' }],
    ),
    after: during(
      [
        { ...office, target: 'a', days: ['mon', 'tue'] },
        { ...office, target: 'b', timeZone: 'Europe/Berlin' },
        { ...office, target: 'c', owners: ['a'] },
      ],
      [
        { ...xmas, to: '2026-12-26T23:59' },
        { ...xmas, name: 'y', targets: ['eu'], from: '2026-12-01T00:00' },
      ],
    ),
    want: ['windows office of target a, office of target b, office of target c (change)', 'freezes xmas, y (change)'],
  },
  {
    reason: 'one of two windows goes, and the other is still for all of it',
    before: during([office, { ...office, name: 'late', from: '20:00', to: '22:00' }]),
    after: during([office]),
    want: [],
  },
  {
    reason: 'a window that comes beside others opens more hours; the first of a level does not',
    before: during([office]),
    after: during([office, { ...office, name: 'late', from: '20:00', to: '02:00' }, { ...office, target: 'eu' }]),
    want: ['window late (comes)'],
  },
  {
    reason: 'a night within another one is not longer',
    before: during([{ ...office, from: '20:00', to: '06:00' }]),
    after: during([{ ...office, from: '22:00', to: '05:00' }]),
    want: [],
  },
  {
    reason: 'a window that ends on the next day is longer',
    before: during([{ ...office, from: '04:00', to: '06:00' }]),
    after: during([{ ...office, from: '05:00', to: '04:30' }]),
    want: ['window office (changes)'],
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

  for (const [reason, before, after, isListed] of policyCases)
    it(`${isListed ? 'lists' : 'does not list'} a policy with ${reason}`, () => {
      const of = (fields: Partial<PolicyRules>): Guards => ({ ...strict, enforced: [{ ...policy('p'), ...fields }] });
      assert.deepEqual(loosenedGuards(of(before), of(after)), isListed ? ['policy p (changes)'] : []);
    });

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

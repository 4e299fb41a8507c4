import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Action } from '../../../src/core/action.ts';
import { onlyNarrows } from '../../../src/core/plan/narrowing.ts';
import type { RuleAttributes } from '../../../src/core/resource.ts';
import { attributes, create, desired, observed, remove, update } from '../../support/actions.ts';

const rule = (match: object, order?: RuleAttributes['order']): RuleAttributes => ({
  ...attributes.rule('core.web', { protocol: 'tcp', ports: '443', peers: ['10.0.0.0/8'], ...match }),
  ...(order === undefined ? {} : { order }),
});

const allows = rule({});
const denies = rule({ action: 'deny' });
const off = { priority: 1000, disabled: true };
const at = (priority: number) => ({ priority });

const changing = (from: RuleAttributes, to: RuleAttributes): Action =>
  update(desired('firewall-rule', 'r', to), observed('firewall-rule', 'sgr-1', from), [
    { field: 'match', from: 1, to: 2 },
  ]);

const rows: readonly (readonly [name: string, action: Action, narrows: boolean])[] = [
  ['a new rule that allows', create(desired('firewall-rule', 'r', allows)), false],
  ['a new rule that denies', create(desired('firewall-rule', 'r', denies)), true],
  ['a new rule that denies and is off', create(desired('firewall-rule', 'r', rule({ action: 'deny' }, off))), false],
  ['an allowing rule goes', remove('r', observed('firewall-rule', 'sgr-1', allows)), true],
  ['a denying rule goes', remove('r', observed('firewall-rule', 'sgr-1', denies)), false],
  ['a rule goes that is off', remove('r', observed('firewall-rule', 'sgr-1', rule({}, off))), false],
  ['fewer peers', changing(rule({ peers: ['0.0.0.0/0'] }), allows), true],
  ['any peer, and then a block', changing(rule({ peers: ['any'] }), allows), true],
  ['more peers', changing(allows, rule({ peers: ['0.0.0.0/0'] })), false],
  ['other peers', changing(rule({ peers: ['10.0.0.0/9'] }), rule({ peers: ['10.128.0.0/9'] })), false],
  ['fewer ports', changing(rule({ ports: 'all' }), allows), true],
  ['fewer ports and more peers', changing(rule({ ports: 'all' }), rule({ peers: ['any'] })), false],
  ['switched off', changing(rule({}, at(1000)), rule({}, off)), true],
  ['switched on', changing(rule({}, off), rule({}, at(1000))), false],
  ['a denial of more', changing(denies, rule({ action: 'deny', peers: ['any'] })), true],
  ['a denial of less', changing(rule({ action: 'deny', peers: ['any'] }), denies), false],
  ['a denial that is switched on', changing(rule({ action: 'deny' }, off), rule({ action: 'deny' }, at(1000))), true],
  ['a denial that is switched off', changing(rule({ action: 'deny' }, at(1000)), rule({ action: 'deny' }, off)), false],
  ['a lower priority', changing(rule({}, at(100)), rule({}, at(200))), false],
  ['a rule that comes to deny', changing(allows, denies), true],
  ['a rule that is off, and comes to deny', changing(rule({}, off), rule({ action: 'deny' }, off)), false],
  ['a rule that comes to allow', changing(denies, allows), false],
  [
    'another description',
    update(desired('firewall-rule', 'r', allows), observed('firewall-rule', 'sgr-1', allows), [
      { field: 'description', from: 'a', to: 'b' },
    ]),
    false,
  ],
];

describe('an action only narrows traffic', () => {
  for (const [name, action, narrows] of rows)
    it(`${name}: ${narrows}`, () => assert.equal(onlyNarrows(action), narrows));
});

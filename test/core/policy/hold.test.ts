import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Action } from '../../../src/core/action.ts';
import type { Violation } from '../../../src/core/policy/evaluate.ts';
import { policyHold } from '../../../src/core/policy/hold.ts';
import { at, attributes, create, desired, observed, remove, update } from '../../support/actions.ts';

const violation = (given: Partial<Violation> = {}): Violation => ({
  ...({ policy: 'open', rule: 'ssh', effect: 'deny', mode: 'enforce', kind: 'firewall-rule' } as const),
  ...{ message: 'Let in the bastion.', address: at('firewall-rule', 'core.web'), targets: ['t'] },
  document: { address: at('firewall-rule', 'core.web'), file: 'a.yaml', line: 1 },
  ...given,
});

const wide = attributes.rule('core.web', { peers: ['0.0.0.0/0'] });
const narrow = attributes.rule('core.web', { peers: ['10.0.0.0/8'] });
const wanted = (rule: typeof wide) => ({
  ...desired('firewall-rule', 'core.web-atom', rule),
  documents: [{ address: at('firewall-rule', 'core.web'), file: 'a.yaml', line: 1 }],
});
const changing = (from: typeof wide, to: typeof wide): Action =>
  update(wanted(to), observed('firewall-rule', 'sgr-1', from), [{ field: 'match.peers', from: 1, to: 2 }]);
const healing = (action: Action): Action => ({ ...action, cause: 'drift' });

const failed = { failed: 'no such key: owner' };
const rows: readonly (readonly [name: string, given: Partial<Violation>, action: Action, held: boolean])[] = [
  ['a new rule of its document', {}, create(wanted(wide)), true],
  ['a change of it', {}, changing(narrow, wide), true],
  ['a change that only narrows it', {}, changing(wide, narrow), true],
  ['the healing of drift', {}, healing(changing(narrow, wide)), true],
  ['the healing of drift that only narrows traffic', {}, healing(changing(wide, narrow)), false],
  ['no answer, and a change', failed, changing(narrow, wide), true],
  ['no answer, and a change that only narrows traffic', failed, changing(wide, narrow), false],
  ['its removal', {}, remove('core.web', observed('firewall-rule', 'sgr-1', wide)), false],
  ['a warning', { effect: 'warn' }, create(wanted(wide)), false],
  ['audit', { mode: 'audit' }, create(wanted(wide)), false],
  ['another document', { address: at('firewall-rule', 'core.db') }, create(wanted(wide)), false],
  ['another kind of that name', { kind: 'network' }, create(wanted(wide)), false],
];

describe('a violation of a policy holds', () => {
  for (const [name, given, action, held] of rows)
    it(`${name}: ${held}`, () =>
      assert.equal(policyHold([violation(given)])?.(action)?.code, held ? 'policy' : undefined));

  it('an object by its own address', () => {
    const hold = policyHold([violation({ kind: 'network', address: at('network', 'core') })]);
    assert.equal(hold?.(create(desired('network', 'core', attributes.network())))?.code, 'policy');
    assert.equal(hold?.(create(desired('network', 'other', attributes.network()))), undefined);
  });

  it('with the rule, the policy and the way to comply', () => {
    const why = (of: Partial<Violation>, before = false) =>
      policyHold(before ? [] : [violation(of)], before ? [violation(of)] : [])?.(create(wanted(wide)))?.why;
    const document = ` Its document is ${at('firewall-rule', 'core.web')}.`;
    assert.equal(why({}), `the rule ssh of the policy open denies it: Let in the bastion.${document}`);
    assert.equal(
      why(failed),
      `the rule ssh of the policy open has no answer for it (no such key: owner), which denies it: Let in the bastion.${document}`,
    );
    assert.match(why({}, true) ?? '', /core\.web\. \(as the policy was in the generation before; a looser one counts/);
  });

  it('nothing where nothing is denied', () => assert.equal(policyHold([violation({ mode: 'audit' })]), undefined));
});

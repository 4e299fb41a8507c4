import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dialect as azure } from '../../../providers/azure/dialect.ts';
import type { Dialect } from '../../../src/core/compile/dialect.ts';
import type { Desired } from '../../../src/core/desired.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import { allow, at, dialect as byContent, input, know, looked, ours, vpc, want } from './fixture.ts';

/** Compares without case and numbers its rules, as Azure does. */
const dialect: Dialect = {
  ...byContent,
  respell: (desired, observed) => azure.respell?.(desired, observed) ?? desired,
  rules: { ...byContent.rules, numbering: { first: 100, last: 4095, gap: 10 } },
};

const [core, app, web] = [at('network', 'core'), at('subnet', 'core.app'), at('group', 'core.web')];
const cidr = '10.0.1.0/24';
/** What stands, as it shall. */
const around = [
  want('network', 'core', vpc()),
  want('subnet', 'core.app', { network: core, cidr, labels: {} }),
  want('group', 'core.web', { network: core, labels: {} }),
];
const standing = [
  ours('network', 'core', 'vnet', vpc()),
  ours('subnet', 'core.app', 'sub', { network: 'vnet', cidr, labels: {} }),
  ours('group', 'core.web', 'asg', { network: 'vnet', labels: {} }),
];
const labelled = (labels: Record<string, string>) => want('network', 'blog', vpc('10.1.0.0/16', labels));
const rule = (priority: number, peers = ['10.0.0.0/8']) =>
  want('firewall-rule', 'core.web', { ...allow(web, '80', peers), order: { priority } });
const fixedRule = (priority: number): Desired => ({
  ...rule(priority),
  documents: [{ address: core, file: 'specs/a.yaml', line: 1 }],
});
const machine = (size: string) =>
  want('instance', 'web-0', {
    placement: { subnet: app, publicIp: false },
    machine: { image: 'ubuntu', size, power: 'running' },
    labels: {},
  });

/** `was`: as it was applied last; it vanished since. */
const rows: readonly {
  readonly name: string;
  readonly was: Desired;
  readonly is: Desired;
  readonly want: 'drift' | 'rollout';
}[] = [
  { name: 'the same', was: labelled({ a: '1' }), is: labelled({ a: '1' }), want: 'drift' },
  { name: 'another value', was: labelled({ a: '0' }), is: labelled({ a: '1' }), want: 'rollout' },
  { name: 'a key in another case', was: labelled({ Team: 'x' }), is: labelled({ team: 'x' }), want: 'drift' },
  {
    name: 'a key in another case, with another value',
    was: labelled({ Team: 'x' }),
    is: labelled({ team: 'y' }),
    want: 'rollout',
  },
  { name: 'one more key', was: labelled({ a: '1' }), is: labelled({ a: '1', b: '2' }), want: 'rollout' },
  { name: 'a size in another case', was: machine('Standard_B1s'), is: machine('standard_b1s'), want: 'drift' },
  { name: 'another size', was: machine('standard_b1s'), is: machine('standard_b2s'), want: 'rollout' },
  { name: 'a rule that gets another number', was: rule(350), is: rule(1000), want: 'drift' },
  {
    name: 'a rule that gets another number, for others',
    was: rule(350),
    is: rule(1000, ['11.0.0.0/8']),
    want: 'rollout',
  },
  { name: 'a rule with a fixed number: another one', was: fixedRule(4096), is: fixedRule(4095), want: 'rollout' },
];

describe('why what vanished comes back', () => {
  for (const { name, was, is, want: cause } of rows)
    test(`${name}: ${cause}`, () => {
      const knowledge = know(standing, {
        applied: new Map([[is.address, { attributes: was.attributes, generation: 1 }]]),
      });
      const { actions } = plan({ ...input([...around, is], looked(standing), { knowledge }), dialect });
      assert.deepEqual(
        actions.map((action) => [action.verb, action.address, action.cause]),
        [['create', is.address, cause]],
      );
    });

  test('where a cloud gives no numbers, a number is what its spec says', () => {
    const applied = new Map([[rule(1).address, { attributes: rule(1).attributes, generation: 1 }]]);
    const given = input([...around, rule(2)], looked(standing), { knowledge: know(standing, { applied }) });
    assert.deepEqual(
      plan(given).actions.map(({ cause }) => cause),
      ['rollout'],
    );
  });
});

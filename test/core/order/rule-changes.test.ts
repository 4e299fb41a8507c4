import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Action } from '../../../src/core/action.ts';
import { trafficChange } from '../../../src/core/order/rule-changes.ts';
import type { RuleAttributes } from '../../../src/core/resource.ts';
import { attributes, desired, observed, update } from '../../support/actions.ts';

type Update = Extract<Action, { verb: 'update' }>;
const changing = (from: RuleAttributes, to: RuleAttributes, fields: readonly string[] = ['match']): Update =>
  // why: `update` makes no other
  update(
    desired('firewall-rule', 'r', to),
    observed('firewall-rule', 'sgr-1', from),
    fields.map((field) => ({ field, from: 1, to: 2, effect: 'in-place' })),
  ) as Update;

const protocols = ['all', 'tcp', 'udp'] as const;
const ports = ['80', '80-81', '80,82', '443', 'all'] as const;
const peers = [['10.0.0.0/8'], ['10.0.0.0/8', '192.168.0.0/16'], ['192.168.0.0/16']] as const;
const targets = [undefined, ['a'], ['a', 'b']] as const;

const rules: readonly RuleAttributes[] = protocols.flatMap((protocol) =>
  ports.flatMap((range) =>
    peers.flatMap((some) =>
      targets.map((those) =>
        attributes.rule('core.web', { protocol, ports: range, peers: some, ...(those && { targets: those }) }),
      ),
    ),
  ),
);

/** Each single stream of traffic that the rule speaks of, in a world of two protocols, five ports and three machines. */
function streamsOf({ match }: RuleAttributes): ReadonlySet<string> {
  const numbers: Readonly<Record<string, readonly number[]>> = {
    '80': [80],
    '80-81': [80, 81],
    '80,82': [80, 82],
    '443': [443],
  };
  return new Set(
    (match.protocol === 'all' ? ['tcp', 'udp', 'gre'] : [match.protocol]).flatMap((protocol) =>
      (numbers[match.ports] ?? [80, 81, 82, 443, 8080]).flatMap((port) =>
        match.peers.flatMap((peer) =>
          (match.targets ?? ['a', 'b', 'c']).map((machine) => `${protocol} ${port} ${peer} ${machine}`),
        ),
      ),
    ),
  );
}

describe('how an update of a rule changes its traffic', () => {
  it('it widens where nothing is taken, shrinks where nothing is added, and changes otherwise', () => {
    for (const from of rules)
      for (const to of rules) {
        const [before, after] = [streamsOf(from), streamsOf(to)];
        const narrower = after.isSubsetOf(before) ? 'shrinks' : 'changes';
        const other = before.isSubsetOf(after) ? 'widens' : narrower;
        assert.equal(trafficChange(changing(from, to)), other, JSON.stringify([from.match, to.match]));
      }
  });

  const rule = attributes.rule('core.web');
  for (const [fields, touches] of [
    [['match'], true],
    [['match.ports'], true],
    [['order'], true],
    [['order.priority'], true],
    [['order.disabled'], true],
    [['order.log'], false],
    [['description'], false],
    [['labels.match'], false],
    [['matches'], false],
    [['reorder'], false],
    [[], false],
    [['description', 'order.log'], false],
    [['order.log', 'match.peers'], true],
  ] as const)
    it(`${fields.join(', ') || 'nothing'} ${touches ? 'touches' : 'does not touch'} traffic`, () =>
      assert.equal(trafficChange(changing(rule, rule, fields)), touches ? 'widens' : undefined));

  it('nothing but a rule has traffic', () => {
    const net = desired('network', 'core', attributes.network());
    const seen = observed('network', 'vpc-1', attributes.network());
    // why: `update` makes no other
    assert.equal(trafficChange(update(net, seen, [{ field: 'match', from: 1, to: 2 }] as never) as Update), undefined);
  });

  const wide = attributes.rule('core.web', { peers: ['0.0.0.0/0', '10.0.0.0/8'] });
  const peered = (peers: readonly string[]): RuleAttributes => attributes.rule('core.web', { peers });
  const ordered = (of: RuleAttributes, order: object): RuleAttributes => ({
    ...of,
    order: { priority: 100, ...order },
  });
  const rows: readonly (readonly [name: string, from: RuleAttributes, to: RuleAttributes, want: string])[] = [
    ['another action', rule, attributes.rule('core.web', { action: 'deny' }), 'changes'],
    ['another direction', rule, attributes.rule('core.web', { direction: 'egress' }), 'changes'],
    ['peers that lie in a block', peered(['0.0.0.0/0']), peered(['10.0.0.0/8', '192.168.1.1/32']), 'shrinks'],
    ['a block around its peers', peered(['10.0.0.0/9']), peered(['10.0.0.0/8']), 'widens'],
    ['any peer in place of a group', peered(['group:g']), peered(['any']), 'changes'],
    ['switched off', ordered(rule, {}), ordered(rule, { disabled: true }), 'shrinks'],
    ['switched on', ordered(rule, { disabled: true }), ordered(rule, {}), 'widens'],
    [
      'switched on, elsewhere among the rules',
      ordered(rule, { disabled: true }),
      ordered(rule, { priority: 7 }),
      'widens',
    ],
    ['off before and after', ordered(rule, { disabled: true }), ordered(wide, { disabled: true }), 'changes'],
    ['another place among the rules', ordered(rule, {}), ordered(wide, { priority: 101 }), 'changes'],
    ['the same place', ordered(rule, {}), ordered(wide, {}), 'widens'],
    ['ports that nobody can read', rule, attributes.rule('core.web', { ports: '8/0' }), 'changes'],
  ];
  for (const [name, from, to, wanted] of rows) it(name, () => assert.equal(trafficChange(changing(from, to)), wanted));
});

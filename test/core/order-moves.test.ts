import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Action } from '../../src/core/action.ts';
import type { Surroundings } from '../../src/core/order/neighbours.ts';
import { order } from '../../src/core/order/order.ts';
import { at, attributes, create, desired, observed, remove, update } from '../support/actions.ts';

const g = (name: string): string => at('group', name);
const peers = (name: string) => ({ peers: [`group:${g(name)}`] });

/** `web-0` moves from `core.a` to `core.b`; `core.both` it stays in. */
const groupsThen = ['core.a', 'core.both'];
const groupsNow = ['core.b', 'core.both'];
const move = update(
  desired('instance', 'web-0', attributes.instance('core.app', groupsNow)),
  observed('instance', 'i-1', attributes.instance('core.app', groupsThen)),
  [{ field: 'groups', from: groupsThen, to: groupsNow }],
);
const around: Surroundings = {
  members: [{ before: groupsThen.map(g), after: groupsNow.map(g), blocks: ['10.0.1.0/24'] }],
  blocks: ['10.0.1.0/24'],
  isWhole: true,
  standing: [],
  wanted: [],
};

const made = (name: string): Action =>
  create(desired('firewall-rule', 'rule', attributes.rule('core.db', peers(name))));
const gone = (name: string): Action =>
  remove('rule', observed('firewall-rule', 'sgr-1', attributes.rule('core.db', peers(name))));
const madeIn = (name: string): Action => create(desired('firewall-rule', 'rule', attributes.rule(name)));
const goneIn = (name: string): Action => remove('rule', observed('firewall-rule', 'sgr-1', attributes.rule(name)));

/** Which of the two waits for the other, whatever gates are between. */
function waits(rule: Action): string {
  const actions = [move, rule];
  const { steps, gates } = order(actions, around);
  const nodes = [...steps, ...gates];
  const reached = (from: number): ReadonlySet<number> => {
    const seen = new Set<number>();
    const open = [from];
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      const { needs = [], follows = [] } = nodes[one] ?? {};
      for (const next of [...needs, ...follows]) if (!seen.has(next)) open.push(next);
      seen.add(one);
    }
    return seen;
  };
  const [machineWaits, ruleWaits] = [reached(0).has(1), reached(1).has(0)];
  if (machineWaits && ruleWaits) return 'both';
  if (!machineWaits && !ruleWaits) return 'neither';
  return machineWaits ? 'the machine' : 'the rule';
}

/** The table above `orderMoves`. */
describe('a machine that changes groups, and a rule that names one of them', () => {
  const rows: readonly (readonly [name: string, rule: Action, waits: string])[] = [
    ['a new rule that names a group it joins', made('core.b'), 'the machine'],
    ['a new rule of a group it joins', madeIn('core.b'), 'the machine'],
    ['a new rule that names a group it leaves', made('core.a'), 'the rule'],
    ['a new rule of a group it leaves', madeIn('core.a'), 'the rule'],
    ['an old rule that names a group it joins', gone('core.b'), 'the machine'],
    ['an old rule of a group it joins', goneIn('core.b'), 'the machine'],
    ['a new rule that names a group it stays in', made('core.both'), 'neither'],
    // both ends count: what it joins may answer at the other end, as long as the old rule stands
    ['an old rule that names a group it stays in, while it joins another', gone('core.both'), 'the machine'],
    ['a new rule that names another group', made('core.other'), 'neither'],
    ['an old rule that names another group', gone('core.other'), 'neither'],
  ];
  for (const [name, rule, who] of rows) it(`${name}: ${who} waits`, () => assert.equal(waits(rule), who));

  it('the gates do not grow with the rules that share a bundle', () => {
    const rules = (many: number): readonly Action[] =>
      Array.from({ length: many }, (_, i) => [
        create(desired('firewall-rule', `new-${i}`, attributes.rule('core.web', { ports: `${1000 + i}-9000` }))),
        remove(
          `old-${i}`,
          observed('firewall-rule', `sgr-${i}`, attributes.rule('core.web', { ports: `${2000 + i}` })),
        ),
      ]).flat();
    const gatesOf = (many: number): number => order(rules(many), around).gates.length;
    assert.ok(gatesOf(64) <= 2 * gatesOf(32), `${gatesOf(32)} and ${gatesOf(64)}`);
  });
});

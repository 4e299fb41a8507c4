import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Desired } from '../../../src/core/desired.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import type { PlanInput } from '../../../src/core/plan/plan-input.ts';
import type { Rollout } from '../../../src/core/rollout.ts';
import { allow, at, input, know, looked, ours, settle, vpc, want } from './fixture.ts';
import { holding, planOf } from './roll-on.ts';
import { lastOf, machines, standing, told } from './rollouts.ts';
import { summary } from './summary.ts';

const net = want('network', 'core', vpc());
const subnet = (name: string): Desired => ({
  ...want('subnet', name, { network: net.address, cidr: '10.0.1.0/24', labels: {} }),
  documents: net.documents,
});
const rolledOut = (given: PlanInput, document: string, rollout: Rollout): PlanInput => ({
  ...given,
  wanted: {
    ...given.wanted,
    documents: new Map([
      ...given.wanted.documents,
      [document, { mode: 'plan', protect: false, targets: ['prod'], rollout }],
    ]),
  },
});

test('machines go by their ordinals, in whatever order they were read', () => {
  const given = machines({ replicas: 12, there: standing(0, 11, 'old'), rollout: [3, 'rest'] });
  const desired = given.wanted.desired.toSorted((a, b) => (a.address < b.address ? -1 : 1));
  for (const order of [desired, desired.toReversed()]) {
    const { actions } = plan({ ...given, wanted: { ...given.wanted, desired: order } });
    assert.deepEqual(
      actions.map(({ address }) => lastOf(address)),
      ['web-0', 'web-1', 'web-2'],
    );
  }
});

test('a subnet that takes the block of another goes after it, though what is made goes first otherwise', () => {
  const seen = [
    ours('network', 'core', 'vpc-1', vpc()),
    ours('subnet', 'core.old', 'subnet-1', { network: 'vpc-1', cidr: '10.0.1.0/24', labels: {} }),
  ];
  const settled = new Map([
    ...know(seen).settled,
    ['subnet-1', settle('subnet', at('subnet', 'core.old'), { deletionPolicy: 'delete' })] as const,
  ]);
  const given = input([net, subnet('core.new')], looked(seen), { knowledge: know(seen, { settled }) });
  assert.deepEqual(summary(plan(rolledOut(given, net.address, [2, 'rest']))), [
    'delete subnet/core.old (removed)',
    'withheld subnet/core.new: wave',
  ]);
});

test('drift is healed though what comes before it waits for its wave', () => {
  const ground = [
    net,
    subnet('core.app'),
    ...['a', 'b'].map((name) => want('group', `core.${name}`, { network: net.address, labels: {} })),
  ];
  const box = (group: string): Desired =>
    want('instance', 'box-0', {
      placement: { subnet: at('subnet', 'core.app'), publicIp: false },
      groups: [at('group', group)],
      machine: { image: 'a', size: 's', power: 'running' },
      labels: {},
    });
  const rules = ['1', '2'].map(
    (port): Desired => ({
      ...want(
        'firewall-rule',
        `core.a ingress tcp ${port} 10.0.0.0/8`,
        allow(at('group', 'core.a'), port, ['10.0.0.0/8']),
      ),
      documents: [{ address: at('firewall-rule', 'core.in'), file: 'specs/a.yaml', line: 1 }],
    }),
  );
  const { there } = holding([...ground, box('core.b')]);
  const { applied } = holding([...ground, box('core.a')]);
  const { wanted } = rolledOut(
    input([...ground, ...rules, box('core.a')], looked([])),
    at('firewall-rule', 'core.in'),
    [1, 'rest'],
  );
  assert.deepEqual(summary(planOf(wanted, { there, applied })), [
    'create firewall-rule/core.a ingress tcp 1 10.0.0.0/8',
    'update instance/box-0',
    'withheld firewall-rule/core.a ingress tcp 2 10.0.0.0/8: wave',
  ]);
});

test('what the store only lets go of keeps no wave waiting', () => {
  const given = machines({
    replicas: 4,
    there: [...standing(0, 0, 'new'), ...standing(1, 3, 'old')],
    rollout: [1, 1, 'rest'],
  });
  const settled = new Map([
    ...given.knowledge.settled,
    ['i-lost', settle('instance', at('instance', 'web-0'))] as const,
  ]);
  assert.deepEqual(told(plan({ ...given, knowledge: { ...given.knowledge, settled } })), [
    'replace web-1',
    'forget web-0',
    '2 wave: wave 2 of 3: 1 of 4 done; waits for web-1',
  ]);
});

test('what a person chose to prune goes at once', () => {
  const seen = ['a', 'b', 'c'].map((name) => ours('network', name, `vpc-${name}`, vpc()));
  const given = input([], looked(seen), {
    choices: { prune: new Set(['a', 'b', 'c'].map((name) => at('network', name))) },
  });
  const made = plan({ ...given, wanted: { ...given.wanted, rollout: [1, 'rest'] } });
  assert.equal(made.actions.length, 3);
});

test('a rule that outranks another of the opposite goes in an earlier wave, whatever their names', () => {
  const rule = (name: string, action: 'allow' | 'deny'): Desired => {
    const { group: _, ...rest } = allow('', '443', ['10.0.0.0/8']);
    const attributes = {
      ...rest,
      match: { ...rest.match, action },
      order: { priority: action === 'deny' ? 2000 : 1000 },
    };
    return {
      ...want('firewall-rule', name, attributes, { deletionPolicy: 'delete' }),
      documents: [{ address: at('firewall-rule', 'core.in'), file: 'specs/a.yaml', line: 1 }],
    };
  };
  const rules = [rule('core.a', 'deny'), rule('core.b', 'allow')];
  const { wanted } = rolledOut(input([net, ...rules], looked([])), at('firewall-rule', 'core.in'), [1, 'rest']);
  assert.deepEqual(summary(planOf(wanted, holding([net]))), [
    'create firewall-rule/core.b',
    'withheld firewall-rule/core.a: wave',
  ]);
});

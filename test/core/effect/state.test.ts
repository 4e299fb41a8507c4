import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Action } from '../../../src/core/action.ts';
import { changesBetween } from '../../../src/core/effect/differences.ts';
import { allServices, noServices, oneService, type Services } from '../../../src/core/effect/service-set.ts';
import { observedState, statesOf } from '../../../src/core/effect/state.ts';
import { at, see, want } from '../plan/fixture.ts';
import { type EstateDraft, inputOf, resourcesOf } from './estate.ts';

const draft: EstateDraft = {
  cloud: 'aws',
  machines: [{ name: 'web-0', groups: ['web'] }],
  rules: [{ name: 'ssh', text: 'tcp 22 from 0.0.0.0/0 to web' }],
};
const input = inputOf(draft);
const withMore = (...more: Parameters<typeof see>[]) => ({
  ...input,
  observation: {
    ...input.observation,
    resources: [...input.observation.resources, ...more.map(([kind, id, attributes]) => see(kind, id, attributes))],
  },
});

describe('the state before and after a plan', () => {
  test('Refs are addresses where they point at objects of ours', () => {
    const { machines, subnets, rules } = observedState(input);
    assert.equal(machines.get(at('instance', 'web-0'))?.network, at('network', 'core'));
    assert.ok(subnets.has(at('subnet', 'core.near')));
    assert.equal(rules[0]?.attributes.network, at('network', 'core'));
  });

  test('of two that claim one address both count, and the plan deletes the one that it names', () => {
    const twin = {
      ...(resourcesOf(draft).find(({ id }) => id === 'web-0') ?? see('network', '', { labels: {} })),
      id: 'twin',
    };
    const twice = {
      ...input,
      observation: { ...input.observation, resources: [...input.observation.resources, twin] },
    };
    twice.knowledge = {
      ...input.knowledge,
      settled: new Map([...input.knowledge.settled, ['twin', { ...input.knowledge.settled.get('web-0') }]]),
    } as typeof input.knowledge; // why: as the first is settled
    const remove = {
      kind: 'instance',
      address: at('instance', 'web-0'),
      documents: [],
      cause: 'drift',
      verb: 'delete',
      observed: twin,
      because: 'twin',
    } as const;
    const { before, after } = statesOf([remove], twice);
    assert.deepEqual(
      [[...before.machines.keys()], [...after.machines.keys()]],
      [[at('instance', 'web-0'), 'twin'], [at('instance', 'web-0')]],
    );
  });

  test('an adopted object has its address from before the plan on, and changes nothing', () => {
    const theirs = withMore(
      ['network', 'vpc-9', { cidr: '10.9.0.0/16', internet: true, labels: {} }],
      ['subnet', 'subnet-9', { network: 'vpc-9', cidr: '10.9.0.0/24', labels: {} }],
    );
    const observed = theirs.observation.resources.find(({ id }) => id === 'vpc-9');
    assert.ok(observed);
    const adopt: Action = {
      ...{ kind: 'network', address: at('network', 'nine'), documents: [], cause: 'rollout', verb: 'adopt', observed },
      ...{ desired: want('network', 'nine', { cidr: '10.9.0.0/16', internet: false, labels: {} }), changes: [] },
    };
    const forget: Action = {
      kind: 'network',
      address: at('network', 'gone'),
      documents: [],
      cause: 'drift',
      verb: 'forget',
      id: 'gone',
      because: 'gone',
    };
    const { before, after } = statesOf([adopt, forget], theirs);
    for (const state of [before, after]) {
      assert.equal(state.networks.get(at('network', 'nine'))?.internet, true);
      assert.equal(state.subnets.get('subnet-9')?.network, at('network', 'nine'));
    }
  });
});

describe('the way out after a plan', () => {
  for (const internet of [true, false])
    test(`a way out that ${internet ? 'comes' : 'goes'} is a route that ${internet ? 'comes' : 'goes'}`, () => {
      const own = { destination: '0.0.0.0/0', nextHop: internet ? 'nat-1' : 'igw-1' };
      const peer = { destination: '10.9.0.0/16', nextHop: 'pcx-1' };
      const routed = inputOf({
        ...draft,
        subnets: { near: { internet: !internet, settings: { routes: [own, peer] } } },
      });
      const observed = routed.observation.resources.find(({ id }) => id === 'subnet-near');
      assert.ok(observed);
      const update: Action = {
        ...{
          kind: 'subnet',
          address: at('subnet', 'core.near'),
          documents: [],
          cause: 'rollout',
          verb: 'update',
          observed,
        },
        desired: want('subnet', 'core.near', {
          network: at('network', 'core'),
          cidr: '10.0.1.0/24',
          internet,
          labels: {},
        }),
        ...{
          changes: [
            { field: 'internet', to: internet },
            { field: 'labels.a.b', to: 'x' },
          ],
          effect: 'in-place',
        },
      };
      const { routes, internet: is } = statesOf([update], routed).after.subnets.get(at('subnet', 'core.near')) ?? {};
      assert.equal(is, internet);
      assert.deepEqual(routes, [peer, ...(internet ? [{ destination: '0.0.0.0/0', nextHop: 'igw-new' }] : [])]);
    });
});

describe('changes between what passes before and after', () => {
  const ssh = oneService('tcp', [{ from: 22, to: 22 }]);
  const passing = (sure: Services, may = sure, ...doubts: readonly string[]) => ({
    ...{ sure, may },
    doubts: doubts.map((content) => ({ content, services: ssh })),
  });
  for (const [name, before, after, want] of [
    ['nothing', passing(ssh), passing(ssh), []],
    ['opened', passing(noServices), passing(ssh), ['opens']],
    ['cut', passing(ssh), passing(noServices), ['cuts']],
    ['perhaps opened', passing(noServices), passing(noServices, ssh, 'a'), ['may-open']],
    ['more certain than before', passing(noServices, ssh, 'a'), passing(ssh), ['may-open']],
    ['less certain than before', passing(ssh), passing(noServices, ssh, 'a'), ['may-cut']],
    ['perhaps cut', passing(noServices, ssh, 'a'), passing(noServices), ['may-cut']],
    ['perhaps, for another reason', passing(noServices, ssh, 'a'), passing(noServices, ssh, 'b'), ['may-open']],
    ['perhaps, for the same reason', passing(noServices, ssh, 'a'), passing(noServices, ssh, 'a'), []],
    [
      'only possible where something else decides',
      { ...passing(noServices, allServices), byRules: passing(noServices) },
      { ...passing(noServices, allServices), byRules: passing(ssh) },
      ['may-open'],
    ],
  ] as const)
    test(name, () =>
      assert.deepEqual(
        changesBetween(before, after).map(([kind]) => kind),
        want,
      ),
    );
});

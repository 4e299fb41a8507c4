import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dialect as aws } from '../../providers/aws/dialect.ts';
import { dialect as azure } from '../../providers/azure/dialect.ts';
import { dialect as gcp } from '../../providers/gcp/dialect.ts';
import type { Action } from '../../src/core/action.ts';
import type { Desired } from '../../src/core/desired.ts';
import { predictedCalls } from '../../src/core/plan/plan.ts';
import type { Attributes, Kind } from '../../src/core/resource.ts';
import { at, see, vpc, want } from '../core/plan/fixture.ts';

const limits = { 'instance/create': 100, 'instance/delete': 1000, 'firewall-rule/create': 60 } as const;

const machine = (power: 'running' | 'stopped', labels = {}): Attributes['instance'] => ({
  placement: { subnet: at('subnet', 'core.app'), publicIp: true },
  machine: { image: 'i', size: 's', power },
  labels,
});

const creation = (desired: Desired): Action => ({
  ...{ kind: desired.kind, address: desired.address, documents: [], cause: 'rollout' },
  ...{ verb: 'create', desired, because: 'absent' },
});
const machines = (count: number, attributes: Attributes['instance']): readonly Action[] =>
  Array.from({ length: count }, (_, n) => creation(want('instance', `web-${n}`, attributes)));

function update<K extends Kind>(kind: K, attributes: Attributes[K], fields: Readonly<Record<string, unknown>>): Action {
  const desired = want(kind, kind === 'instance' ? 'web-0' : 'core', attributes);
  const changes = Object.entries(fields).map(([field, to]) => ({ field, to }));
  return {
    ...{ kind, address: desired.address, documents: [], cause: 'drift' },
    ...{ verb: 'update', desired, observed: see(kind, 'x-1', attributes), changes, effect: 'in-place' },
  };
}

const rule = (name: string, group: string): Action =>
  creation(
    want('firewall-rule', name, {
      network: at('network', 'core'),
      group: at('group', group),
      match: { direction: 'ingress', action: 'allow', protocol: 'tcp', ports: name, peers: ['0.0.0.0/0'] },
      description: '',
    }),
  );
/** Held by its network, as on Azure. */
const ruleInNetwork = (name: string, target: string): Action =>
  creation(
    want('firewall-rule', name, {
      network: at('network', 'core'),
      match: {
        ...{ direction: 'ingress', action: 'allow', protocol: 'tcp', ports: name, peers: ['0.0.0.0/0'] },
        targets: [at('group', target)],
      },
      description: '',
    }),
  );
const group = (name: string): Action => creation(want('group', name, { network: at('network', 'core'), labels: {} }));

const cases: readonly (readonly [name: string, actions: readonly Action[], want: readonly [number, number, number]])[] =
  [
    ['a closed network', [creation(want('network', 'core', { internet: false, labels: {} }))], [1, 2, 2]],
    ['a network with a way out', [creation(want('network', 'core', { internet: true, labels: {} }))], [5, 1, 2]],
    ['one machine', machines(1, machine('running')), [1, 1, 4]],
    ['three machines: names on AWS', machines(3, machine('running')), [4, 3, 12]],
    ['three machines with a name that the spec states', machines(3, machine('running', { Name: 'x' })), [1, 3, 12]],
    ['a machine that is to stand still', machines(1, machine('stopped')), [2, 2, 5]],
    ['labels', [update('instance', machine('running'), { 'labels.a': '1' })], [1, 1, 1]],
    ['labels of a network, which Google Cloud has not', [update('network', vpc(), { 'labels.a': '1' })], [1, 0, 1]],
    ['a label taken away', [update('instance', machine('running'), { 'labels.a': undefined })], [1, 1, 1]],
    ['size of a machine that runs', [update('instance', machine('running'), { 'machine.size': 'l' })], [3, 3, 3]],
    [
      'size of a machine that stands still',
      [update('instance', machine('stopped'), { 'machine.size': 'l' })],
      [1, 1, 1],
    ],
    ['rules of one group that stands', [rule('1', 'core.web'), rule('2', 'core.web')], [1, 2, 1]],
    [
      'rules that wait for groups which come one after another',
      [group('core.all'), group('core.web'), ruleInNetwork('1', 'core.all'), ruleInNetwork('2', 'core.web')],
      [4, 4, 4],
    ],
  ];

for (const [name, actions, [onAws, onGcp, onAzure]] of cases)
  test(`requests that change something: ${name}`, () => {
    const predicted = [aws, gcp, azure].map((dialect) => predictedCalls(actions, { batches: limits, dialect }));
    assert.deepEqual(predicted, [onAws, onGcp, onAzure]);
  });

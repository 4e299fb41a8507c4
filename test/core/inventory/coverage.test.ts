import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type CountedObject,
  coverageOf,
  type Grouping,
  groupsOf,
  isUnmanaged,
} from '../../../src/core/inventory/coverage.ts';
import { allow, scope, vpc } from '../plan/fixture.ts';
import { machine } from './fixture.ts';

const object = (kind: CountedObject['kind'], id: string, more: Partial<CountedObject> = {}): CountedObject => ({
  ...{ kind, id, name: '', claim: 'unmanaged', status: 'Unmanaged' },
  attributes: vpc(),
  ...more,
});
const ours = { claim: 'ours', status: 'InSync' } as const;
const orphan = { claim: 'orphan', status: 'Orphan' } as const;
const adoptedSoon = { claim: 'unmanaged', status: 'Pending' } as const;
const eks = { why: 'service-child', detail: 'made by EKS for cluster a', maker: 'EKS' } as const;

const objects = [
  object('network', 'vpc-1', { ...ours, name: 'core', address: `${scope}/network/core` }),
  object('network', 'vpc-2', { name: 'lab' }),
  object('network', 'vpc-3', orphan),
  object('network', 'vpc-4', adoptedSoon),
  object('subnet', 'subnet-2', { attributes: { network: 'vpc-2', cidr: '10.0.1.0/24', labels: {} } }),
  object('instance', 'i-1', {
    attributes: { placement: { subnet: 'subnet-2', publicIp: false }, machine, labels: {} },
    claim: 'copied-mark',
  }),
  object('group', 'sg-1', { attributes: { network: `${scope}/network/core`, labels: {} }, origin: eks }),
  object('firewall-rule', 'sgr-1', { attributes: allow('sg-1', '22', ['0.0.0.0/0']) }),
  object('firewall-rule', 'sgr-2', { attributes: allow('sg-9', '22', ['0.0.0.0/0']) }),
];
const whole = [{ scope, gaps: [], objects }];

describe('coverage', () => {
  test('counts what documents manage: ours and what they adopt, and no orphan', () => {
    const { kinds, ...all } = coverageOf(whole, []);
    assert.deepEqual(all, { managed: 2, objects: 9, complete: true, ignored: 0 });
    assert.deepEqual(
      kinds.map((one) => `${one.kind} ${one.managed}/${one.objects}`),
      ['network 2/4', 'subnet 0/1', 'group 0/1', 'firewall-rule 0/2', 'instance 0/1'],
    );
    assert.deepEqual(
      objects.filter(isUnmanaged).map(({ id }) => id),
      ['vpc-2', 'subnet-2', 'i-1', 'sg-1', 'sgr-1', 'sgr-2'],
    );
  });

  test('of a listing with a gap is incomplete, for that kind and as a whole; other kinds stay complete', () => {
    const { kinds, complete } = coverageOf([{ ...whole[0], scope, objects, gaps: [{ kind: 'subnet' }] }], []);
    assert.equal(complete, false);
    assert.deepEqual(
      kinds.filter((one) => !one.complete).map(({ kind }) => kind),
      ['subnet'],
    );
  });

  test('leaves ignored objects out of all numbers, and counts them', () => {
    const ignored = objects.map((one) => (isUnmanaged(one) ? { ...one, ignored: {} } : one));
    const { managed, objects: counted, ignored: left } = coverageOf([{ scope, gaps: [], objects: ignored }], []);
    assert.deepEqual([managed, counted, left, ignored.filter(isUnmanaged)], [2, 3, 6, []]);
  });

  test('names a kind that was not listed at all', () => {
    const { kinds } = coverageOf([{ scope, objects: [], gaps: [{ kind: 'instance' }] }], []);
    assert.deepEqual(kinds, [{ kind: 'instance', managed: 0, objects: 0, complete: false }]);
  });

  test('is incomplete in each kind while a scope was never observed', () => {
    const { kinds, complete } = coverageOf(whole, ['gcp/acme']);
    assert.deepEqual([complete, kinds.some((one) => one.complete)], [false, false]);
  });
});

describe('groups of the chosen objects, the largest first', () => {
  const cases: readonly (readonly [by: Grouping, want: readonly string[], reason: string])[] = [
    [
      'origin',
      ['unknown 3', 'EKS 2', 'copied-mark 1'],
      'a rule has the origin of its group; a mark counts by its claim',
    ],
    ['kind', ['firewall-rule 2', 'group 1', 'instance 1', 'network 1', 'subnet 1'], 'each once'],
    ['network', ['core (vpc-1) 3', 'lab (vpc-2) 3'], 'by address or id, and through the subnet of a machine'],
    ['scope', [`${scope} 6`], 'all of it'],
  ];
  for (const [by, want, reason] of cases)
    test(`by ${by}: ${reason}`, () =>
      assert.deepEqual(
        groupsOf(whole, by, isUnmanaged).map((one) => `${one.group} ${one.objects}`),
        want,
      ));

  test('count each kind', () =>
    assert.deepEqual(groupsOf(whole, 'origin', isUnmanaged)[1]?.kinds, { group: 1, 'firewall-rule': 1 }));
});

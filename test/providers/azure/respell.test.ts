import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { matchSpelling } from '../../../providers/azure/match-spelling.ts';
import { diff } from '../../../src/core/diff.ts';
import type { Attributes, InstanceAttributes, Kind } from '../../../src/core/resource.ts';
import { desiredOf } from '../../support/fixtures.ts';

const at = 'azure/s1/westeurope/rg-a';

function changed<K extends Kind>(kind: K, wanted: Attributes[K], attributes: Attributes[K]): readonly string[] {
  const desired = desiredOf(kind, { address: `${at}/${kind}/x`, name: 'x', attributes: wanted });
  const observed = { kind, id: 'x', name: 'x', attributes, signs: {}, condition: { state: 'ready' } } as const;
  return diff(matchSpelling(desired, observed).attributes, attributes).map(({ field }) => field);
}

describe('Z29: a key is one tag in any case, its value is not', () => {
  const net = (labels: Record<string, string>) => ({ cidr: '10.0.0.0/16', labels });
  test('another case of the key: the same', () =>
    assert.deepEqual(changed('network', net({ Env: 'prod' }), net({ env: 'prod' })), []));
  test('another case of the value: drift, of the key as it stands there', () =>
    assert.deepEqual(changed('network', net({ Env: 'prod' }), net({ env: 'Prod' })), ['labels.env']));
  test('a key that is not there: drift', () =>
    assert.deepEqual(changed('network', net({ Env: 'prod', b: '1' }), net({ env: 'prod' })), ['labels.b']));
  test('on groups too', () => {
    const group = (labels: Record<string, string>) => ({ network: 'n', labels });
    assert.deepEqual(changed('group', group({ TIER: 'web' }), group({ tier: 'web' })), []);
  });
  test('what needs no other words is the very same wish', () => {
    const desired = desiredOf('subnet', {
      address: `${at}/subnet/core.app`,
      name: 'app',
      attributes: { network: 'n', cidr: '10.0.0.0/24', labels: {} },
    });
    const observed = { kind: 'subnet', id: 'x', name: 'app', attributes: desired.attributes, signs: {} } as const;
    assert.equal(matchSpelling(desired, { ...observed, condition: { state: 'ready' } }), desired);
  });
});

describe('machines', () => {
  const machine = (over: Partial<InstanceAttributes['machine']>, more: Partial<InstanceAttributes> = {}) => ({
    placement: { subnet: 'sub', publicIp: false },
    machine: { image: 'Canonical:ubuntu:24_04:latest', size: 'Standard_B2s', power: 'running' as const, ...over },
    labels: {},
    ...more,
  });
  const idOf = (name: string, group = 'rg-a'): string =>
    `/subscriptions/s1/resourcegroups/${group}/providers/microsoft.managedidentity/userassignedidentities/${name}`;

  const rows: readonly (readonly [string, InstanceAttributes, InstanceAttributes, readonly string[]])[] = [
    ['Z37: an image in another case', machine({ image: 'canonical:Ubuntu:24_04:LATEST' }), machine({}), []],
    ['another image', machine({ image: 'Canonical:ubuntu:22_04:latest' }), machine({}), ['machine.image']],
    ['a size in another case', machine({ size: 'STANDARD_b2S' }), machine({}), []],
    ['another size', machine({ size: 'Standard_B4s' }), machine({}), ['machine.size']],
    ['an identity by name, seen by id', machine({ identity: 'Web' }), machine({ identity: idOf('web') }), []],
    ['an identity by id, seen by name', machine({ identity: idOf('WEB') }), machine({ identity: 'web' }), []],
    [
      'an identity of that name elsewhere',
      machine({ identity: 'web' }),
      machine({ identity: idOf('web', 'rg-b') }),
      ['machine.identity'],
    ],
    ['an identity where none is', machine({ identity: 'web' }), machine({}), ['machine.identity']],
    [
      'a kind of disk in another case',
      machine({}, { disk: { type: 'premium_lrs' } }),
      machine({}, { disk: { type: 'Premium_LRS', size: 30 } }),
      [],
    ],
    [
      'another kind of disk',
      machine({}, { disk: { type: 'Standard_LRS' } }),
      machine({}, { disk: { type: 'Premium_LRS' } }),
      ['disk.type'],
    ],
  ];
  for (const [name, wanted, seen, want] of rows)
    test(name, () => assert.deepEqual(changed('instance', wanted, seen), want));
});

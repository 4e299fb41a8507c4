import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PriceTable } from '../../../src/core/cost/cost.ts';
import { idleCost, idleIn } from '../../../src/core/inventory/idle.ts';
import type { Origin } from '../../../src/core/observed.ts';
import type { Attributes, InstanceAttributes, Kind } from '../../../src/core/resource.ts';

interface Standing {
  readonly kind: Kind;
  readonly id: string;
  readonly address?: string;
  readonly origin?: Origin;
  readonly attributes: Attributes[Kind];
}

const address = 'aws/1/eu/group/core.web';
const group = (id: string, more: Partial<Standing> = {}): Standing => ({
  ...{ kind: 'group', id, attributes: { network: 'vpc-1', labels: {} } },
  ...more,
});
const machine = (id: string, more: Partial<InstanceAttributes> = {}, at: Partial<Standing> = {}): Standing => ({
  kind: 'instance',
  id,
  attributes: {
    placement: { subnet: 'subnet-1', publicIp: false },
    groups: ['sg-1'],
    machine: { size: 'small', power: 'running' },
    disk: { size: 20, type: 'gp3' },
    labels: {},
    ...more,
  },
  ...at,
});
const stopped = { machine: { size: 'small', power: 'stopped' } } as const;
const source = { source: 'https://prices.example/', read: '2027-01-02' };
const prices: PriceTable = {
  currency: 'USD',
  prices: [
    { ...source, provider: 'aws', region: 'eu', diskType: 'gp3', perGbMonth: 0.1 },
    { ...source, provider: 'gcp', region: 'europe-west1', diskType: 'gp3', perGbMonth: 1 },
  ],
};

const idle = (objects: readonly Standing[], gaps: readonly { readonly kind: Kind }[] = []): readonly string[] =>
  [...idleIn({ scope: 'aws/1/eu', gaps, objects }, prices)].map(([{ id }, { why }]) => `${id} ${why}`);

describe('idle objects', () => {
  const madeByCloud = { why: 'provider-default', detail: 'default group' } as const;
  const madeByTool = { why: 'other-tool', detail: 'made by Terraform' } as const;
  const cases: readonly (readonly [name: string, objects: readonly Standing[], want: readonly string[]])[] = [
    ['a machine that runs, and its group', [machine('i-1'), group('sg-1')], []],
    ['a machine that is stopped, and not its group', [machine('i-1', stopped), group('sg-1')], ['i-1 stopped']],
    ['a group without machines', [machine('i-1'), group('sg-2')], ['sg-2 no machine is in it']],
    [
      'a group that machines name by its address',
      [machine('i-1', { groups: [address] }), group('sg-2', { address })],
      [],
    ],
    ['the group that a cloud makes', [group('sg-2', { origin: madeByCloud })], []],
    ['the group that a tool made', [group('sg-2', { origin: madeByTool })], ['sg-2 no machine is in it']],
    ['a network', [{ kind: 'network', id: 'vpc-1', attributes: { cidr: '10.0.0.0/8', labels: {} } }], []],
  ];
  for (const [name, objects, want] of cases) it(name, () => assert.deepEqual(idle(objects), want));

  it('are no groups where machines were not listed', () => {
    assert.deepEqual(idle([group('sg-2')], [{ kind: 'instance' }]), []);
    assert.deepEqual(idle([group('sg-2')], [{ kind: 'firewall-rule' }]), ['sg-2 no machine is in it']);
  });

  it('cost what their disks cost, and nothing where there are no prices', () => {
    const objects = [
      machine('i-1', stopped),
      machine('i-2', { ...stopped, disk: { size: 1, type: 'io2' } }),
      group('g'),
    ];
    const found = idleIn({ scope: 'aws/1/eu', gaps: [], objects }, prices);
    assert.deepEqual(idleCost(found.values()), { monthly: 2, unpriced: ['aws eu disk io2'] });
    assert.deepEqual(
      [...idleIn({ scope: 'aws/1/eu', gaps: [], objects }, undefined).values()].map(({ cost }) => cost),
      [undefined, undefined, undefined],
    );
  });

  it('cost by the region of their address, or of their zone', () => {
    const zone = { placement: { subnet: 's', publicIp: false, zone: 'europe-west1-b' } };
    const objects = [
      machine('1', stopped, { address: 'gcp/acme/europe-west1-c/instance/web-0' }),
      machine('2', { ...stopped, ...zone }),
      machine('3', stopped),
    ];
    const costs = [...idleIn({ scope: 'gcp/acme', gaps: [], objects }, prices).values()].map(
      ({ cost }) => cost?.monthly,
    );
    assert.deepEqual(costs, [20, 20, 0]);
  });
});

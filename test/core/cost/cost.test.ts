import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Action } from '../../../src/core/action.ts';
import {
  changeOf,
  machineCost,
  type PriceTable,
  planCost,
  pricedPlace,
  priceTable,
} from '../../../src/core/cost/cost.ts';
import type { PricesDoc } from '../../../src/core/documents/document.ts';
import { costLine } from '../../../src/core/render/plan-text.ts';
import type { InstanceAttributes } from '../../../src/core/resource.ts';

const about = { source: 'https://prices.example/', read: '2027-01-02' };
const table: PriceTable = {
  currency: 'USD',
  prices: [
    { ...about, provider: 'aws', size: 'small', perHour: 0.02 },
    { ...about, provider: 'aws', region: 'eu-west-1', size: 'small', perHour: 0.03 },
    { ...about, provider: 'gcp', size: 'small', perHour: 9 },
    { ...about, provider: 'aws', publicIp: true, perHour: 0.005 },
    { ...about, provider: 'aws', diskType: 'gp3', perGbMonth: 0.1 },
    { ...about, provider: 'azure', diskType: 'Premium_LRS', upToGb: 128, perMonth: 20 },
    { ...about, provider: 'azure', diskType: 'Premium_LRS', upToGb: 64, perMonth: 11 },
  ],
};

const machine = (more: Partial<InstanceAttributes> = {}): InstanceAttributes => ({
  placement: { subnet: 'subnet-1', publicIp: false },
  machine: { size: 'small', power: 'running' },
  disk: { size: 20, type: 'gp3' },
  labels: {},
  ...more,
});
const stopped = { size: 'small', power: 'stopped' } as const;
const aws = { cloud: 'aws', region: 'eu-west-1' } as const;
const azure = { cloud: 'azure', region: 'westeurope' } as const;
const publicly = { subnet: 'subnet-1', publicIp: true };

const rows: readonly (readonly [
  name: string,
  of: InstanceAttributes,
  where: Parameters<typeof machineCost>[1],
  monthly: number,
  unpriced: readonly string[],
])[] = [
  ['a machine and its disk, by the price of its region', machine(), aws, 730 * 0.03 + 2, []],
  ['elsewhere, by the price of every region', machine(), { ...aws, region: 'us-east-1' }, 730 * 0.02 + 2, []],
  ['with a public address', machine({ placement: publicly }), aws, 730 * 0.035 + 2, []],
  ['stopped: only its disk', machine({ machine: stopped, placement: publicly }), aws, 2, []],
  [
    'stopped with a reserved address: that too',
    machine({ machine: stopped, settings: { staticPublicIp: '192.0.2.1' } }),
    aws,
    2 + 730 * 0.005,
    [],
  ],
  ['a size without a price', machine({ machine: { size: 'big', power: 'running' } }), aws, 2, ['aws eu-west-1 big']],
  ['a disk without a price', machine({ disk: { size: 20, type: 'io2' } }), aws, 730 * 0.03, ['aws eu-west-1 disk io2']],
  [
    'a disk of a size that nobody knows',
    machine({ disk: { type: 'gp3' } }),
    aws,
    730 * 0.03,
    ['aws eu-west-1 disk gp3'],
  ],
  [
    'a disk of which nobody knows anything',
    machine({ disk: {} }),
    aws,
    730 * 0.03,
    ['aws eu-west-1 disk of an unknown type'],
  ],
  [
    'data disks, whose size nobody knows',
    machine({ settings: { dataDisks: ['vol-1', 'vol-2'] } }),
    aws,
    730 * 0.03 + 2,
    ['aws eu-west-1 data disk', 'aws eu-west-1 data disk'],
  ],
  ['the smallest tier', machine({ machine: stopped, disk: { size: 64, type: 'Premium_LRS' } }), azure, 11, []],
  ['the next tier', machine({ machine: stopped, disk: { size: 65, type: 'Premium_LRS' } }), azure, 20, []],
  [
    'beyond the last tier',
    machine({ machine: stopped, disk: { size: 129, type: 'Premium_LRS' } }),
    azure,
    0,
    ['azure westeurope disk Premium_LRS'],
  ],
  ['another cloud', machine({ disk: { size: 1, type: 'x' } }), { cloud: 'gcp', region: '' }, 730 * 9, ['gcp disk x']],
];

describe('the monthly cost of a machine', () => {
  for (const [name, of, where, monthly, unpriced] of rows)
    it(name, () => {
      const cost = machineCost(of, where, table);
      assert.ok(Math.abs(cost.monthly - monthly) < 1e-9, `${cost.monthly} and not ${monthly}`);
      assert.deepEqual(cost.unpriced, unpriced);
    });

  it('is of the region of a zone on Google Cloud', () => {
    assert.deepEqual(pricedPlace('gcp/acme', 'europe-west1-b'), { cloud: 'gcp', region: 'europe-west1' });
    assert.deepEqual(pricedPlace('aws/1/eu-west-1', 'eu-west-1'), { cloud: 'aws', region: 'eu-west-1' });
    assert.equal(pricedPlace('other/1', 'x'), undefined);
  });
});

it('a table has the prices of all documents, and there is none without one', () => {
  const documents = [{ spec: table }, { spec: table }] as unknown as readonly PricesDoc[]; // why: the rest is not read
  assert.equal(priceTable(documents)?.prices.length, 2 * table.prices.length);
  assert.equal(priceTable([]), undefined);
});

const action = (one: object): Action => ({ kind: 'instance', ...one }) as unknown as Action; // why: the rest is not read
const standing = (id: string) => ({ id, attributes: machine(), place: aws });
const bare = machine();
const { disk: _, ...diskless } = bare;

describe('the monthly cost of a plan', () => {
  const one = 730 * 0.03 + 2;
  const cases: readonly (readonly [name: string, actions: readonly Action[], change: number])[] = [
    ['nothing', [], 0],
    ['a new machine', [action({ verb: 'create', desired: { attributes: bare } })], one],
    ['one fewer', [action({ verb: 'delete', observed: { id: 'i-1' } })], -one],
    [
      'one that is stopped, with the disk that no document states',
      [
        action({
          verb: 'update',
          observed: { id: 'i-1', attributes: bare },
          desired: { attributes: { ...diskless, machine: stopped } },
        }),
      ],
      -730 * 0.03,
    ],
    [
      'a replacement is as its document states',
      [
        action({
          verb: 'replace',
          observed: { id: 'i-1', attributes: bare },
          desired: { attributes: machine({ disk: { size: 40, type: 'gp3' } }) },
        }),
      ],
      2,
    ],
    [
      'a replacement has nothing of the old machine',
      [action({ verb: 'replace', observed: { id: 'i-1', attributes: bare }, desired: { attributes: diskless } })],
      -2,
    ],
    ['a group', [action({ kind: 'group', verb: 'create', desired: { attributes: {} } })], 0],
  ];
  for (const [name, actions, change] of cases)
    it(`${name}: ${change.toFixed(2)}`, () => {
      const scope = { machines: [standing('i-1'), standing('i-2')], plan: { actions }, placeOf: () => aws };
      const cost = planCost([scope], table);
      assert.equal(cost.before, Math.round(200 * one) / 100);
      assert.ok(Math.abs(changeOf(cost) - change) < 0.006, `${changeOf(cost)}`);
    });

  it('is of all scopes, and counts resources without a price', () => {
    const big = machine({ machine: { size: 'big', power: 'running' } });
    const create = action({ verb: 'create', desired: { attributes: big } });
    const scope = { machines: [standing('i-1')], plan: { actions: [create] }, placeOf: () => aws };
    const { unpriced, before } = planCost([scope, scope], table);
    assert.deepEqual(unpriced, [{ what: 'aws eu-west-1 big', count: 2 }]);
    assert.equal(before, Math.round(200 * one) / 100);
  });
});

describe('the line of a cost', () => {
  const whole = { currency: 'USD', before: 60, after: 75.5, unpriced: [] };
  const kinds = ['a', 'b', 'c', 'd', 'e'].map((what, i) => ({ what, count: 9 - i }));
  const lines: readonly (readonly [cost: Parameters<typeof costLine>[0], line: string])[] = [
    [whole, 'Cost: 75.50 USD a month, 15.50 more than now'],
    [{ ...whole, after: 50.25 }, 'Cost: 50.25 USD a month, 9.75 less than now'],
    [{ ...whole, after: 60 }, 'Cost: 60.00 USD a month, as now'],
    [
      { ...whole, unpriced: kinds },
      'Cost: at least 75.50 USD a month, 15.50 more than now · not priced: 9 a, 8 b, 7 c and 2 more kinds',
    ],
  ];
  for (const [cost, line] of lines) it(line, () => assert.equal(costLine(cost), line));
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Desired } from '../../../src/core/desired.ts';
import { type Applied, type Knowledge, withoutStore } from '../../../src/core/knowledge.ts';
import type { Observed } from '../../../src/core/observed.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import { at, input, know, looked, lost, ours, vpc, want } from './fixture.ts';

const address = at('network', 'core');
const blue = vpc('10.0.0.0/16', { tier: 'blue' });
const net = want('network', 'core', blue);
const seen = ours('network', 'core', 'vpc-1', blue);
const was = (attributes: Applied['attributes'], documents: readonly string[] = [address]): Partial<Knowledge> => ({
  applied: new Map([[address, { attributes, documents, generation: 1 }]]),
});

interface Case {
  readonly name: string;
  readonly known: Partial<Knowledge>;
  readonly resources?: readonly Observed[];
  readonly desired?: Desired;
  readonly want: boolean;
}

const cases: readonly Case[] = [
  { name: 'as it was applied: nothing new', known: was(blue), want: false },
  { name: 'applied otherwise, and the cloud has what is wanted now', known: was(vpc()), want: true },
  {
    name: 'applied with more than is wanted now, and the cloud has it no more',
    known: was(vpc('10.0.0.0/16', { tier: 'blue', old: '1' })),
    want: true,
  },
  { name: 'wanted by another document than before', known: was(blue, ['elsewhere']), want: true },
  { name: 'ours, and never applied: it was taken over', known: {}, want: true },
  { name: 'the cloud has something else', known: was(vpc()), resources: [{ ...seen, attributes: vpc() }], want: false },
  { name: 'it is not there', known: was(vpc()), resources: [], want: false },
  {
    name: 'it is still changing',
    known: was(vpc()),
    resources: [{ ...seen, condition: { state: 'pending' } }],
    want: false,
  },
  { name: 'it stands twice', known: was(vpc()), resources: [seen, { ...seen, id: 'vpc-2' }], want: false },
  { name: 'an intent of ours is still open there', known: { ...was(vpc()), pending: [lost('i1')] }, want: false },
  {
    name: 'nobody stated it: it is born with what holds it',
    known: {},
    desired: want('network', 'core', blue, { presence: 'implied' }),
    want: false,
  },
];

for (const { name, known, resources = [seen], desired = net, want: wanted } of cases)
  test(`standing: ${name}`, () => {
    const { standing } = plan(input([desired], looked(resources), { knowledge: know(resources, known) }));
    const one = { id: 'vpc-1', address, attributes: blue, documents: [address] };
    assert.deepEqual(standing, wanted ? [one] : undefined);
  });

test('standing: without a store there is nobody to tell', () => {
  assert.equal(plan(input([net], looked([seen]), { knowledge: withoutStore('acme') })).standing, undefined);
});

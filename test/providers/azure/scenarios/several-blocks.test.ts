import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { azure } from '../../../../providers/azure/index.ts';
import type { ScopePlan } from '../../../../src/core/action.ts';
import { withoutStore } from '../../../../src/core/knowledge.ts';
import { plan } from '../../../../src/core/plan/plan.ts';
import { compiled } from '../../../support/engine-world/compiled.ts';
import { network, rule } from '../../../support/engine-world/documents.ts';
import { type AzureWorld, azureWorld, here, machine } from './azure-world.ts';

const documents = [network(), rule('https'), machine('web')];
const vnet = 'Network/virtualNetworks/core';

interface Row {
  readonly name: string;
  readonly space: readonly string[];
  readonly subnet: readonly string[];
  /** The blocks that no document states. */
  readonly told: readonly string[];
}

const rows: readonly Row[] = [
  {
    name: 'IPv6 beside',
    space: ['10.20.0.0/16', 'fd00:20::/48'],
    subnet: ['10.20.1.0/24', 'fd00:20::/64'],
    told: ['fd00:20::/48', 'fd00:20::/64'],
  },
  {
    name: 'a lower IPv4 block before, and IPv6',
    space: ['fd00:20::/48', '10.19.0.0/16', '10.20.0.0/16'],
    subnet: ['fd00:20::/64', '10.19.1.0/24', '10.20.1.0/24'],
    told: ['10.19.0.0/16', '10.19.1.0/24', 'fd00:20::/48', 'fd00:20::/64'],
  },
];

/** Gives the VNet and its subnet these blocks, as a colleague would. */
async function widen(world: AzureWorld, { space, subnet }: Row): Promise<void> {
  const { properties, tags } = await world.ask('GET', vnet);
  // why: the sandbox answers a network's subnets as ARM does
  const [app] = properties['subnets'] as readonly { readonly name: string; readonly properties: object }[];
  assert.ok(app);
  const { addressPrefix: _, ...kept } = { addressPrefix: '', ...app.properties };
  const subnets = [{ name: app.name, properties: { ...kept, addressPrefixes: subnet } }];
  const answer = await world.ask('PUT', vnet, {
    location: 'westeurope',
    tags,
    properties: { addressSpace: { addressPrefixes: space }, subnets },
  });
  assert.equal(answer.status, 200, JSON.stringify(answer));
}

const told = (seen: ScopePlan | undefined): readonly string[] =>
  (seen?.findings ?? []).map((one) => `${one.type} ${'name' in one ? one.name : one.why}`).sort();

describe('a network and a subnet with several blocks of addresses', () => {
  for (const row of rows) {
    const want = row.told.map((block) => `unmanaged ${block}`).sort();

    test(`${row.name}: told with a store, and the rest goes on`, async () => {
      await using world = await azureWorld();
      await world.apply(documents);
      await widen(world, row);
      const seen = await world.apply([...documents, rule('lb', { ports: [8080] }), machine('db')]);
      assert.deepEqual(told(seen.last?.plan), want);
      assert.ok(seen.writes.some((write) => write.startsWith('virtualMachines.createOrUpdate')));
      assert.deepEqual(seen.last?.plan.actions, []);
      for (const { type, why } of seen.last?.plan.findings ?? []) assert.match(`${type} ${why}`, /core.*address block/);
    });

    test(`${row.name}: told without a store, and nothing is made anew`, async () => {
      await using world = await azureWorld();
      const built = await world.apply(documents);
      await widen(world, row);
      const { last } = await world.apply(documents);
      assert.ok(last);
      const wanted = compiled(
        [
          { kind: 'Estate', metadata: { name: 'acme' }, spec: { mode: 'enforce' } },
          { kind: 'Target', metadata: here.metadata, spec: { ...here.spec, endpoint: world.sandbox.url } },
          ...documents,
        ],
        azure.dialect,
      ).scope.wanted;
      const { dialect, batches } = azure;
      const plain = plan({
        wanted,
        observation: last.observation,
        knowledge: withoutStore('acme'),
        dialect,
        batches,
      });
      assert.deepEqual(built.left, []);
      assert.deepEqual(plain.actions, []);
      assert.deepEqual(told(plain), want);
    });
  }

  test('a block that is gone is still an immutable difference, and names the others', async () => {
    await using world = await azureWorld();
    await world.apply([network({ subnets: [] })]);
    const answer = await world.ask('PUT', vnet, {
      location: 'westeurope',
      tags: (await world.ask('GET', vnet)).tags,
      properties: { addressSpace: { addressPrefixes: ['10.30.0.0/16', '10.31.0.0/16'] } },
    });
    assert.equal(answer.status, 200);
    const { left } = await world.apply([network({ subnets: [] })]);
    assert.deepEqual(left.map((each) => each.split(' ').slice(0, 2).join(' ')).sort(), [
      'blocked immutable',
      `unmanaged ${left.find((each) => each.startsWith('unmanaged'))?.split(' ')[1]}`,
    ]);
  });
});

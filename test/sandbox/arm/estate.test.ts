import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PATIENCE_MS, processorTime } from '../processor-time.ts';
import {
  bench,
  collect,
  groupBody,
  LOCATION,
  NETWORK,
  networkBody,
  ruleBody,
  SUBSCRIPTION,
  subnetBody,
} from './bench.ts';

const resource = (type: string, name: string, body: object): object => {
  const { properties } = { properties: undefined, ...body };
  return { type: `Microsoft.Network/${type}`, group: 'Rg', name, properties };
};

const estate = (...resources: readonly object[]): unknown => ({
  subscriptions: [
    { groups: [{ name: 'Rg', location: LOCATION }], outside: [`${NETWORK}/routeTables/theirs`], resources },
  ],
});

const subnet = subnetBody('app', '10.0.1.0/24', {
  networkSecurityGroup: { id: `${NETWORK}/networkSecurityGroups/nsg` },
  routeTable: { id: `${NETWORK}/routeTables/theirs` },
});

describe('an Azure estate', () => {
  it('is there at once, done, and with all its references', async () => {
    await using made = await bench({ lag: { ms: 60_000 } });
    made.sandbox.control.arm.load(
      estate(
        resource('networkSecurityGroups', 'nsg', groupBody(ruleBody('web', 100))),
        resource('virtualNetworks', 'core', networkBody({}, [subnet])),
        resource('virtualNetworks/subnets', 'core/db', subnetBody('db', '10.0.2.0/24')),
      ),
    );
    const [network] = await collect(made.network.virtualNetworks.listAll());
    assert.deepEqual(
      network?.subnets?.map(({ name, provisioningState }) => [name, provisioningState]),
      [
        ['app', 'Succeeded'],
        ['db', 'Succeeded'],
      ],
    );
    assert.equal(network?.subnets?.[0]?.routeTable?.id, `${NETWORK}/routeTables/theirs`);
    const group = await made.network.networkSecurityGroups.get('rg', 'nsg');
    assert.deepEqual(
      group.subnets?.map(({ id }) => id),
      [`${NETWORK}/virtualNetworks/core/subnets/app`],
    );
    assert.equal(made.sandbox.control.log.counts()['virtualNetworks.createOrUpdate'], undefined);
  });

  const refusals: readonly { readonly document: unknown; readonly want: RegExp }[] = [
    {
      document: { subscriptions: [{ id: SUBSCRIPTION.replace('1', '9') }] },
      want: /^subscriptions\[0\]: SubscriptionNotFound/,
    },
    {
      document: estate(resource('virtualNetworks', 'core', networkBody({}, [subnet]))),
      want: /resources\[0\]: InvalidResourceReference/,
    },
    {
      document: estate(resource('networkSecurityGroups', 'nsg', groupBody(ruleBody('web', 9)))),
      want: /resources\[0\]: SecurityRuleInvalidPriority/,
    },
    {
      document: estate({ ...resource('virtualNetworks', 'core', networkBody()), kind: 'x' }),
      want: /resources\[0\]: unknown key "kind"/,
    },
    {
      document: estate(resource('virtualNetworks', 'core', { properties: { subnet: [] } })),
      want: /resources\[0\]: .*Could not find member 'subnet'/,
    },
    {
      document: estate(resource('loadBalancers', 'lb', {})),
      want: /resources\[0\]: nothing of the sandbox can be put at/,
    },
  ];
  for (const { document, want } of refusals) {
    it(`is refused with its place: ${want}`, async () => {
      await using made = await bench();
      assert.throws(() => made.sandbox.control.arm.load(document), { message: want });
    });
  }
});

describe('a large Azure estate', () => {
  it('loads without work for each pair', async () => {
    const many = 2000;
    const names = Array.from({ length: many }, (_, i) => `n${i}`);
    const groups = names.map((name) =>
      resource('networkSecurityGroups', name, groupBody(ruleBody('a', 100), ruleBody('b', 101))),
    );
    const subnets = Array.from({ length: many }, (_, i) =>
      subnetBody(`s${i}`, `10.0.${i >> 4}.${(i % 16) * 16}/28`, {
        networkSecurityGroup: { id: `${NETWORK}/networkSecurityGroups/n${i}` },
      }),
    );
    const worked = processorTime();
    await using made = await bench({
      arm: { estate: estate(...groups, resource('virtualNetworks', 'core', networkBody({}, subnets))) },
    });
    const listed = await collect(made.network.networkSecurityGroups.listAll());
    assert.equal(listed.length, many);
    assert.equal(listed.at(-1)?.subnets?.length, 1);
    const pages = made.sandbox.control.log.counts()['networkSecurityGroups.listAll'];
    assert.equal(pages, 8);
    assert.ok(worked() < PATIENCE_MS, `${worked()} ms`);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Bench, bench, collect, NETWORK, outcome, QUICK, subnetBody } from './bench.ts';
import { app, CORE, db, NIC, names, put, putInterface } from './networks.ts';

const missing = { networkSecurityGroup: { id: `${NETWORK}/networkSecurityGroups/no` } };

const subnets: readonly { readonly name: string; readonly subnet: object; readonly want: string }[] = [
  { name: 'outside the space', subnet: subnetBody('x', '10.1.0.0/24'), want: '400 NetcfgSubnetRangeOutsideVnet' },
  { name: 'upon another', subnet: subnetBody('x', '10.0.1.128/25'), want: '400 NetcfgSubnetRangesOverlap' },
  { name: 'around another', subnet: subnetBody('x', '10.0.0.0/20'), want: '400 NetcfgSubnetRangesOverlap' },
  { name: 'with host bits', subnet: subnetBody('x', '10.0.3.1/24'), want: '400 InvalidCIDRNotation' },
  { name: 'too small', subnet: subnetBody('x', '10.0.3.0/30'), want: '400 NetcfgInvalidSubnet' },
  { name: 'without a prefix', subnet: { name: 'x', properties: {} }, want: '400 InvalidAddressPrefixFormat' },
  { name: 'of a bad name', subnet: subnetBody('x!', '10.0.3.0/24'), want: '400 InvalidResourceName' },
  {
    name: 'with a security group that is not there',
    subnet: subnetBody('x', '10.0.3.0/24', missing),
    want: '400 InvalidResourceReference',
  },
  { name: 'beside the others', subnet: subnetBody('x', '10.0.3.0/29'), want: '201' },
];

describe('a subnet', () => {
  for (const { name, subnet, want } of subnets) {
    it(`${name}: ${want}, inline and by its own URL`, async () => {
      await using made = await bench();
      await put(made, [app, db]);
      const path = `${CORE}/subnets/${'name' in subnet ? encodeURIComponent(String(subnet.name)) : ''}`;
      assert.equal(outcome(await made.send('PUT', path, { body: subnet })), want);
      await put(made, [app, db]);
      assert.equal(await put(made, [app, db, subnet]), want.replace('201', '200'));
    });
  }

  it('twice in one list, but for case, is refused', async () => {
    await using made = await bench();
    assert.equal(await put(made, [app, subnetBody('aPP', '10.0.9.0/24')]), '400 DuplicateResourceName');
  });

  it('lives by its own URL in its network', async () => {
    await using made = await bench();
    const { subnets } = made.network;
    await put(made, [app]);
    const made2 = await subnets.createOrUpdate('rg', 'core', 'db', { addressPrefix: '10.0.2.0/24' }, QUICK);
    assert.equal(made2.id, `${CORE}/subnets/db`);
    assert.deepEqual(await names(made), ['App', 'db']);
    await subnets.createOrUpdate('rg', 'core', 'DB', { addressPrefix: '10.0.3.0/24' }, QUICK);
    assert.deepEqual(
      (await collect(subnets.list('rg', 'core'))).map(({ name, addressPrefix }) => [name, addressPrefix]),
      [
        ['App', '10.0.1.0/24'],
        ['db', '10.0.3.0/24'],
      ],
    );
    const network = await made.network.virtualNetworks.get('rg', 'core');
    assert.equal((await subnets.get('rg', 'core', 'Db')).etag, network.etag);
    await subnets.delete('rg', 'core', 'app', QUICK);
    assert.deepEqual(await names(made), ['db']);
    assert.equal(outcome(await made.send('DELETE', `${CORE}/subnets/app`)), '204');
    assert.equal(outcome(await made.send('GET', `${CORE}/subnets/app`)), '404 NotFound');
  });
});

describe('a subnet in use', () => {
  const uses: readonly {
    readonly name: string;
    readonly run: (made: Bench) => Promise<string>;
    readonly want: string;
  }[] = [
    {
      name: 'deleted by its URL',
      run: async (made) => outcome(await made.send('DELETE', `${CORE}/subnets/app`)),
      want: '400 InUseSubnetCannotBeDeleted',
    },
    { name: 'left out of its network’s list', run: (made) => put(made, [db]), want: '400 InUseSubnetCannotBeDeleted' },
    { name: 'all left out', run: (made) => put(made), want: '400 InUseSubnetCannotBeDeleted' },
    {
      name: 'its network deleted',
      run: async (made) => outcome(await made.send('DELETE', CORE)),
      want: '400 InUseSubnetCannotBeDeleted',
    },
    {
      name: 'its prefix changed',
      run: (made) => put(made, [subnetBody('app', '10.0.4.0/24'), db]),
      want: '400 InUsePrefixCannotBeDeleted',
    },
    { name: 'its security group changed', run: (made) => put(made, [app, db]), want: '200' },
    { name: 'another deleted', run: (made) => put(made, [app]), want: '200' },
    {
      name: 'after its interface went',
      run: async (made) => {
        await made.send('DELETE', NIC);
        return put(made, [db]);
      },
      want: '200',
    },
  ];
  for (const { name, run, want } of uses) {
    it(`${name}: ${want}`, async () => {
      await using made = await bench();
      await put(made, [app, db]);
      await putInterface(made, `${CORE}/subnets/app`);
      assert.equal(await run(made), want);
    });
  }

  it('names its IP configurations', async () => {
    await using made = await bench();
    await put(made, [app, db]);
    await putInterface(made, `${CORE}/subnets/APP`);
    const { subnets } = await made.network.virtualNetworks.get('rg', 'core');
    assert.deepEqual(
      subnets?.map(({ ipConfigurations }) => ipConfigurations?.map(({ id }) => id)),
      [[`${NIC}/ipConfigurations/ip`], undefined],
    );
  });
});

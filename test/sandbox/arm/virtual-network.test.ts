import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bench, collect, GROUP, LOCATION, NETWORK, networkBody, outcome, QUICK, subnetBody } from './bench.ts';
import { app, CORE, db, names, put } from './networks.ts';

describe('virtual networks', () => {
  it('are made, read, listed, tagged and deleted as the SDK does', async () => {
    await using made = await bench();
    const { virtualNetworks } = made.network;
    const asked = {
      location: 'West Europe',
      tags: { Env: 'prod' },
      addressSpace: { addressPrefixes: ['10.0.0.0/16', 'fd00:10::/48'] },
      subnets: [{ name: 'App', addressPrefixes: ['10.0.1.0/24'], defaultOutboundAccess: false }],
    };
    const created = await virtualNetworks.createOrUpdate('RG', 'Core', asked, QUICK);
    assert.deepEqual([created.id, created.location], [`${NETWORK}/virtualNetworks/Core`, 'westeurope']);
    assert.equal(created.provisioningState, 'Succeeded');
    assert.match(created.resourceGuid ?? '', /^[0-9a-f-]{36}$/);
    const [subnet] = created.subnets ?? [];
    assert.deepEqual([subnet?.addressPrefixes, subnet?.addressPrefix], [['10.0.1.0/24'], undefined]);
    assert.deepEqual([subnet?.defaultOutboundAccess, subnet?.etag], [false, created.etag]);
    assert.deepEqual(await virtualNetworks.get('rg', 'CORE'), created);
    assert.deepEqual(await collect(virtualNetworks.list('rG')), [created]);
    assert.deepEqual(await collect(virtualNetworks.listAll()), [created]);
    const tagged = await virtualNetworks.updateTags('rg', 'core', { tags: { env: 'test' } });
    assert.deepEqual([tagged.tags, tagged.subnets?.length], [{ env: 'test' }, 1]);
    assert.notEqual(tagged.etag, created.etag);
    await virtualNetworks.delete('rg', 'core', QUICK);
    assert.deepEqual(await collect(virtualNetworks.listAll()), []);
    await virtualNetworks.delete('rg', 'core', QUICK);
  });

  it('a PUT replaces the list of subnets, one without the list removes them all', async () => {
    await using made = await bench();
    assert.equal(await put(made, [app, db]), '201');
    assert.equal(await put(made, [db]), '200');
    assert.deepEqual(await names(made), ['db']);
    assert.equal(await put(made), '200');
    assert.deepEqual(await names(made), []);
  });
});

describe('a PUT of a virtual network', () => {
  it('keep the case and the GUID of their creation', async () => {
    await using made = await bench();
    await put(made, [app]);
    const { resourceGuid } = await made.network.virtualNetworks.get('rg', 'core');
    const path = CORE.replace('core', 'CORE');
    await made.send('PUT', path, { body: networkBody({ tags: { a: 'b' } }, [subnetBody('aPP', '10.0.1.0/24')]) });
    const again = await made.network.virtualNetworks.get('rg', 'core');
    assert.deepEqual([again.id, again.resourceGuid], [CORE, resourceGuid]);
    assert.equal(again.subnets?.[0]?.id, `${CORE}/subnets/App`);
  });

  it('what a PUT leaves out is gone: tags and settings', async () => {
    await using made = await bench();
    const properties = {
      addressSpace: { addressPrefixes: ['10.0.0.0/16'] },
      dhcpOptions: { dnsServers: ['10.0.0.4'] },
    };
    await made.send('PUT', CORE, { body: { location: LOCATION, tags: { a: 'b' }, properties } });
    assert.deepEqual((await made.network.virtualNetworks.get('rg', 'core')).dhcpOptions?.dnsServers, ['10.0.0.4']);
    await put(made);
    const after = await made.network.virtualNetworks.get('rg', 'core');
    assert.deepEqual([after.tags, after.dhcpOptions], [undefined, undefined]);
  });

  it('what was read can be written back as it is', async () => {
    await using made = await bench();
    await put(made, [app, db]);
    const { body } = await made.send('GET', CORE);
    assert.equal(outcome(await made.send('PUT', CORE, { body })), '200');
    const sdk = await made.network.virtualNetworks.get('rg', 'core');
    await made.network.virtualNetworks.createOrUpdate('rg', 'core', sdk, QUICK);
    assert.deepEqual(await names(made), ['App', 'db']);
  });
});

const spaces: readonly { readonly name: string; readonly prefixes: readonly string[]; readonly want: string }[] = [
  { name: 'none', prefixes: [], want: '400 InvalidRequestFormat' },
  { name: 'a bare address', prefixes: ['10.0.0.0'], want: '400 InvalidAddressPrefixFormat' },
  { name: 'host bits', prefixes: ['10.0.0.1/16'], want: '400 InvalidCIDRNotation' },
  { name: 'one in another', prefixes: ['10.0.0.0/16', '10.0.4.0/24'], want: '400 OverlappingAddressPrefixes' },
  { name: 'two', prefixes: ['10.0.0.0/16', '10.1.0.0/16'], want: '201' },
  { name: 'IPv6 in capitals', prefixes: ['10.0.0.0/16', 'FD00:10::/48'], want: '201' },
];

describe('an address space of', () => {
  for (const { name, prefixes, want } of spaces) {
    it(`${name}: ${want}`, async () => {
      await using made = await bench();
      const body = { location: LOCATION, properties: { addressSpace: { addressPrefixes: prefixes } } };
      assert.equal(outcome(await made.send('PUT', CORE, { body })), want);
    });
  }
});

describe('limits of virtual networks', () => {
  it('count per location, and subnets per network', async () => {
    await using made = await bench({ arm: { quotas: { networks: 1, subnetsPerNetwork: 1 } } });
    assert.equal(await put(made, [app]), '201');
    assert.equal(await put(made, [app, db]), '400 SubnetCountLimitReached');
    const other = (location: string) => made.send('PUT', `${CORE}2`, { body: { ...networkBody(), location } });
    assert.equal(outcome(await other(LOCATION)), '400 VirtualNetworkCountLimitReached');
    assert.equal(outcome(await other('eastus')), '201');
    assert.equal(await put(made, [app]), '200');
  });

  it('a network stays in its location', async () => {
    await using made = await bench();
    await put(made);
    assert.equal(await put(made, [], { location: 'eastus' }), '409 InvalidResourceLocation');
  });

  it('lists only those of a resource group', async () => {
    await using made = await bench();
    await put(made);
    await made.resources.resourceGroups.createOrUpdate('Rg2', { location: LOCATION });
    await made.send('PUT', CORE.replace('/Rg/', '/Rg2/'), { body: networkBody() });
    const ids = (await collect(made.network.virtualNetworks.list('Rg'))).map(({ id }) => id);
    assert.deepEqual(ids, [`${GROUP}/providers/Microsoft.Network/virtualNetworks/core`]);
    assert.equal((await collect(made.network.virtualNetworks.listAll())).length, 2);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bench, collect, LOCATION, NETWORK, outcome, QUICK, subnetBody } from './bench.ts';
import { CORE, put } from './networks.ts';

const NAT = `${NETWORK}/natGateways/nat`;
const behind = subnetBody('app', '10.0.1.0/24', { natGateway: { id: NAT } });

describe('NAT gateways', () => {
  it('are made, read, listed, tagged and deleted as the SDK does', async () => {
    await using made = await bench();
    const { natGateways, publicIPAddresses } = made.network;
    const address = { location: LOCATION, sku: { name: 'Standard' }, publicIPAllocationMethod: 'Static' };
    const { id = '' } = await publicIPAddresses.createOrUpdate('rg', 'ip', address, QUICK);
    const asked = { location: 'West Europe', sku: { name: 'Standard' }, zones: ['1'], publicIpAddresses: [{ id }] };
    const created = await natGateways.createOrUpdate('RG', 'Nat', asked, QUICK);
    assert.deepEqual(
      [created.id, created.location, created.sku?.name, created.zones, created.idleTimeoutInMinutes],
      [`${NETWORK}/natGateways/Nat`, LOCATION, 'Standard', ['1'], 4],
    );
    assert.deepEqual(
      created.publicIpAddresses?.map((one) => one.id),
      [id],
    );
    assert.deepEqual(await natGateways.get('rg', 'NAT'), created);
    assert.deepEqual(await collect(natGateways.list('rG')), [created]);
    assert.deepEqual(await collect(natGateways.listAll()), [created]);
    assert.deepEqual((await natGateways.updateTags('rg', 'nat', { tags: { a: 'b' } })).tags, { a: 'b' });
    assert.equal(outcome(await made.send('DELETE', id)), '400 PublicIPAddressCannotBeDeleted');
    await natGateways.delete('rg', 'nat', QUICK);
    assert.equal(outcome(await made.send('DELETE', id)), '202');
    assert.deepEqual(await collect(natGateways.listAll()), []);
  });

  it('need the addresses that they name', async () => {
    await using made = await bench();
    const properties = { publicIpAddresses: [{ id: `${NETWORK}/publicIPAddresses/no` }] };
    const body = { location: LOCATION, properties };
    assert.equal(outcome(await made.send('PUT', NAT, { body })), '400 InvalidResourceReference');
  });

  it('list the subnets that use them, and stay while there is one', async () => {
    await using made = await bench();
    assert.equal(await put(made, [behind]), '400 InvalidResourceReference');
    await made.send('PUT', NAT, { body: { location: LOCATION } });
    assert.equal(await put(made, [behind]), '201');
    const gateway = await made.network.natGateways.get('rg', 'nat');
    assert.deepEqual(
      gateway.subnets?.map(({ id }) => id),
      [`${CORE}/subnets/app`],
    );
    assert.equal((await made.network.subnets.get('rg', 'core', 'app')).natGateway?.id, NAT);
    assert.equal(outcome(await made.send('DELETE', NAT)), '400 CannotDeleteNatGatewayAssociatedToSubnet');
    await put(made, [subnetBody('app', '10.0.1.0/24')]);
    assert.equal(outcome(await made.send('DELETE', NAT)), '202');
    assert.equal(outcome(await made.send('GET', NAT)), '404 ResourceNotFound');
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { collect, LOCATION, outcome, QUICK } from './bench.ts';
import { address, GROUP, ID, type MachineBench, machine, machineBench, nic } from './machine-bench.ts';

const configuration = (more: object = {}, name = 'ipconfig1'): object => ({
  name,
  properties: { subnet: { id: ID.subnet() }, ...more },
});

const body = (configurations: readonly object[], more: object = {}): object => ({
  location: LOCATION,
  properties: { ipConfigurations: configurations, ...more },
});

const put = (at: MachineBench, name: string, what: object, headers: Record<string, string> = {}) =>
  at.send('PUT', ID.nic(name), { body: what, headers });

describe('a network interface', () => {
  it('gets the next free address of its subnet, after the four that Azure keeps', async () => {
    await using at = await machineBench();
    for (const name of ['a', 'b', 'c']) await nic(at, name, { subnet: ID.subnet('tiny') });
    const addresses = (await collect(at.network.networkInterfaces.listAll())).map(
      (each) => each.ipConfigurations?.[0]?.privateIPAddress,
    );
    assert.deepEqual(addresses, ['10.20.3.4', '10.20.3.5', '10.20.3.6']);
    const full = await put(at, 'd', body([configuration({ subnet: { id: ID.subnet('tiny') } })]));
    assert.equal(outcome(full), '400 SubnetIsFull');
    await at.network.networkInterfaces.delete(GROUP, 'b', QUICK);
    await nic(at, 'e', { subnet: ID.subnet('tiny') });
    const again = await at.network.networkInterfaces.get(GROUP, 'e');
    assert.equal(again.ipConfigurations?.[0]?.privateIPAddress, '10.20.3.5');
  });

  it('answers 201 and then 200, and keeps its address, its GUID and its spelling', async () => {
    await using at = await machineBench();
    const first = await put(at, 'Web', body([configuration()]));
    const second = await put(at, 'WEB', body([configuration()], { enableIPForwarding: true }));
    assert.deepEqual([first.status, second.status], [201, 200]);
    assert.ok(first.headers.get('azure-asyncoperation'));
    assert.equal(second.body.name, 'Web');
    assert.equal(second.body.properties.resourceGuid, first.body.properties.resourceGuid);
    assert.equal(
      second.body.properties.ipConfigurations[0].properties.privateIPAddress,
      first.body.properties.ipConfigurations[0].properties.privateIPAddress,
    );
    assert.equal(second.body.properties.enableIPForwarding, true);
    assert.notEqual(second.body.etag, first.body.etag);
  });

  it('may be written back as it was read', async () => {
    await using at = await machineBench();
    await at.network.applicationSecurityGroups.createOrUpdate(GROUP, 'web', { location: LOCATION }, QUICK);
    const pip = await address(at, 'pip');
    await nic(at, 'a', { address: pip, groups: [ID.group('web')] });
    const read = await at.send('GET', ID.nic('a'));
    const written = await put(at, 'a', read.body, { 'if-match': read.body.etag });
    assert.equal(written.status, 200);
    assert.deepEqual(
      { ...written.body, etag: '', properties: { ...written.body.properties, ipConfigurations: [] } },
      { ...read.body, etag: '', properties: { ...read.body.properties, ipConfigurations: [] } },
    );
    const stale = await put(at, 'a', read.body, { 'if-match': read.body.etag });
    assert.equal(outcome(stale), '412 PreconditionFailed');
  });
});

describe('a network interface in use', () => {
  it('holds its public address, and gives it back', async () => {
    await using at = await machineBench();
    const pip = await address(at, 'pip');
    await nic(at, 'a', { address: pip });
    const used = await at.network.publicIPAddresses.get(GROUP, 'pip');
    assert.equal(used.ipConfiguration?.id, `${ID.nic('a')}/ipConfigurations/ipconfig1`);
    assert.equal(outcome(await at.send('DELETE', ID.address('pip'))), '400 PublicIPAddressCannotBeDeleted');
    const other = await put(at, 'b', body([configuration({ publicIPAddress: { id: pip } })]));
    assert.equal(outcome(other), '400 PublicIPAddressInUse');
    await nic(at, 'a');
    assert.equal((await at.network.publicIPAddresses.get(GROUP, 'pip')).ipConfiguration, undefined);
    await nic(at, 'b', { address: pip });
    await at.network.networkInterfaces.delete(GROUP, 'b', QUICK);
    assert.equal((await at.send('DELETE', ID.address('pip'))).status, 202);
  });

  it('is not deleted while a machine has it, and knows the machine', async () => {
    await using at = await machineBench();
    await machine(at, 'web-0');
    const attached = await at.network.networkInterfaces.get(GROUP, 'web-0-nic');
    assert.equal(attached.virtualMachine?.id, ID.machine('web-0'));
    assert.equal(attached.primary, true);
    assert.match(attached.macAddress ?? '', /^00-0D-3A(?:-[0-9A-F]{2}){3}$/);
    assert.equal(outcome(await at.send('DELETE', ID.nic('web-0-nic'))), '400 NicInUse');
  });

  it('is listed by group and in all, and its tags are changed alone', async () => {
    await using at = await machineBench();
    await at.send('PUT', `${ID.nic('x').split('/resourceGroups/')[0]}/resourceGroups/second`, {
      body: { location: LOCATION },
    });
    await nic(at, 'a');
    await at.send('PUT', ID.nic('b').replace('/Rg/', '/second/'), { body: body([configuration()]) });
    const names = async (pages: AsyncIterable<{ name?: string }>) => (await collect(pages)).map(({ name }) => name);
    assert.deepEqual(await names(at.network.networkInterfaces.list('RG')), ['a']);
    assert.deepEqual(await names(at.network.networkInterfaces.listAll()), ['a', 'b']);
    const tagged = await at.network.networkInterfaces.updateTags(GROUP, 'a', { tags: { tier: 'web' } });
    assert.deepEqual(tagged.tags, { tier: 'web' });
    assert.equal((await at.send('DELETE', ID.nic('none'))).status, 204);
  });

  it('seen half made is Updating, and a write to it must wait', async () => {
    await using at = await machineBench({ arm: { durations: { networkWrite: 1_000 } } });
    const first = await put(at, 'a', body([configuration()]));
    assert.equal(first.body.properties.provisioningState, 'Updating');
    assert.equal((await put(at, 'a', body([configuration()]))).status, 429);
    at.sandbox.control.clock.advance(1_000);
    assert.equal((await at.send('GET', ID.nic('a'))).body.properties.provisioningState, 'Succeeded');
  });
});

interface Refused {
  readonly name: string;
  readonly configurations: readonly object[];
  readonly more?: object;
  readonly want: string;
}

const nowhere = { id: ID.subnet('none') };
const otherSubnet = { id: ID.subnet('app', 'other') };
const fixed = (privateIPAddress: string): object =>
  configuration({ privateIPAllocationMethod: 'Static', privateIPAddress });
const two = (more: object): readonly object[] => [configuration({ primary: true }), configuration(more, 'second')];

const refusals: readonly Refused[] = [
  { name: 'no IP configuration', configurations: [], want: '400 InvalidRequestFormat' },
  { name: 'no subnet', configurations: [{ name: 'a', properties: {} }], want: '400 SubnetRequired' },
  {
    name: 'a subnet that is not there',
    configurations: [configuration({ subnet: nowhere })],
    want: '400 InvalidResourceReference',
  },
  {
    name: 'a public address that is not there',
    configurations: [configuration({ publicIPAddress: { id: ID.address('none') } })],
    want: '400 InvalidResourceReference',
  },
  {
    name: 'a security group that is not there',
    configurations: [configuration()],
    more: { networkSecurityGroup: { id: ID.security('none') } },
    want: '400 InvalidResourceReference',
  },
  {
    name: 'an application security group that is not there',
    configurations: [configuration({ applicationSecurityGroups: [{ id: ID.group('none') }] })],
    want: '400 InvalidResourceReference',
  },
  {
    name: 'an application security group of another network',
    configurations: [configuration({ subnet: otherSubnet, applicationSecurityGroups: [{ id: ID.group('web') }] })],
    want: '400 ApplicationSecurityGroupsNotInSameVnet',
  },
  {
    name: 'two sets of application security groups',
    configurations: two({ applicationSecurityGroups: [{ id: ID.group('web') }] }),
    want: '400 AllIpConfigurationsOnANicMustBelongToTheSameApplicationSecurityGroups',
  },
  { name: 'two networks', configurations: two({ subnet: otherSubnet }), want: '400 SubnetsNotInSameVnet' },
  { name: 'an address outside', configurations: [fixed('10.20.2.9')], want: '400 PrivateIPAddressNotInSubnet' },
  { name: 'the gateway’s address', configurations: [fixed('10.20.1.1')], want: '400 PrivateIPAddressInReservedRange' },
  { name: 'the last address', configurations: [fixed('10.20.1.255')], want: '400 PrivateIPAddressInReservedRange' },
  { name: 'an address in use', configurations: [fixed('10.20.1.4')], want: '400 PrivateIPAddressIsAllocated' },
];

describe('a network interface is refused', () => {
  for (const { name, configurations, more, want } of refusals) {
    it(`${name}: ${want}`, async () => {
      await using at = await machineBench();
      await at.network.applicationSecurityGroups.createOrUpdate(GROUP, 'web', { location: LOCATION }, QUICK);
      await nic(at, 'first', { groups: [ID.group('web')] });
      assert.equal(outcome(await put(at, 'second', body(configurations, more))), want);
      assert.equal((await at.send('GET', ID.nic('second'))).status, 404);
    });
  }

  it('in another location than its subnet', async () => {
    await using at = await machineBench();
    const answer = await put(at, 'far', { ...body([configuration()]), location: 'northeurope' });
    assert.equal(outcome(answer), '400 InvalidResourceReference');
  });

  it('when it would lose its primary configuration, or leave its network', async () => {
    await using at = await machineBench();
    await nic(at, 'a');
    assert.equal(outcome(await put(at, 'a', body([configuration({}, 'renamed')]))), '400 IpConfigDeleteNotSupported');
    assert.equal(
      outcome(await put(at, 'a', body([configuration({ subnet: otherSubnet })]))),
      '400 SubnetsNotInSameVnet',
    );
  });
});

describe('a network interface whose write fails', () => {
  it('keeps what it had, and its public address is free again', async () => {
    await using at = await machineBench();
    const pip = await address(at, 'pip');
    await nic(at, 'a');
    at.sandbox.control.faults.add({
      match: { action: 'networkInterfaces.createOrUpdate', times: 1 },
      effect: { kind: 'operation-error', code: 'InternalServerError', status: 500 },
    });
    await put(at, 'a', body([configuration({ publicIPAddress: { id: pip } })]));
    const after = await at.network.networkInterfaces.get(GROUP, 'a');
    assert.equal(after.provisioningState, 'Failed');
    assert.equal(after.ipConfigurations?.[0]?.publicIPAddress, undefined);
    assert.equal((await at.send('DELETE', ID.address('pip'))).status, 202);
  });
});

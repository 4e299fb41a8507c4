import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Bench,
  bench,
  collect,
  groupBody,
  LOCATION,
  NETWORK,
  networkBody,
  outcome,
  QUICK,
  ruleBody,
  subnetBody,
} from './bench.ts';
import { CORE, NIC, putInterface } from './networks.ts';

const NSG = `${NETWORK}/networkSecurityGroups/nsg`;
const REFERENCE = { networkSecurityGroup: { id: NSG } };

async function put(made: Bench, ...rules: readonly object[]): Promise<string> {
  return outcome(await made.send('PUT', NSG, { body: groupBody(...rules) }));
}

const names = async ({ network }: Bench): Promise<unknown> =>
  (await network.networkSecurityGroups.get('rg', 'nsg')).securityRules?.map(({ name }) => name);

describe('network security groups', () => {
  it('are made, read, listed, tagged and deleted as the SDK does', async () => {
    await using made = await bench();
    const { networkSecurityGroups } = made.network;
    const created = await networkSecurityGroups.createOrUpdate(
      'RG',
      'Nsg',
      { location: LOCATION, flushConnection: true },
      QUICK,
    );
    assert.deepEqual(
      [created.id, created.securityRules, created.flushConnection],
      [NSG.replace('nsg', 'Nsg'), [], true],
    );
    assert.deepEqual(await networkSecurityGroups.get('rg', 'NSG'), created);
    assert.deepEqual(await collect(networkSecurityGroups.list('rG')), [created]);
    assert.deepEqual(await collect(networkSecurityGroups.listAll()), [created]);
    const tagged = await networkSecurityGroups.updateTags('rg', 'nsg', { tags: { a: 'b' } });
    assert.deepEqual([tagged.tags, tagged.etag === created.etag], [{ a: 'b' }, false]);
    await networkSecurityGroups.delete('rg', 'nsg', QUICK);
    assert.deepEqual(await collect(networkSecurityGroups.listAll()), []);
  });

  it('have six default rules that nobody writes', async () => {
    await using made = await bench();
    await put(made, ruleBody('DenyAllInBound', 100));
    const { defaultSecurityRules = [], securityRules = [] } = await made.network.networkSecurityGroups.get('rg', 'nsg');
    assert.deepEqual(
      defaultSecurityRules.map(({ name, direction, access, priority }) => [name, direction, access, priority]),
      [
        ['AllowVnetInBound', 'Inbound', 'Allow', 65_000],
        ['AllowAzureLoadBalancerInBound', 'Inbound', 'Allow', 65_001],
        ['DenyAllInBound', 'Inbound', 'Deny', 65_500],
        ['AllowVnetOutBound', 'Outbound', 'Allow', 65_000],
        ['AllowInternetOutBound', 'Outbound', 'Allow', 65_001],
        ['DenyAllOutBound', 'Outbound', 'Deny', 65_500],
      ],
    );
    assert.equal(securityRules.length, 1);
    const alone = await made.network.defaultSecurityRules.get('rg', 'nsg', 'allowvnetinbound');
    assert.equal(alone.sourceAddressPrefix, 'VirtualNetwork');
    assert.equal((await collect(made.network.defaultSecurityRules.list('rg', 'nsg'))).length, 6);
  });
});

describe('a network security group', () => {
  it('is replaced by a PUT, rules too; one without the list removes them all', async () => {
    await using made = await bench();
    assert.equal(await put(made, ruleBody('a', 100), ruleBody('b', 101)), '201');
    assert.equal(await put(made, ruleBody('B', 101)), '200');
    assert.deepEqual(await names(made), ['b']);
    await made.send('PUT', NSG, { body: { location: LOCATION } });
    assert.deepEqual(await names(made), []);
  });

  it('lets two rules change places in one PUT', async () => {
    await using made = await bench();
    await put(made, ruleBody('a', 100), ruleBody('b', 101));
    assert.equal(await put(made, ruleBody('a', 101), ruleBody('b', 100)), '200');
  });

  it('is not deleted while a subnet or an interface has it, and says who', async () => {
    await using made = await bench();
    await put(made);
    const subnet = subnetBody('app', '10.0.1.0/24', REFERENCE);
    await made.send('PUT', CORE, { body: networkBody({}, [subnet]) });
    const { subnets } = await made.network.networkSecurityGroups.get('rg', 'nsg');
    assert.deepEqual(
      subnets?.map(({ id }) => id),
      [`${CORE}/subnets/app`],
    );
    assert.equal(outcome(await made.send('DELETE', NSG)), '400 InUseNetworkSecurityGroupCannotBeDeleted');
    await made.send('PUT', CORE, { body: networkBody({}, [subnetBody('app', '10.0.1.0/24')]) });
    await putInterface(made, `${CORE}/subnets/app`);
    const { body } = await made.send('GET', NIC);
    await made.send('PUT', NIC, { body: { ...body, properties: { ...body.properties, ...REFERENCE } } });
    const refused = await made.send('DELETE', NSG);
    assert.equal(outcome(refused), '400 InUseNetworkSecurityGroupCannotBeDeleted');
    assert.match(refused.body.error.message, /networkInterfaces\/nic\./);
    await made.send('DELETE', NIC);
    assert.equal(outcome(await made.send('DELETE', NSG)), '202');
  });
});

describe('security rules by their own URL', () => {
  it('are made, changed, listed and deleted in their group', async () => {
    await using made = await bench();
    await put(made, ruleBody('first', 100));
    const { securityRules } = made.network;
    const asked = {
      protocol: 'Udp',
      access: 'Deny',
      direction: 'Outbound',
      priority: 200,
      description: 'no',
      sourceAddressPrefix: 'VirtualNetwork',
      sourcePortRange: '*',
      destinationAddressPrefixes: ['198.51.100.0/24', '203.0.113.7'],
      destinationPortRanges: ['53', '5000-5010'],
    };
    const rule = await securityRules.createOrUpdate('rg', 'nsg', 'Second', asked, QUICK);
    const group = await made.network.networkSecurityGroups.get('rg', 'nsg');
    assert.deepEqual(rule, group.securityRules?.[1]);
    assert.deepEqual([rule.destinationAddressPrefix, rule.destinationPortRange], [undefined, undefined]);
    assert.deepEqual([rule.etag, rule.id], [group.etag, `${NSG}/securityRules/Second`]);
    await securityRules.createOrUpdate('rg', 'nsg', 'second', { ...asked, priority: 300 }, QUICK);
    assert.deepEqual(
      (await collect(securityRules.list('rg', 'nsg'))).map(({ name, priority }) => [name, priority]),
      [
        ['first', 100],
        ['Second', 300],
      ],
    );
    await securityRules.delete('rg', 'nsg', 'FIRST', QUICK);
    assert.deepEqual(await names(made), ['Second']);
    assert.equal(outcome(await made.send('DELETE', `${NSG}/securityRules/first`)), '204');
  });

  it('cannot change places one after the other', async () => {
    await using made = await bench();
    await put(made, ruleBody('a', 100), ruleBody('b', 101));
    const swapped = await made.send('PUT', `${NSG}/securityRules/a`, { body: ruleBody('a', 101) });
    assert.equal(outcome(swapped), '400 SecurityRuleConflict');
    assert.equal(
      swapped.body.error.message,
      'Security rule a conflicts with rule b. Rules cannot have the same Priority and Direction. To learn more, see aka.ms/nsgrules.',
    );
  });
});

describe('limits of security groups', () => {
  const quotas = { securityGroups: 1, rules: { perSecurityGroup: 2, prefixesPerSide: 2, applicationGroups: 1 } };

  it('count per location, rules per group, prefixes per side', async () => {
    await using made = await bench({ arm: { quotas } });
    assert.equal(await put(made, ruleBody('a', 100), ruleBody('b', 101)), '201');
    assert.equal(
      await put(made, ruleBody('a', 100), ruleBody('b', 101), ruleBody('c', 102)),
      '400 SecurityRuleCountLimitReached',
    );
    const third = await made.send('PUT', `${NSG}/securityRules/c`, { body: ruleBody('c', 102) });
    assert.equal(outcome(third), '400 SecurityRuleCountLimitReached');
    const wide = { sourceAddressPrefix: undefined, sourceAddressPrefixes: ['1.0.0.0/8', '2.0.0.0/8', '3.0.0.0/8'] };
    assert.equal(await put(made, ruleBody('a', 100, wide)), '400 SecurityRuleAddressPrefixLimitReached');
    const other = await made.send('PUT', `${NSG}2`, { body: groupBody() });
    assert.equal(outcome(other), '400 NetworkSecurityGroupCountLimitReached');
  });

  it('a thousand rules go in one PUT, one more does not', async () => {
    await using made = await bench();
    const rules = Array.from({ length: 1001 }, (_, i) => ruleBody(`r${i}`, 100 + i));
    assert.equal(await put(made, ...rules.slice(0, 1000)), '201');
    assert.equal(await put(made, ...rules), '400 SecurityRuleCountLimitReached');
  });
});

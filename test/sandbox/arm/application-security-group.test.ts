import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
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
const WEB = `${NETWORK}/applicationSecurityGroups/web`;
const DB = `${NETWORK}/applicationSecurityGroups/db`;

const from = (...ids: readonly string[]): object =>
  ruleBody('r', 100, { sourceAddressPrefix: undefined, sourceApplicationSecurityGroups: ids.map((id) => ({ id })) });

describe('application security groups', () => {
  it('are made, read, listed, tagged and deleted as the SDK does', async () => {
    await using made = await bench();
    const { applicationSecurityGroups } = made.network;
    const created = await applicationSecurityGroups.createOrUpdate(
      'RG',
      'Web',
      { location: LOCATION, tags: { a: 'b' } },
      QUICK,
    );
    assert.deepEqual([created.id, created.provisioningState], [WEB.replace('web', 'Web'), 'Succeeded']);
    assert.deepEqual(await applicationSecurityGroups.get('rg', 'WEB'), created);
    assert.deepEqual(await collect(applicationSecurityGroups.list('rG')), [created]);
    assert.deepEqual(await collect(applicationSecurityGroups.listAll()), [created]);
    assert.deepEqual((await applicationSecurityGroups.updateTags('rg', 'web', { tags: {} })).tags, undefined);
    await applicationSecurityGroups.delete('rg', 'web', QUICK);
    assert.deepEqual(await collect(applicationSecurityGroups.listAll()), []);
  });

  it('are not deleted while a member or a rule has them', async () => {
    await using made = await bench();
    await made.send('PUT', WEB, { body: { location: LOCATION } });
    await made.send('PUT', CORE, { body: networkBody({}, [subnetBody('app', '10.0.1.0/24')]) });
    await putInterface(made, `${CORE}/subnets/app`, { applicationSecurityGroups: [{ id: WEB.toUpperCase() }] });
    const refused = await made.send('DELETE', WEB);
    assert.equal(outcome(refused), '400 InUseApplicationSecurityGroupCannotBeDeleted');
    assert.match(refused.body.error.message, /IpConfiguration\(s\) ip\.$/);
    await made.send('DELETE', NIC);
    await made.send('PUT', NSG, { body: groupBody(from(WEB)) });
    assert.equal(outcome(await made.send('DELETE', WEB)), '400 InUseApplicationSecurityGroupCannotBeDeleted');
    await made.send('PUT', NSG, { body: groupBody() });
    assert.equal(outcome(await made.send('DELETE', WEB)), '202');
  });

  it('of one rule have their members in one virtual network', async () => {
    await using made = await bench();
    for (const path of [WEB, DB]) await made.send('PUT', path, { body: { location: LOCATION } });
    for (const [path, nic, group] of [
      [CORE, NIC, WEB],
      [`${CORE}2`, `${NIC}2`, DB],
    ] as const) {
      await made.send('PUT', path, { body: networkBody({}, [subnetBody('app', '10.0.1.0/24')]) });
      const properties = { subnet: { id: `${path}/subnets/app` }, applicationSecurityGroups: [{ id: group }] };
      const body = { location: LOCATION, properties: { ipConfigurations: [{ name: 'ip', properties }] } };
      assert.equal(outcome(await made.send('PUT', nic, { body })), '201');
    }
    const put = async (...ids: readonly string[]) =>
      outcome(await made.send('PUT', NSG, { body: groupBody(from(...ids)) }));
    assert.equal(await put(WEB), '201');
    assert.equal(await put(WEB, DB), '400 AllApplicationSecurityGroupsInSecurityRuleMustBeFromSameVnet');
    await made.send('DELETE', `${NIC}2`);
    assert.equal(await put(WEB, DB), '200');
  });

  it('are limited in number, and within one security group', async () => {
    const rules = { perSecurityGroup: 9, prefixesPerSide: 9, applicationGroups: 1 };
    await using made = await bench({ arm: { quotas: { applicationGroups: 2, rules } } });
    for (const path of [WEB, DB])
      assert.equal(outcome(await made.send('PUT', path, { body: { location: LOCATION } })), '201');
    const third = await made.send('PUT', `${WEB}3`, { body: { location: LOCATION } });
    assert.equal(outcome(third), '400 ApplicationSecurityGroupCountLimitReached');
    const put = await made.send('PUT', NSG, { body: groupBody(from(WEB, DB)) });
    assert.equal(outcome(put), '400 SecurityRuleCountLimitReached');
  });
});

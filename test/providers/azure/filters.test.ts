import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { NetworkInterface } from '@azure/arm-network';
import { canonicalId } from '../../../providers/azure/ids.ts';
import { observeMachine } from '../../../providers/azure/instance/observe.ts';
import { location } from '../../support/azure-session.ts';
import { byHand, estates, inGroup, listOf, seen } from './estate.ts';

const estate = estates();
const vnet = inGroup('virtualNetworks/core');
const other = inGroup('networkSecurityGroups/other');

describe('the security groups that filter traffic', () => {
  test('of a subnet: its network where it is the own one, another by its id, or none', async () => {
    const { network, session, stage } = await estate();
    const put = async (properties: object) => {
      await byHand(stage, 'PUT', `${vnet}/subnets/app`, {
        properties: { addressPrefix: '10.20.1.0/24', ...properties },
      });
      return (await seen(session, 'subnet', 'app')).condition.filters;
    };
    await byHand(stage, 'PUT', other, { location, properties: {} });
    const own = { id: inGroup('networkSecurityGroups/core-nsg').toUpperCase() };
    assert.deepEqual(await put({ networkSecurityGroup: own }), [network.id]);
    assert.deepEqual(await put({ networkSecurityGroup: { id: other } }), [canonicalId(other)]);
    assert.deepEqual(await put({}), []);
  });

  test('of a rule: its network where the own one holds it, else the one that does', async () => {
    const { network, session, stage } = await estate();
    const properties = {
      ...{ protocol: 'Tcp', access: 'Allow', direction: 'Inbound', priority: 300 },
      ...{ sourceAddressPrefix: '*', sourcePortRange: '*', destinationAddressPrefix: '*', destinationPortRange: '22' },
    };
    await byHand(stage, 'PUT', other, { location, properties: { securityRules: [{ name: 'theirs', properties }] } });
    await byHand(stage, 'PUT', `${inGroup('networkSecurityGroups/core-nsg')}/securityRules/mine`, { properties });
    const rules = await listOf(session, 'firewall-rule');
    const heldBy = (name: string) => rules.find((rule) => rule.name === name)?.condition.filters;
    assert.deepEqual([heldBy('mine'), heldBy('theirs')], [[network.id], [canonicalId(other)]]);
  });

  const idOf = (path: string): string => `/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/${path}`;
  const subnet = { id: idOf('virtualNetworks/core/subnets/app') };
  const machineWith = (nic: NetworkInterface | undefined) =>
    observeMachine(
      {
        id: '/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/web-0',
        location: 'x',
        networkProfile: { networkInterfaces: [{ id: idOf('networkInterfaces/web-0') }] },
      },
      {
        nics: new Map(nic === undefined ? [] : [[canonicalId(idOf('networkInterfaces/web-0')), nic]]),
        ...{ addresses: new Map(), disks: new Map(), views: new Map(), unknownTo: () => undefined },
        refOf: (id) => (id === undefined ? '' : `${canonicalId(id)}#1a`),
      },
    ).condition.filters;
  const rows: readonly (readonly [string, NetworkInterface | undefined, readonly string[] | undefined])[] = [
    ['none', { ipConfigurations: [{ subnet }] }, []],
    [
      'the own one of its network',
      { ipConfigurations: [{ subnet }], networkSecurityGroup: { id: idOf('networkSecurityGroups/core-nsg') } },
      [`${canonicalId(idOf('virtualNetworks/core'))}#1a`],
    ],
    [
      'another',
      { ipConfigurations: [{ subnet }], networkSecurityGroup: { id: idOf('networkSecurityGroups/web') } },
      [canonicalId(idOf('networkSecurityGroups/web'))],
    ],
    ['an interface that was not listed', undefined, undefined],
  ];
  for (const [name, nic, want] of rows) test(`of a machine: ${name}`, () => assert.deepEqual(machineWith(nic), want));
});

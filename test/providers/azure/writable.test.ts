import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writable } from '../../../providers/azure/writable.ts';

const at = (type: string): string => `/subscriptions/S/resourceGroups/rg/providers/Microsoft.Network/${type}/x`;
const newer = { someNewerFeature: { enabled: true, name: 'kept', type: 'kept' } };

test('of an NSG: its rules and what is newer stay, and Azure’s own words go', () => {
  const nsg = {
    id: at('networkSecurityGroups'),
    name: 'x',
    type: 'Microsoft.Network/networkSecurityGroups',
    etag: 'W/"1"',
    location: 'westeurope',
    tags: { type: 'a tag', etag: 'another', purpose: 'web' },
    ...newer,
    properties: {
      ...newer,
      provisioningState: 'Succeeded',
      resourceGuid: 'g',
      subnets: [{ id: 's' }],
      networkInterfaces: [{ id: 'n' }],
      defaultSecurityRules: [{ name: 'AllowVnetInBound' }],
      securityRules: [
        { name: 'web', id: 'r', etag: 'W/"1"', properties: { priority: 100, provisioningState: 'Succeeded' } },
      ],
    },
  };
  assert.deepEqual(writable(nsg), {
    id: nsg.id,
    location: 'westeurope',
    tags: { type: 'a tag', etag: 'another', purpose: 'web' },
    ...newer,
    properties: { ...newer, securityRules: [{ name: 'web', id: 'r', properties: { priority: 100 } }] },
  });
});

const subnet = `${at('virtualNetworks')}/subnets/app`;
test('of a VNet: its peerings stay, without what Azure alone says of the other side', () => {
  const peering = { allowForwardedTraffic: true, remoteVirtualNetwork: { id: 'far' }, peeringState: 'Connected' };
  const properties = { ...peering, provisioningState: 'Succeeded', remoteVirtualNetworkEncryption: { enabled: true } };
  const vnet = { id: at('virtualNetworks'), properties: { virtualNetworkPeerings: [{ name: 'link', properties }] } };
  assert.deepEqual(writable(vnet).properties, { virtualNetworkPeerings: [{ name: 'link', properties: peering }] });
});

test('of a VNet: its subnets stay, without the machines in them', () => {
  const vnet = {
    id: at('virtualNetworks'),
    properties: {
      addressSpace: { addressPrefixes: ['10.0.0.0/16'] },
      subnets: [
        {
          name: 'app',
          id: subnet,
          properties: { addressPrefix: '10.0.1.0/24', ipConfigurations: [{ id: 'c' }], ...newer },
        },
      ],
    },
  };
  assert.deepEqual(writable(vnet).properties, {
    addressSpace: { addressPrefixes: ['10.0.0.0/16'] },
    subnets: [{ name: 'app', id: subnet, properties: { addressPrefix: '10.0.1.0/24', ...newer } }],
  });
});

test('of an interface: whether a configuration is the primary one is ours to say', () => {
  const nic = {
    id: at('networkInterfaces'),
    properties: {
      primary: true,
      macAddress: 'aa',
      virtualMachine: { id: 'vm' },
      dnsSettings: { dnsServers: ['10.0.0.4'], appliedDnsServers: [], internalDomainNameSuffix: 'i' },
      ipConfigurations: [{ name: 'main', properties: { primary: true, provisioningState: 'Succeeded' } }],
    },
  };
  assert.deepEqual(writable(nic).properties, {
    dnsSettings: { dnsServers: ['10.0.0.4'] },
    ipConfigurations: [{ name: 'main', properties: { primary: true } }],
  });
});

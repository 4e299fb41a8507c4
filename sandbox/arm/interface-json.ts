import type { IpConfiguration, NetworkInterface } from './machine-records.ts';
import { childPath, keyOf, nameOf } from './resource-id.ts';
import type { Subscription } from './subscription.ts';
import { tagsBody } from './tags.ts';

/** https://learn.microsoft.com/rest/api/virtualnetwork/network-interfaces/get */
export function interfaceBody(subscription: Subscription, nic: NetworkInterface): object {
  const { path, version, location, securityGroup, machine } = nic;
  return {
    name: nameOf(path),
    id: path,
    etag: version.etag,
    type: 'Microsoft.Network/networkInterfaces',
    location,
    ...tagsBody(nic.tags),
    properties: {
      provisioningState: version.state,
      resourceGuid: nic.guid,
      ipConfigurations: nic.configurations.map((each) => configurationBody(subscription, nic, each)),
      dnsSettings: { dnsServers: [], appliedDnsServers: [] },
      vnetEncryptionSupported: false,
      enableAcceleratedNetworking: false,
      enableIPForwarding: false,
      disableTcpStateTracking: false,
      ...nic.kept,
      ...(securityGroup === undefined ? {} : { networkSecurityGroup: { id: securityGroup } }),
      ...(machine === undefined ? {} : attachedBody(subscription, nic, machine)),
      hostedWorkloads: [],
      tapConfigurations: [],
      nicType: nic.kept['nicType'] ?? 'Standard',
    },
  };
}

/** Only a machine that has run knows its hardware address; `primary` shows on an attached interface alone. */
function attachedBody(subscription: Subscription, nic: NetworkInterface, machine: string): object {
  const references = subscription.machines.get(keyOf(machine))?.interfaces ?? [];
  const own = references.find(({ path }) => keyOf(path) === nic.id);
  return {
    macAddress: `00-0D-3A-${nic.guid
      .slice(0, 6)
      .toUpperCase()
      .replace(/(..)(?=.)/g, '$1-')}`,
    primary: own?.primary ?? references.length === 1,
    virtualMachine: { id: machine },
  };
}

export function configurationPath(nic: { readonly path: string }, name: string): string {
  return childPath(nic, 'ipConfigurations', name);
}

function configurationBody(subscription: Subscription, nic: NetworkInterface, configuration: IpConfiguration): object {
  const { name, subnet, privateAddress, publicAddress, groups, settings } = configuration;
  return {
    name,
    id: configurationPath(nic, name),
    etag: nic.version.etag,
    type: 'Microsoft.Network/networkInterfaces/ipConfigurations',
    properties: {
      provisioningState: nic.version.state,
      privateIPAddress: privateAddress,
      privateIPAllocationMethod: settings.allocation,
      ...(publicAddress === undefined ? {} : { publicIPAddress: addressReference(subscription, publicAddress) }),
      subnet: { id: subnet },
      primary: settings.primary,
      privateIPAddressVersion: 'IPv4',
      ...(groups.length === 0 ? {} : { applicationSecurityGroups: groups.map((id) => ({ id })) }),
    },
  };
}

function addressReference(subscription: Subscription, path: string): object {
  const deleteOption = subscription.addresses.get(keyOf(path))?.deleteOption;
  return { id: path, ...(deleteOption === undefined ? {} : { properties: { deleteOption } }) };
}

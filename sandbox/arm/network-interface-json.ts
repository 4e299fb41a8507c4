import { JsonProblem, listOf, oneOf, optional, type Reader, scalar } from '../json.ts';
import { anything, fields, readOnly } from './body.ts';
import type { IpConfiguration, NetworkInterface } from './records.ts';
import { childPath, keyOf, nameOf } from './resource-id.ts';
import type { Subscription } from './subscription.ts';
import { tagsBody, tagsField } from './tags.ts';

const text = optional(scalar('string'));

const flag = optional(scalar('boolean'));

/** `{ "id": … }`: of what else somebody sends along, nothing is read. */
export const reference: Reader<string> = (value, path) => {
  if (typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string') return value.id;
  throw new JsonProblem(`Value for reference id is missing. Path '${path}.id'.`);
};

const deleteOption = optional(oneOf('Delete', 'Detach'));

type AddressReference = { readonly path: string; readonly deleteOption: ReturnType<typeof deleteOption> };

/** A public address may be told here what becomes of it: https://learn.microsoft.com/azure/virtual-machines/delete */
const addressReference: Reader<AddressReference> = (value, path) => {
  const id = reference(value, path);
  const properties =
    typeof value === 'object' && value !== null && 'properties' in value ? value.properties : undefined;
  const option =
    typeof properties === 'object' && properties !== null && 'deleteOption' in properties
      ? properties.deleteOption
      : undefined;
  return { path: id, deleteOption: deleteOption(option, `${path}.properties.deleteOption`) };
};

const configuration = fields({
  name: text,
  properties: fields({
    subnet: optional(reference),
    privateIPAddress: text,
    privateIPAllocationMethod: optional(oneOf('Dynamic', 'Static')),
    privateIPAddressVersion: optional(oneOf('IPv4')),
    primary: flag,
    publicIPAddress: optional(addressReference),
    applicationSecurityGroups: optional(listOf(reference)),
    privateIPAddressPrefixLength: readOnly,
    provisioningState: readOnly,
    privateLinkConnectionProperties: readOnly,
  }),
  id: readOnly,
  etag: readOnly,
  type: readOnly,
});

/** The sandbox stores and returns these fields. They change nothing in it. */
const KEPT = {
  dnsSettings: anything,
  enableAcceleratedNetworking: flag,
  enableIPForwarding: flag,
  disableTcpStateTracking: flag,
  nicType: text,
  auxiliaryMode: text,
  auxiliarySku: text,
  workloadType: text,
} as const;

/** https://learn.microsoft.com/rest/api/virtualnetwork/network-interfaces/create-or-update, as far as the sandbox models it. */
export const interfaceForm = fields({
  location: text,
  tags: tagsField,
  properties: fields({
    ...KEPT,
    ipConfigurations: optional(listOf(configuration)),
    networkSecurityGroup: optional(reference),
    virtualMachine: readOnly,
    privateEndpoint: readOnly,
    tapConfigurations: readOnly,
    macAddress: readOnly,
    primary: readOnly,
    vnetEncryptionSupported: readOnly,
    defaultOutboundConnectivityEnabled: readOnly,
    hostedWorkloads: readOnly,
    dscpConfiguration: readOnly,
    resourceGuid: readOnly,
    provisioningState: readOnly,
    privateLinkService: readOnly,
    migrationPhase: readOnly,
  }),
  id: readOnly,
  name: readOnly,
  type: readOnly,
  etag: readOnly,
  kind: readOnly,
});

export type InterfaceForm = ReturnType<typeof interfaceForm>;

export type ConfigurationForm = ReturnType<typeof configuration>;

export const INTERFACE_KEPT = Object.keys(KEPT);

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
      ...(publicAddress === undefined ? {} : { publicIPAddress: addressReferenceBody(subscription, publicAddress) }),
      subnet: { id: subnet },
      primary: settings.primary,
      privateIPAddressVersion: 'IPv4',
      ...(groups.length === 0 ? {} : { applicationSecurityGroups: groups.map((id) => ({ id })) }),
    },
  };
}

function addressReferenceBody(subscription: Subscription, path: string): object {
  const deleteOption = subscription.addresses.get(keyOf(path))?.deleteOption;
  return { id: path, ...(deleteOption === undefined ? {} : { properties: { deleteOption } }) };
}

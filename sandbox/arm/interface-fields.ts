import { listOf, optional, type Reader } from '../json.ts';
import { JsonProblem } from '../json-problem.ts';
import { oneOf, scalar } from '../json-scalar.ts';
import { anything, fields, readOnly } from './body.ts';
import { tagsField } from './tags.ts';

const text = optional(scalar('string'));

const flag = optional(scalar('boolean'));

/** `{ "id": … }`: of what else somebody sends along, nothing is read. */
export const reference: Reader<string> = (value, path) => {
  if (typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string') return value.id;
  throw new JsonProblem(`Value for reference id is missing. Path '${path}.id'.`);
};

const deleteOption = optional(oneOf('Delete', 'Detach'));

export type AddressReference = { readonly path: string; readonly deleteOption: ReturnType<typeof deleteOption> };

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

/** What is kept and given back, and changes nothing in the sandbox. */
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

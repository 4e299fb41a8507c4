import { JsonProblem, listOf, mapOf, oneOf, optional, type Reader, scalar } from '../json.ts';
import { anything, fields, readOnly } from './body.ts';
import { reference } from './network-interface-json.ts';
import type { Kept } from './records.ts';
import { tagsField } from './tags.ts';

const text = optional(scalar('string'));

const number = optional(scalar('number'));

const flag = optional(scalar('boolean'));

const deleteOption = optional(oneOf('Delete', 'Detach'));

/** An object that is kept as it is. */
const bag: Reader<Kept> = (value, path) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new JsonProblem(`Error converting value to an object. Path '${path}'.`);
  return Object.fromEntries(Object.entries(value));
};

const osDisk = fields({
  name: text,
  osType: optional(oneOf('Linux', 'Windows')),
  createOption: text,
  caching: optional(oneOf('None', 'ReadOnly', 'ReadWrite')),
  diskSizeGB: number,
  deleteOption,
  managedDisk: optional(
    fields({ id: text, storageAccountType: text, diskEncryptionSet: readOnly, securityProfile: readOnly }),
  ),
  writeAcceleratorEnabled: readOnly,
});

const linux = fields({
  disablePasswordAuthentication: flag,
  ssh: optional(fields({ publicKeys: optional(listOf(fields({ path: text, keyData: text }))) })),
  provisionVMAgent: flag,
  patchSettings: optional(bag),
  enableVMAgentPlatformUpdates: flag,
});

const osProfile = fields({
  computerName: text,
  adminUsername: text,
  adminPassword: text,
  customData: text,
  linuxConfiguration: optional(linux),
  windowsConfiguration: optional(bag),
  secrets: anything,
  allowExtensionOperations: flag,
  requireGuestProvisionSignal: flag,
});

const attached = optional(fields({ primary: flag, deleteOption }));

/** `{id, properties: {primary, deleteOption}}` */
const interfaceReference: Reader<{ readonly path: string; readonly said: ReturnType<typeof attached> }> = (
  value,
  path,
) => ({
  path: reference(value, path),
  said: attached(
    typeof value === 'object' && value !== null && 'properties' in value ? (value.properties ?? undefined) : undefined,
    `${path}.properties`,
  ),
});

const publicAddressConfiguration = fields({
  name: text,
  sku: optional(fields({ name: optional(oneOf('Basic', 'Standard')), tier: text })),
  properties: optional(
    fields({
      deleteOption,
      publicIPAllocationMethod: optional(oneOf('Dynamic', 'Static')),
      publicIPAddressVersion: optional(oneOf('IPv4')),
      idleTimeoutInMinutes: number,
      dnsSettings: anything,
      ipTags: anything,
    }),
  ),
  tags: tagsField,
});

const interfaceConfiguration = fields({
  name: text,
  properties: fields({
    primary: flag,
    deleteOption,
    enableAcceleratedNetworking: flag,
    enableIPForwarding: flag,
    disableTcpStateTracking: flag,
    dnsSettings: anything,
    networkSecurityGroup: optional(reference),
    ipConfigurations: listOf(
      fields({
        name: text,
        properties: fields({
          subnet: optional(reference),
          primary: flag,
          privateIPAddressVersion: optional(oneOf('IPv4')),
          publicIPAddressConfiguration: optional(publicAddressConfiguration),
          applicationSecurityGroups: optional(listOf(reference)),
        }),
      }),
    ),
  }),
  tags: tagsField,
});

/** The sandbox stores and returns these fields. They change nothing in it. */
const KEPT = {
  securityProfile: anything,
  diagnosticsProfile: anything,
  additionalCapabilities: anything,
  availabilitySet: anything,
  proximityPlacementGroup: anything,
  priority: text,
  evictionPolicy: text,
  billingProfile: anything,
  licenseType: text,
  userData: text,
  extensionsTimeBudget: text,
  scheduledEventsProfile: anything,
  scheduledEventsPolicy: anything,
  applicationProfile: anything,
} as const;

const properties = fields({
  ...KEPT,
  hardwareProfile: optional(fields({ vmSize: text, vmSizeProperties: readOnly })),
  storageProfile: optional(
    fields({
      imageReference: optional(bag),
      osDisk: optional(osDisk),
      dataDisks: optional(listOf(anything)),
      diskControllerType: readOnly,
      alignRegionalDisksToVMZone: readOnly,
    }),
  ),
  osProfile: optional(osProfile),
  networkProfile: optional(
    fields({
      networkInterfaces: optional(listOf(interfaceReference)),
      networkApiVersion: text,
      networkInterfaceConfigurations: optional(listOf(interfaceConfiguration)),
    }),
  ),
  provisioningState: readOnly,
  instanceView: readOnly,
  vmId: readOnly,
  timeCreated: readOnly,
});

const top = {
  tags: tagsField,
  identity: optional(
    fields({
      type: optional(oneOf('SystemAssigned', 'UserAssigned', 'SystemAssigned, UserAssigned', 'None')),
      userAssignedIdentities: optional(mapOf(anything)),
      principalId: readOnly,
      tenantId: readOnly,
    }),
  ),
  zones: optional(listOf(scalar('string'))),
  plan: anything,
  id: readOnly,
  name: readOnly,
  type: readOnly,
  etag: readOnly,
  managedBy: readOnly,
  resources: readOnly,
  systemData: readOnly,
} as const;

/** https://learn.microsoft.com/rest/api/compute/virtual-machines/create-or-update, as far as the sandbox models it. */
export const machineForm = fields({ ...top, location: text, properties: optional(properties) });

export type MachineForm = ReturnType<typeof machineForm>;

export type MachineProperties = NonNullable<MachineForm['properties']>;

export type InterfaceConfigurationForm = ReturnType<typeof interfaceConfiguration>;

export const MACHINE_KEPT = Object.keys(KEPT);

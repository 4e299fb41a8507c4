import { JsonProblem, listOf, mapOf, oneOf, optional, type Reader, scalar } from '../json.ts';
import { anything, fields, outputs, readOnly } from './body.ts';
import { refused } from './errors.ts';
import { reference } from './network-interface.ts';
import type { ImageReference, Kept, OsProfile } from './records.ts';
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
  ...outputs,
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

type OsForm = NonNullable<MachineProperties['osProfile']>;

type LinuxForm = NonNullable<OsForm['linuxConfiguration']>;

/** https://learn.microsoft.com/rest/api/compute/virtual-machines/create-or-update#osprofile: adminUsername */
const DISALLOWED: ReadonlySet<string> = new Set(
  `administrator admin user user1 test user2 test1 user3 admin1 1 123 a actuser adm admin2 aspnet backup console david
   guest john owner root server sql support support_388945a0 sys test2 test3 user4 user5`.split(/\s+/),
);

/** Characters of Base64 that 65535 bytes need; the same page: customData. */
const MOST_CUSTOM_DATA = 87_380;

/** Checks the logins of a machine. Rules and messages: https://learn.microsoft.com/azure/virtual-machines/error-codes. */
export function checkedOs(form: OsForm | undefined, { osType }: ImageReference): OsProfile {
  if (!form) throw missing('osProfile');
  const { computerName, adminUsername, adminPassword, customData } = form;
  checkComputerName(computerName, osType);
  checkUser(adminUsername);
  checkCustomData(customData);
  const shown = {
    computerName,
    adminUsername,
    ...(osType === 'Linux' ? { linuxConfiguration: linuxOf(form) } : { windowsConfiguration: windowsOf(form) }),
    secrets: [],
    allowExtensionOperations: form.allowExtensionOperations ?? true,
    requireGuestProvisionSignal: true,
  };
  return { shown, hidden: { customData, adminPassword } };
}

function checkComputerName(name: string | undefined, osType: string): void {
  if (name === undefined) throw missing('osProfile.computerName');
  const most = osType === 'Linux' ? 64 : 15;
  if (name.length > 0 && name.length <= most && /^[A-Za-z0-9][A-Za-z0-9.-]*$/.test(name) && !/[.-]$/.test(name)) return;
  throw invalid(
    'computerName',
    `${osType} host name cannot exceed ${most} characters in length or contain the following characters: \` ~ ! @ # $ % ^ & * ( ) = + _ [ ] { } \\ | ; : ' " , < > / ?.`,
  );
}

function checkUser(name: string | undefined): void {
  if (name === undefined) throw missing('osProfile.adminUsername');
  if (name === '' || name.length > 64 || DISALLOWED.has(name.toLowerCase()))
    throw invalid('adminUsername', 'The Admin Username specified is not allowed.');
}

function checkCustomData(data: string | undefined): void {
  if (data === undefined) return;
  if (data.length <= MOST_CUSTOM_DATA && /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(data))
    return;
  throw invalid(
    'customData',
    `Custom data in OSProfile must be in Base64 encoding and with a maximum length of ${MOST_CUSTOM_DATA} characters.`,
  );
}

function linuxOf({ linuxConfiguration: linux, adminUsername, adminPassword }: OsForm): object {
  const keys = keysOf(linux, adminUsername ?? '');
  const keysOnly = linux?.disablePasswordAuthentication ?? false;
  if (keysOnly ? keys.length === 0 : adminPassword === undefined && keys.length === 0)
    throw invalid(
      'linuxConfiguration',
      'Authentication using either SSH or by user name and password must be enabled in Linux profile.',
    );
  if (!keysOnly && adminPassword === undefined) throw missing('adminPassword');
  return {
    disablePasswordAuthentication: keysOnly,
    ...(keys.length === 0 ? {} : { ssh: { publicKeys: keys } }),
    provisionVMAgent: linux?.provisionVMAgent ?? true,
    patchSettings: linux?.patchSettings ?? { patchMode: 'ImageDefault', assessmentMode: 'ImageDefault' },
    ...(linux?.enableVMAgentPlatformUpdates === undefined
      ? {}
      : { enableVMAgentPlatformUpdates: linux.enableVMAgentPlatformUpdates }),
  };
}

/** https://learn.microsoft.com/azure/virtual-machines/linux/mac-create-ssh-keys#supported-ssh-key-formats */
function keysOf(linux: LinuxForm | undefined, user: string): readonly { path: string; keyData: string }[] {
  const home = `/home/${user}/.ssh/authorized_keys`;
  return (linux?.ssh?.publicKeys ?? []).map(({ path = home, keyData = '' }) => {
    if (path !== home)
      throw invalid(
        'linuxConfiguration.ssh.publicKeys.path',
        `Destination path for Ssh public keys is currently limited to its default value ${home}  due to a known issue in Linux provisioning agent.`,
      );
    if (!/^(?:ssh-rsa|ssh-ed25519) [A-Za-z0-9+/]+=*(?: .*)?\s*$/.test(keyData))
      throw invalid(
        'linuxConfiguration.ssh.publicKeys.keyData',
        'The value of parameter linuxConfiguration.ssh.publicKeys.keyData is invalid.',
      );
    return { path, keyData };
  });
}

function windowsOf({ windowsConfiguration, adminPassword }: OsForm): object {
  if (adminPassword === undefined) throw missing('adminPassword');
  return { provisionVMAgent: true, enableAutomaticUpdates: true, ...windowsConfiguration };
}

function missing(target: string): Error {
  return invalid(target, `Required parameter '${target}' is missing (null).`);
}

export function invalid(target: string, message: string): Error {
  return refused('InvalidParameter', message, { target });
}

import { badBootOf } from './machine-launch.ts';
import { TENANT } from './methods/subscription.ts';
import type { Identity, InterfaceReference, PowerState, ProvisioningState, VirtualMachine } from './records.ts';
import { keyOf, nameOf } from './resource-id.ts';
import type { BadBoot, Subscription } from './subscription.ts';
import { tagsBody } from './tags.ts';

export const MACHINE_TYPE = 'Microsoft.Compute/virtualMachines';

export type Expand = 'instanceView' | 'userData' | undefined;

/** https://learn.microsoft.com/rest/api/compute/virtual-machines/get */
export function machineBody(subscription: Subscription, machine: VirtualMachine, expand?: Expand): object {
  const { path, settings, os } = machine;
  const { userData, ...kept } = settings.kept;
  return {
    name: nameOf(path),
    id: path,
    type: MACHINE_TYPE,
    location: machine.location,
    ...tagsBody(machine.tags),
    ...(settings.identity === undefined ? {} : { identity: identityBody(settings.identity) }),
    ...(settings.zones === undefined ? {} : { zones: settings.zones }),
    etag: machine.version.etag,
    properties: {
      ...kept,
      ...(expand === 'userData' && userData !== undefined ? { userData } : {}),
      hardwareProfile: { vmSize: machine.size },
      provisioningState: machine.version.state,
      vmId: machine.guid,
      storageProfile: storageBody(subscription, machine),
      osProfile: os.shown,
      networkProfile: { networkInterfaces: machine.interfaces.map(referenceBody) },
      timeCreated: new Date(settings.createdAt).toISOString(),
      ...(expand === 'instanceView' ? { instanceView: instanceView(subscription, machine) } : {}),
    },
  };
}

/**
 * The answer to a listing with `statusOnly=true`. The reference says only that it "enables fetching run time status of all
 * Virtual Machines in the subscription" (https://learn.microsoft.com/rest/api/compute/virtual-machines/list-all): the
 * sandbox sends the status and the machine's identity, and no model, so that nobody relies on more.
 */
export function statusBody(machine: VirtualMachine): object {
  return {
    name: nameOf(machine.path),
    id: machine.path,
    type: MACHINE_TYPE,
    location: machine.location,
    properties: { vmId: machine.guid, instanceView: { statuses: statusesOf(machine) } },
  };
}

/** Size and type of the disk are told only while the machine is allocated: https://github.com/Azure/azure-powershell/issues/13213 */
function storageBody(subscription: Subscription, { storage, power }: VirtualMachine): object {
  const { image } = storage;
  const disk = subscription.disks.get(keyOf(storage.osDisk));
  const allocated = disk !== undefined && power.state !== 'deallocated';
  return {
    imageReference: {
      ...image.written,
      ...(image.exactVersion === undefined ? {} : { exactVersion: image.exactVersion }),
    },
    osDisk: {
      osType: image.osType,
      name: nameOf(storage.osDisk),
      createOption: 'FromImage',
      caching: storage.caching,
      managedDisk: { ...(allocated ? { storageAccountType: disk.sku } : {}), id: storage.osDisk },
      deleteOption: storage.deleteOption,
      ...(allocated ? { diskSizeGB: disk.size } : {}),
    },
    dataDisks: [],
  };
}

function referenceBody({ path, primary, deleteOption }: InterfaceReference): object {
  const said = {
    ...(primary === undefined ? {} : { primary }),
    ...(deleteOption === undefined ? {} : { deleteOption }),
  };
  return { id: path, ...(Object.keys(said).length === 0 ? {} : { properties: said }) };
}

function identityBody({ type, principalId, users }: Identity): object {
  return {
    type,
    ...(principalId === undefined ? {} : { principalId, tenantId: TENANT }),
    ...(users.size === 0 ? {} : { userAssignedIdentities: Object.fromEntries(users) }),
  };
}

interface Status {
  readonly code: string;
  readonly level: 'Info' | 'Warning' | 'Error';
  readonly displayStatus: string;
  readonly message?: string;
  readonly time?: string;
}

/** https://learn.microsoft.com/azure/virtual-machines/states-billing#provisioning-states */
const PROVISIONING: Readonly<Record<ProvisioningState, Omit<Status, 'time'>>> = {
  Creating: { code: 'ProvisioningState/creating', level: 'Info', displayStatus: 'Creating' },
  Updating: { code: 'ProvisioningState/updating', level: 'Info', displayStatus: 'Updating' },
  Deleting: { code: 'ProvisioningState/deleting', level: 'Info', displayStatus: 'Deleting' },
  Succeeded: { code: 'ProvisioningState/succeeded', level: 'Info', displayStatus: 'Provisioning succeeded' },
  Failed: { code: 'ProvisioningState/failed', level: 'Error', displayStatus: 'Provisioning failed' },
};

/** https://learn.microsoft.com/azure/virtual-machines/states-billing#power-states-and-billing */
function statusesOf({
  version,
  power,
  settings: { failing },
}: Pick<VirtualMachine, 'version' | 'power' | 'settings'>): readonly Status[] {
  const time = new Date(version.changedAt).toISOString();
  const provisioning = PROVISIONING[version.state];
  if (version.state !== 'Failed' || failing === undefined) return [{ ...provisioning, time }, powerStatus(power.state)];
  const { code, message } = failing;
  return [{ ...provisioning, code: `${provisioning.code}/${code}`, message, time }, powerStatus(power.state)];
}

function powerStatus(state: PowerState): Status {
  return { code: `PowerState/${state}`, level: 'Info', displayStatus: `VM ${state}` };
}

/** https://learn.microsoft.com/rest/api/compute/virtual-machines/instance-view. A machine that does not run tells nothing of its inside. */
export function instanceView(subscription: Subscription, machine: VirtualMachine): object {
  const disk = subscription.disks.get(keyOf(machine.storage.osDisk));
  const time = new Date(machine.settings.createdAt).toISOString();
  const inside =
    machine.power.state === 'running' ? runningView(machine, badBootOf(subscription, machine.storage.image)) : {};
  return {
    ...inside,
    disks: [
      {
        name: nameOf(machine.storage.osDisk),
        statuses: [{ ...PROVISIONING.Succeeded, time }],
      },
    ],
    hyperVGeneration: disk?.source.generation ?? 'V2',
    statuses: statusesOf(machine),
  };
}

function runningView({ os, storage, power }: VirtualMachine, bad: BadBoot | undefined): object {
  const time = new Date(power.since).toISOString();
  if (bad === 'times out') return { vmAgent: { vmAgentVersion: 'Unknown', statuses: [{ ...NOT_READY, time }] } };
  return {
    computerName: os.shown['computerName'],
    osName: storage.image.osType === 'Windows' ? 'Windows Server' : 'linux',
    vmAgent: {
      vmAgentVersion: '2.9.1.1',
      statuses: [{ ...(bad === 'loses its agent' ? NOT_READY : READY), time }],
      extensionHandlers: [],
    },
  };
}

const READY: Status = {
  code: 'ProvisioningState/succeeded',
  level: 'Info',
  displayStatus: 'Ready',
  message: 'Guest Agent is running',
};

/** https://learn.microsoft.com/troubleshoot/azure/virtual-machines/windows/windows-azure-guest-agent */
const NOT_READY: Status = {
  code: 'ProvisioningState/Unavailable',
  level: 'Warning',
  displayStatus: 'Not Ready',
  message: 'VM status blob is found but not yet populated.',
};

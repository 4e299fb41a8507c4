import type { Identity, InterfaceReference, VirtualMachine } from './machine-records.ts';
import { instanceView, statusesOf } from './machine-view.ts';
import { TENANT } from './methods/subscription.ts';
import { keyOf, nameOf } from './resource-id.ts';
import type { Subscription } from './subscription.ts';
import { tagsBody } from './tags.ts';

export const MACHINE_TYPE = 'Microsoft.Compute/virtualMachines';

/** What `$expand` asks for. */
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
 * What a listing with `statusOnly=true` answers. The reference says only that it "enables fetching run time status of all
 * Virtual Machines in the subscription" (https://learn.microsoft.com/rest/api/compute/virtual-machines/list-all): the
 * sandbox sends the status and what tells the machine, and no model, so that nobody relies on more.
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

import { refused } from './errors.ts';
import type { Disk, VirtualMachine } from './records.ts';
import { freshGuid, keyOf, nameOf } from './resource-id.ts';
import type { Subscription } from './subscription.ts';
import { tagsBody } from './tags.ts';

/** https://learn.microsoft.com/rest/api/compute/disks/create-or-update#diskstorageaccounttypes */
const SKUS = [
  'Standard_LRS',
  'Premium_LRS',
  'StandardSSD_LRS',
  'UltraSSD_LRS',
  'Premium_ZRS',
  'StandardSSD_ZRS',
  'PremiumV2_LRS',
] as const;

/** https://learn.microsoft.com/azure/virtual-machines/disks-types#ultra-disks: these are data disks only. */
const NO_OS_DISK: ReadonlySet<string> = new Set(['UltraSSD_LRS', 'PremiumV2_LRS']);

/** In GiB: https://learn.microsoft.com/azure/virtual-machines/managed-disks-overview#os-disk */
const LARGEST_OS_DISK = 4095;

export function checkedDiskType(written: string): string {
  const found = SKUS.find((sku) => sku.toLowerCase() === written.toLowerCase());
  if (found && !NO_OS_DISK.has(found)) return found;
  throw refused('InvalidParameter', `The value '${written}' of parameter storageAccountType is invalid.`, {
    target: 'osDisk.managedDisk.storageAccountType',
  });
}

export function checkedDiskSize(size: number): number {
  if (Number.isInteger(size) && size >= 1 && size <= LARGEST_OS_DISK) return size;
  throw refused('InvalidParameter', `The value '${size}' of parameter diskSizeGB is out of range.`, {
    target: 'osDisk.diskSizeGB',
  });
}

/** `web-0_OsDisk_1_` and 32 hex digits, for a disk that nobody named. */
export function diskNameFor(subscription: Subscription, machine: string): string {
  return `${machine}_OsDisk_1_${freshGuid(subscription.random).replaceAll('-', '')}`;
}

/** The machine that has the disk, as long as it holds its host. */
function allocatedOwner(subscription: Subscription, { machine }: Disk): VirtualMachine | undefined {
  const owner = machine === undefined ? undefined : subscription.machines.get(keyOf(machine));
  return owner?.power.state === 'deallocated' ? undefined : owner;
}

/**
 * The disk with another size or type. Both change on an OS disk only while its machine is deallocated. No disk shrinks.
 * https://learn.microsoft.com/azure/virtual-machines/linux/expand-disks, https://learn.microsoft.com/azure/virtual-machines/disks-convert-types
 */
export function resized(
  subscription: Subscription,
  disk: Disk,
  wanted: { readonly size?: number | undefined; readonly sku?: string | undefined },
): Disk {
  const { size = disk.size, sku = disk.sku } = wanted;
  const owner = allocatedOwner(subscription, disk);
  // https://github.com/MicrosoftDocs/azure-docs/pull/57951, which gives no code
  if (size < disk.size)
    throw refused(
      'BadRequest',
      `The disk/snapshot resource with id ${disk.path} cannot be resized down. Reducing disk/snapshot size is not supported in Azure to prevent data loss. If you do need to reduce the size of the disk, please create new snapshot/disks with the appropriate size. More information is available at https://aka.ms/AzureDisksFAQ`,
    );
  // https://github.com/kubernetes/kubernetes/issues/96706
  if (size !== disk.size && owner)
    throw refused(
      'OperationNotAllowed',
      `Cannot resize disk ${nameOf(disk.path)} while it is attached to running VM ${owner.path}. Resizing a disk of an Azure Virtual Machine requires the virtual machine to be deallocated. Please stop your VM and retry the operation.`,
    );
  if (sku !== disk.sku && owner)
    throw refused(
      'OperationNotAllowed',
      `Cannot change account type of disk ${nameOf(disk.path)} while it is attached to running VM ${owner.path}. Please deallocate your VM and retry the operation.`,
    );
  return { ...disk, size: checkedDiskSize(size), sku: checkedDiskType(sku) };
}

/** https://github.com/ansible/ansible/pull/54644 */
export function refuseAttachedDisk({ path, machine }: Disk): void {
  if (machine !== undefined) throw refused('OperationNotAllowed', `Disk ${nameOf(path)} is attached to VM ${machine}.`);
}

export const DISK_TYPE = 'Microsoft.Compute/disks';

/** https://learn.microsoft.com/rest/api/compute/disks/get */
export function diskBody(subscription: Subscription, disk: Disk): object {
  const { path, machine, sku, size, source, version } = disk;
  return {
    name: nameOf(path),
    id: path,
    type: DISK_TYPE,
    location: disk.location,
    ...tagsBody(disk.tags),
    ...(disk.kept.zones === undefined ? {} : { zones: disk.kept.zones }),
    ...(machine === undefined ? {} : { managedBy: machine }),
    sku: { name: sku, tier: sku.startsWith('Premium') ? 'Premium' : 'Standard' },
    properties: {
      osType: source.osType,
      hyperVGeneration: source.generation,
      creationData: { createOption: 'FromImage', imageReference: { id: source.imageId } },
      diskSizeGB: size,
      diskSizeBytes: size * 2 ** 30,
      encryption: { type: 'EncryptionAtRestWithPlatformKey' },
      networkAccessPolicy: 'AllowAll',
      publicNetworkAccess: 'Enabled',
      timeCreated: new Date(disk.createdAt).toISOString(),
      provisioningState: version.state,
      diskState: stateOf(subscription, disk),
      uniqueId: disk.guid,
    },
  };
}

/** https://learn.microsoft.com/rest/api/compute/disks/get#diskstate: reserved is attached to a machine that is deallocated. */
function stateOf(subscription: Subscription, { machine }: Disk): string {
  if (machine === undefined) return 'Unattached';
  return subscription.machines.get(keyOf(machine))?.power.state === 'deallocated' ? 'Reserved' : 'Attached';
}

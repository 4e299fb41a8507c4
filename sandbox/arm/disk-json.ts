import type { Disk } from './machine-records.ts';
import { keyOf, nameOf } from './resource-id.ts';
import type { Subscription } from './subscription.ts';
import { tagsBody } from './tags.ts';

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

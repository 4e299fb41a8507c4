import { checkedDiskSize, checkedDiskType, diskNameFor } from './disks.ts';
import { refused } from './errors.ts';
import { freshEtag } from './etag.ts';
import { freshGuid } from './guid.ts';
import { type Source, sourceOf } from './images.ts';
import { badBootOf, shutDown, timedOut } from './machine-boot.ts';
import { MACHINE_KEPT, type MachineForm, type MachineProperties } from './machine-fields.ts';
import { identityFor } from './machine-identity.ts';
import { connect, type NetworkPlan, type Owner, plannedNetwork } from './machine-network.ts';
import { nextEtag, operate } from './machine-operation.ts';
import { checkedOs, invalid } from './machine-os.ts';
import { checkMachineQuotas } from './machine-quotas.ts';
import type { Disk, VirtualMachine } from './machine-records.ts';
import { checkedSize } from './machine-sizes.ts';
import type { Asked } from './method.ts';
import { placeOf } from './placement.ts';
import type { Kept } from './records.ts';
import { keyOf, nameOf, resourcePath } from './resource-id.ts';

import { checkedTags } from './tags.ts';

interface LaunchPlan {
  readonly machine: VirtualMachine;
  readonly disk: Disk;
  readonly network: NetworkPlan;
}

/** Checks the whole order first, then makes the machine with its parts: a refused order leaves nothing behind. */
export function launch(asked: Asked, path: string, form: MachineForm): Readonly<Record<string, string>> {
  const { subscription, now } = asked;
  const plan = planned(asked, path, form);
  subscription.disks.put(plan.disk);
  connect(subscription, plan.machine.path, plan.network);
  const ms = subscription.durations.machineWrite;
  const bad = badBootOf(subscription, plan.machine.storage.image);
  if (typeof bad === 'object') shutDown(subscription, plan.machine.id, now + ms + bad.stopsAfterMs);
  const failing = bad === 'times out' ? timedOut(nameOf(path)) : undefined;
  const failure = failing && refused(failing.code, failing.message, { status: 409 }).refusal;
  return operate(failure === undefined ? asked : { ...asked, blur: { ...asked.blur, failure } }, plan.machine, {
    ms,
    succeed: (machine) => ({ ...machine, power: { state: 'running', since: now + ms } }),
    fail: (machine) => ({
      ...machine,
      power: { state: failing === undefined ? 'deallocated' : 'running', since: now + ms },
      settings: { ...machine.settings, ...(failing === undefined ? {} : { failing }) },
    }),
  });
}

function planned(asked: Asked, path: string, form: MachineForm): LaunchPlan {
  const { subscription, now } = asked;
  const owner: Owner = { path, location: placeOf({ location: form.location, known: undefined, path }) };
  const properties = form.properties ?? missing('properties');
  const size = checkedSize(properties.hardwareProfile?.vmSize ?? missing('vmSize'));
  checkMachineQuotas(subscription, owner.location, size);
  const { storageProfile: storage } = properties;
  const image = storage?.imageReference ?? missing('imageReference');
  const source = sourceOf({ subscription, location: owner.location }, image);
  const disk = plannedDisk(asked, { owner, form, source });
  const os = checkedOs(properties.osProfile, source.reference);
  const network = plannedNetwork(asked, owner, properties.networkProfile);
  const machine: VirtualMachine = {
    id: keyOf(path),
    path,
    guid: freshGuid(subscription.random),
    version: { etag: nextEtag(), state: 'Creating', changedAt: now },
    location: owner.location,
    tags: checkedTags(form.tags),
    size,
    storage: {
      image: source.reference,
      osDisk: disk.path,
      deleteOption: storage?.osDisk?.deleteOption ?? 'Detach',
      caching: storage?.osDisk?.caching ?? 'ReadWrite',
    },
    os,
    interfaces: network.references,
    power: { state: 'starting', since: now },
    settings: {
      createdAt: now,
      zones: checkedZones(form.zones),
      identity: identityFor(subscription, form.identity, undefined),
      kept: keptOf(properties),
    },
  };
  return { machine, disk, network };
}

interface DiskOrder {
  readonly owner: Owner;
  readonly form: MachineForm;
  readonly source: Source;
}

function plannedDisk(asked: Asked, { owner, form, source }: DiskOrder): Disk {
  const { subscription, now } = asked;
  const storage = form.properties?.storageProfile;
  const wanted = storage?.osDisk;
  if ((storage?.dataDisks?.length ?? 0) > 0)
    throw refused('OperationNotAllowed', 'The sandbox makes virtual machines without data disks.');
  if (wanted?.createOption !== undefined && wanted.createOption.toLowerCase() !== 'fromimage')
    throw invalid('osDisk.createOption', 'The sandbox makes OS disks from images: send createOption FromImage.');
  const size = checkedDiskSize(wanted?.diskSizeGB ?? source.size);
  if (size < source.size) throw smallerThanImage(size, source.size);
  const name = wanted?.name ?? diskNameFor(subscription, nameOf(owner.path));
  const group = { path: owner.path.split('/providers/')[0] ?? '' };
  const path = resourcePath(group, 'Microsoft.Compute/disks', name);
  if (subscription.disks.get(keyOf(path))) throw diskExists(path);
  return {
    id: keyOf(path),
    path,
    guid: freshGuid(subscription.random),
    version: { etag: freshEtag(subscription.random), state: 'Succeeded', changedAt: now },
    location: owner.location,
    tags: checkedTags(form.tags),
    sku: checkedDiskType(wanted?.managedDisk?.storageAccountType ?? 'Standard_LRS'),
    size,
    source: { imageId: source.imageId, osType: source.reference.osType, generation: source.generation },
    machine: owner.path,
    createdAt: now,
    kept: { zones: form.zones },
  };
}

export function keptOf(properties: MachineProperties): Kept {
  return Object.fromEntries(
    Object.entries(properties).filter(([name, value]) => MACHINE_KEPT.includes(name) && value !== undefined),
  );
}

function checkedZones(zones: readonly string[] | undefined): readonly string[] | undefined {
  if (!zones || (zones.length === 1 && /^[123]$/.test(zones[0] ?? ''))) return zones;
  throw refused(
    'InvalidAvailabilityZone',
    `The zone(s) '${zones.join(', ')}' for the virtual machine is not supported.`,
  );
}

/** https://github.com/hitachienergy/epiphany/issues/1049 */
function smallerThanImage(size: number, image: number): Error {
  return refused(
    'OperationNotAllowed',
    `The specified disk size ${size} GB is smaller than the size of the corresponding disk in the VM image: ${image} GB. This is not allowed. Please choose equal or greater size or do not specify an explicit size.`,
    { target: 'osDisk.diskSizeGB' },
  );
}

/** https://github.com/hashicorp/terraform-provider-azurerm/issues/15513 */
function diskExists(path: string): Error {
  const group = /\/resourceGroups\/([^/]+)/i.exec(path)?.[1]?.toUpperCase();
  return refused(
    'ConflictingUserInput',
    `Disk ${nameOf(path)} already exists in resource group ${group}. Only CreateOption.Attach is supported.`,
    { status: 409, target: path },
  );
}

function missing(target: string): never {
  throw invalid(target, `Required parameter '${target}' is missing (null).`);
}

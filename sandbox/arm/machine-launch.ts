import { checkedDiskSize, checkedDiskType, diskNameFor } from './disk.ts';
import { refused } from './errors.ts';
import { freshEtag } from './etag.ts';
import { type Source, sourceOf } from './images.ts';
import { placeOf } from './location.ts';
import { checkedOs, invalid, MACHINE_KEPT, type MachineForm, type MachineProperties } from './machine-fields.ts';
import { connect, type NetworkPlan, type Owner, plannedNetwork } from './machine-network.ts';
import { nextEtag, operate } from './machine-operation.ts';
import { checkedSize, checkMachineQuotas } from './machine-sizes.ts';
import type { Asked } from './method.ts';
import type { Disk, Failing, Identity, ImageReference, Kept, VirtualMachine } from './records.ts';
import { freshGuid, keyOf, nameOf, resourcePath } from './resource-id.ts';
import type { BadBoot, Subscription } from './subscription.ts';
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
  return operate(
    failure === undefined ? asked : { ...asked, answerFaults: { ...asked.answerFaults, failure } },
    plan.machine,
    {
      ms,
      succeed: (machine) => ({ ...machine, power: { state: 'running', since: now + ms } }),
      fail: (machine) => ({
        ...machine,
        power: { state: failing === undefined ? 'deallocated' : 'running', since: now + ms },
        settings: { ...machine.settings, ...(failing === undefined ? {} : { failing }) },
      }),
    },
  );
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

type IdentityForm = NonNullable<MachineForm['identity']>;

/**
 * The managed identities of a machine. The user-assigned ones are resources of another provider: the estate names them.
 * https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-configure-managed-identities
 */
export function identityFor(
  subscription: Subscription,
  form: IdentityForm | undefined,
  known: Identity | undefined,
): Identity | undefined {
  const type = form?.type;
  if (type === undefined || type === 'None') return undefined;
  const system = type.startsWith('SystemAssigned');
  const principalId = system ? (known?.principalId ?? freshGuid(subscription.random)) : undefined;
  if (!type.includes('UserAssigned')) return { type, principalId, users: new Map() };
  const written = form?.userAssignedIdentities ?? new Map<string, unknown>();
  const wanted = [...written].filter(([, value]) => value !== null).map(([path]) => path);
  if (wanted.length === 0)
    throw refused(
      'InvalidParameter',
      `The identity type is '${type}', and the identity ids are missing: userAssignedIdentities must name at least one.`,
      { target: 'identity' },
    );
  return { type, principalId, users: new Map(wanted.map((path) => [path, userOf(subscription, path, known)])) };
}

/** The principal and client id of a user-assigned identity, by its resource provider. */
function userOf(
  subscription: Subscription,
  path: string,
  known: Identity | undefined,
): { readonly principalId: string; readonly clientId: string } {
  if (!subscription.outside.has(keyOf(path)))
    throw refused(
      'FailedIdentityOperation',
      `Identity operation failed with error 'Failed to perform resource identity operation. Status: 'BadRequest'. Response: 'Resource '${path}' was not found.'.`,
    );
  const had = [...(known?.users ?? [])].find(([each]) => keyOf(each) === keyOf(path))?.[1];
  return had ?? { principalId: freshGuid(subscription.random), clientId: freshGuid(subscription.random) };
}

/** The boot failure of machines of this image; undefined: they boot well. */
export function badBootOf(
  { badBoots }: Pick<Subscription, 'badBoots'>,
  { written }: ImageReference,
): BadBoot | undefined {
  const { id, publisher, offer, sku } = written;
  return badBoots.get(typeof id === 'string' ? keyOf(id) : [publisher, offer, sku].join(':').toLowerCase());
}

/**
 * A machine shut down from within is `stopped`, and stays allocated:
 * https://learn.microsoft.com/azure/virtual-machines/states-billing#power-states-and-billing
 */
function shutDown(subscription: Subscription, id: string, at: number): void {
  subscription.timeline.schedule(at, () => {
    const machine = subscription.machines.get(id);
    if (machine?.power.state === 'running')
      subscription.machines.put({ ...machine, power: { state: 'stopped', since: at } });
  });
}

/** https://learn.microsoft.com/troubleshoot/azure/virtual-machines/windows/provisioning-failed, word for word */
const timedOut = (name: string): Failing => ({
  code: 'OSProvisioningTimedOut',
  message: `OS Provisioning for VM '${name}' did not finish in the allotted time. The VM may still finish provisioning successfully. Please check provisioning state later.`,
});

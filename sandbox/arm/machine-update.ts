import { refused } from './errors.ts';
import type { MachineForm } from './machine-fields.ts';
import { identityFor, keptOf } from './machine-launch.ts';
import { connect, disconnect, interfacesOf, type NetworkPlan, plannedNetwork } from './machine-network.ts';
import { nextEtag, operate } from './machine-operation.ts';
import { checkedSize, notInCluster, sameCluster } from './machine-sizes.ts';
import type { Asked } from './method.ts';
import type { Kept, Tags, VirtualMachine } from './records.ts';
import { keyOf, nameOf } from './resource-id.ts';
import type { Subscription } from './subscription.ts';

interface Update {
  readonly machine: VirtualMachine;
  readonly form: MachineForm;
  readonly tags: Tags;
}

/**
 * Changes a machine that is there. Another size restarts one that runs; while it holds its host the size must be one of the
 * host's cluster: https://learn.microsoft.com/azure/virtual-machines/sizes/resize-vm
 */
export function update(asked: Asked, { machine, form, tags }: Update): Readonly<Record<string, string>> {
  const { subscription, now } = asked;
  refuseFixedChanges(machine, form);
  refuseDiskChanges(subscription, machine, form);
  const size = sizeFor(machine, form);
  const network = networkFor(asked, machine, form);
  const next = { ...changed(asked, { machine, form, tags }), size };
  if (network) {
    const kept = new Set(network.references.map(({ path }) => keyOf(path)));
    disconnect(
      subscription,
      interfacesOf(subscription, machine.interfaces).filter(({ id }) => !kept.has(id)),
    );
    connect(subscription, machine.path, network, machine.power.state !== 'deallocated');
  }
  const restarts = size !== machine.size && machine.power.state === 'running';
  const ms = subscription.durations.machineWrite;
  const back = (after: VirtualMachine): VirtualMachine =>
    restarts ? { ...after, power: { state: 'running', since: now + ms } } : after;
  return operate(
    asked,
    {
      ...next,
      interfaces: network?.references ?? machine.interfaces,
      power: restarts ? { state: 'starting', since: now } : machine.power,
    },
    { ms, succeed: back, fail: (after) => back({ ...after, size: machine.size }) },
  );
}

/** The machine with the changes that touch no other resource. */
function changed({ subscription, now }: Asked, { machine, form, tags }: Update): VirtualMachine {
  const { storage, settings } = machine;
  const disk = form.properties?.storageProfile?.osDisk;
  return {
    ...machine,
    tags,
    version: { etag: nextEtag(machine.version.etag), state: 'Updating', changedAt: now },
    storage: {
      ...storage,
      deleteOption: disk?.deleteOption ?? storage.deleteOption,
      caching: disk?.caching ?? storage.caching,
    },
    settings: {
      ...settings,
      identity: form.identity ? identityFor(subscription, form.identity, settings.identity) : settings.identity,
      kept: { ...settings.kept, ...(form.properties ? keptOf(form.properties) : {}) },
    },
  };
}

function sizeFor(machine: VirtualMachine, { properties }: MachineForm): string {
  const wanted = properties?.hardwareProfile?.vmSize;
  if (wanted === undefined || wanted.toLowerCase() === machine.size.toLowerCase()) return machine.size;
  if (machine.power.state !== 'deallocated' && !sameCluster(machine.size, checkedSize(wanted)))
    throw notInCluster(wanted);
  return checkedSize(wanted);
}

/** Undefined: the request does not speak of interfaces. */
function networkFor(asked: Asked, machine: VirtualMachine, form: MachineForm): NetworkPlan | undefined {
  const profile = form.properties?.networkProfile;
  if (!profile) return undefined;
  const plan = plannedNetwork(asked, machine, profile);
  const had = machine.interfaces.map(({ path }) => keyOf(path)).toSorted();
  const wanted = plan.references.map(({ path }) => keyOf(path)).toSorted();
  // https://github.com/Azure/azure-powershell/issues/4565
  if (had.join() !== wanted.join() && machine.power.state !== 'deallocated')
    throw refused(
      'AddingOrDeletingNetworkInterfacesOnARunningVirtualMachineNotSupported',
      `Virtual machine ${machine.path} with a single network interface must be stop-deallocated before it can be updated to have multiple network interfaces and vice-versa.`,
      { details: [] },
    );
  return plan;
}

interface Fixed {
  /** As the refusal names it. */
  readonly property: string;
  readonly asked: (form: MachineForm) => unknown;
  readonly is: (machine: VirtualMachine) => unknown;
}

/**
 * "Some properties can be set only during virtual machine creation": what a machine keeps for life. What a request leaves
 * out is not changed by it.
 * https://learn.microsoft.com/rest/api/compute/virtual-machines/create-or-update;
 * https://github.com/Azure/karpenter-provider-azure/pull/791, https://github.com/Azure/azure-powershell/issues/7621
 */
const FIXED: readonly Fixed[] = [
  {
    property: 'imageReference',
    asked: ({ properties }) => imageKey(properties?.storageProfile?.imageReference),
    is: ({ storage }) => imageKey(storage.image.written),
  },
  {
    property: 'osDisk.name',
    asked: ({ properties }) => properties?.storageProfile?.osDisk?.name,
    is: ({ storage }) => nameOf(storage.osDisk),
  },
  {
    property: 'osDisk.createOption',
    asked: ({ properties }) => properties?.storageProfile?.osDisk?.createOption?.toLowerCase(),
    is: () => 'fromimage',
  },
  {
    property: 'osDisk.managedDisk.id',
    asked: ({ properties }) => properties?.storageProfile?.osDisk?.managedDisk?.id?.toLowerCase(),
    is: ({ storage }) => keyOf(storage.osDisk),
  },
  {
    property: 'osDisk.osType',
    asked: ({ properties }) => properties?.storageProfile?.osDisk?.osType,
    is: ({ storage }) => storage.image.osType,
  },
  {
    property: 'osProfile.computerName',
    asked: ({ properties }) => properties?.osProfile?.computerName,
    is: ({ os }) => os.shown['computerName'],
  },
  {
    property: 'osProfile.adminUsername',
    asked: ({ properties }) => properties?.osProfile?.adminUsername,
    is: ({ os }) => os.shown['adminUsername'],
  },
  {
    property: 'osProfile.adminPassword',
    asked: ({ properties }) => properties?.osProfile?.adminPassword,
    is: ({ os }) => os.hidden.adminPassword,
  },
  {
    property: 'osProfile.customData',
    asked: ({ properties }) => properties?.osProfile?.customData,
    is: ({ os }) => os.hidden.customData,
  },
  {
    property: 'linuxConfiguration.disablePasswordAuthentication',
    asked: ({ properties }) => properties?.osProfile?.linuxConfiguration?.disablePasswordAuthentication,
    is: ({ os }) => linuxOf(os.shown)?.['disablePasswordAuthentication'],
  },
  {
    property: 'linuxConfiguration.ssh.publicKeys',
    asked: ({ properties }) => keysText(properties?.osProfile?.linuxConfiguration?.ssh),
    is: ({ os }) => keysText(linuxOf(os.shown)?.['ssh']),
  },
  { property: 'zones', asked: ({ zones }) => zones?.join(), is: ({ settings }) => settings.zones?.join() },
  {
    property: 'priority',
    asked: ({ properties }) => properties?.priority,
    is: ({ settings }) => settings.kept['priority'],
  },
];

function refuseFixedChanges(machine: VirtualMachine, form: MachineForm): void {
  for (const { property, asked, is } of FIXED) {
    const wanted = asked(form);
    if (wanted === undefined || wanted === is(machine)) continue;
    throw refused('PropertyChangeNotAllowed', `Changing property '${property}' is not allowed.`, {
      status: 409,
      target: property,
    });
  }
}

/** A managed disk is changed where it is, not through its machine. No page gives the code: an assumption. */
function refuseDiskChanges(subscription: Subscription, machine: VirtualMachine, form: MachineForm): void {
  const disk = subscription.disks.get(keyOf(machine.storage.osDisk));
  const wanted = form.properties?.storageProfile?.osDisk;
  if (!disk || !wanted) return;
  const size = wanted.diskSizeGB !== undefined && wanted.diskSizeGB !== disk.size;
  const type = wanted.managedDisk?.storageAccountType;
  if (!size && (type === undefined || type.toLowerCase() === disk.sku.toLowerCase())) return;
  throw refused(
    'OperationNotAllowed',
    `Managed disk ${size ? 'size' : 'storage account type'} change through Virtual Machine '${nameOf(machine.path)}' is not allowed. Please change it at disk resource path '${disk.path}'.`,
    { target: size ? 'osDisk.diskSizeGB' : 'osDisk.managedDisk.storageAccountType' },
  );
}

/** Publishers, offers and SKUs are compared without regard to case; `exactVersion` is only ever told. */
function imageKey(written: Kept | undefined): string | undefined {
  if (!written) return undefined;
  const { exactVersion: _, ...rest } = written;
  const parts = Object.entries(rest).map(([name, value]) => `${name}=${String(value).toLowerCase()}`);
  return parts.toSorted().join(';');
}

function linuxOf(shown: Kept): Kept | undefined {
  const linux = shown['linuxConfiguration'];
  return typeof linux === 'object' && linux !== null ? Object.fromEntries(Object.entries(linux)) : undefined;
}

function keysText(ssh: unknown): string | undefined {
  if (typeof ssh !== 'object' || ssh === null || !('publicKeys' in ssh) || !Array.isArray(ssh.publicKeys))
    return undefined;
  const keys: readonly unknown[] = ssh.publicKeys;
  return keys.map(keyText).toSorted().join('\n');
}

function keyText(key: unknown): string {
  return typeof key === 'object' && key !== null && 'keyData' in key ? String(key.keyData).trim() : '';
}

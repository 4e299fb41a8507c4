import { refused } from './errors.ts';
import { refuseDiskChanges, refuseFixedChanges } from './machine-changes.ts';
import type { MachineForm } from './machine-fields.ts';
import { identityFor } from './machine-identity.ts';
import { keptOf } from './machine-launch.ts';
import { connect, disconnect, interfacesOf, type NetworkPlan, plannedNetwork } from './machine-network.ts';
import { nextEtag, operate } from './machine-operation.ts';
import type { VirtualMachine } from './machine-records.ts';
import { checkedSize, notInCluster, sameCluster } from './machine-sizes.ts';
import type { Asked } from './method.ts';
import type { Tags } from './records.ts';
import { keyOf } from './resource-id.ts';

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

/** What changes without touching other resources. */
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

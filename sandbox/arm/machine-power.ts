import { refused } from './errors.ts';
import { disconnect, interfacesOf } from './machine-network.ts';
import { operate, refuseWhileOperating } from './machine-operation.ts';
import type { Asked } from './method.ts';
import { allocateAddresses, removeInterface } from './network-interface.ts';
import { operationHeaders } from './operation.ts';
import type { PowerState, VirtualMachine } from './records.ts';
import { keyOf } from './resource-id.ts';
import type { Subscription } from './subscription.ts';

export type PowerAction = 'start' | 'powerOff' | 'deallocate' | 'restart';

interface Way {
  readonly through: PowerState;
  readonly to: PowerState;
  /** From any other state the machine is told that it must run, or is already where it should be. */
  readonly from: readonly PowerState[];
}

/** https://learn.microsoft.com/azure/virtual-machines/states-billing */
const WAYS: Readonly<Record<PowerAction, Way>> = {
  start: { from: ['stopped', 'deallocated'], through: 'starting', to: 'running' },
  powerOff: { from: ['running'], through: 'stopping', to: 'stopped' },
  deallocate: { from: ['running', 'stopped'], through: 'deallocating', to: 'deallocated' },
  restart: { from: ['running'], through: 'starting', to: 'running' },
};

/** Takes a machine to another power state; where it already is there, the operation does nothing. */
export function changePower(
  asked: Asked,
  machine: VirtualMachine,
  action: PowerAction,
): Readonly<Record<string, string>> {
  refuseWhileOperating(asked, machine, action);
  const { subscription, now } = asked;
  const { through, to, from } = WAYS[action];
  const { power } = machine;
  const goes = from.includes(power.state);
  if (!goes && (power.state !== to || action === 'restart')) throw mustRun();
  const ms = subscription.durations.machinePower;
  const updating = { ...machine.version, state: 'Updating', changedAt: now } as const;
  return operate(
    asked,
    { ...machine, version: updating, power: goes ? { state: through, since: now } : power },
    {
      ms,
      succeed: (after) => {
        if (!goes) return after;
        for (const nic of interfacesOf(subscription, after.interfaces))
          allocateAddresses(subscription, nic, to !== 'deallocated');
        return { ...after, power: { state: to, since: now + ms } };
      },
      fail: (after) => ({ ...after, power }),
    },
  );
}

/** https://learn.microsoft.com/azure/virtual-machines/error-codes, word for word */
function mustRun(): Error {
  return refused('OperationNotAllowed', 'The operation requires the VM to be running (or set to run).');
}

/** Deletes a machine. A second request joins the first: "you can only retry the Delete operation". */
export function remove(asked: Asked, machine: VirtualMachine): Readonly<Record<string, string>> {
  const { subscription, now } = asked;
  const running = subscription.running.get(machine.id);
  if (running && machine.version.state === 'Deleting') return operationHeaders(asked, running);
  refuseWhileOperating(asked, machine, 'delete');
  const deleting = { ...machine, version: { ...machine.version, state: 'Deleting', changedAt: now } } as const;
  return operate(asked, deleting, {
    ms: subscription.durations.machineDelete,
    succeed: (gone) => {
      release(subscription, gone);
      return undefined;
    },
  });
}

/** Each part goes or stays as its deleteOption says; without one it stays: https://learn.microsoft.com/azure/virtual-machines/delete */
function release(subscription: Subscription, { interfaces, storage }: VirtualMachine): void {
  for (const reference of interfaces) {
    for (const nic of interfacesOf(subscription, [reference])) {
      if (reference.deleteOption === 'Delete') removeInterface(subscription, nic, { withMachine: true });
      else disconnect(subscription, [nic]);
    }
  }
  const disk = subscription.disks.get(keyOf(storage.osDisk));
  if (disk && storage.deleteOption === 'Delete') subscription.disks.remove(disk.id);
  else if (disk) subscription.disks.put({ ...disk, machine: undefined });
}

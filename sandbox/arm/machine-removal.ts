import { removeInterface } from './interfaces.ts';
import { disconnect, interfacesOf } from './machine-network.ts';
import { operate, refuseWhileOperating } from './machine-operation.ts';
import type { VirtualMachine } from './machine-records.ts';
import type { Asked } from './method.ts';
import { operationHeaders } from './operation-headers.ts';
import { keyOf } from './resource-id.ts';
import type { Subscription } from './subscription.ts';

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

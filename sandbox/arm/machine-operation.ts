import { refused } from './errors.ts';
import { disconnect, interfacesOf } from './machine-network.ts';
import type { Asked } from './method.ts';
import { allocateAddresses, removeInterface } from './network-interface.ts';
import { begin, operationHeaders } from './operation.ts';
import type { PowerState, VirtualMachine } from './records.ts';
import { keyOf, nameOf } from './resource-id.ts';
import type { Subscription } from './subscription.ts';

/** A machine's etag counts: `"1"`, `"2"`. https://github.com/kubernetes-sigs/cloud-provider-azure/issues/9728 */
export function nextEtag(etag = '"0"'): string {
  return `"${Number(etag.replaceAll('"', '')) + 1}"`;
}

/** The preconditions of Microsoft.Compute: the same page has the text for `If-Match`; that for `If-None-Match` follows it. */
export function checkMachineConditions({ request }: Asked, known: VirtualMachine | undefined): void {
  const { 'if-match': must, 'if-none-match': mustNot } = request.headers;
  const etag = known?.version.etag;
  if (mustNot !== undefined && mustNot.trim() !== '*')
    throw refused('InvalidParameter', `The value '${mustNot}' of header If-None-Match is not supported; send '*'.`);
  if (mustNot !== undefined && known)
    throw refused('PreconditionFailed', `If-None-Match was '*', and resource ${known.path} exists with etag ${etag}.`);
  if (must === undefined || (known && must.trim() === '*')) return;
  if (etag === undefined)
    throw refused('PreconditionFailed', `Etag provided in if-match header ${must} does not match: no such resource.`);
  if (must.trim() !== etag)
    throw refused(
      'PreconditionFailed',
      `Etag provided in if-match header ${must} does not match etag ${etag} of resource.`,
    );
}

/** The machine after an operation; undefined: the operation deletes it. */
interface Change {
  readonly ms: number;
  readonly succeed: (machine: VirtualMachine) => VirtualMachine | undefined;
  /** The machine after a fault made the operation fail; default: unchanged. */
  readonly fail?: (machine: VirtualMachine) => VirtualMachine;
}

/** Puts a machine that an operation now works on. Answers the operation's headers. */
export function operate(asked: Asked, machine: VirtualMachine, change: Change): Readonly<Record<string, string>> {
  const { machines } = asked.subscription;
  machines.put(machine);
  const ended = (after: VirtualMachine, state: 'Succeeded' | 'Failed'): void => {
    machines.put({ ...after, version: { ...after.version, state, changedAt: asked.now + change.ms } });
  };
  return begin(asked, {
    place: { namespace: 'Microsoft.Compute', location: machine.location },
    on: machine.id,
    ms: change.ms,
    succeed: () => {
      const current = machines.get(machine.id);
      const after = current && change.succeed(current);
      if (after) ended(after, 'Succeeded');
      else machines.remove(machine.id);
    },
    fail: () => {
      const current = machines.get(machine.id);
      if (current) ended((change.fail ?? same)(current), 'Failed');
    },
  });
}

function same(machine: VirtualMachine): VirtualMachine {
  return machine;
}

/** PUT and PATCH are followed by `Azure-AsyncOperation`, and the resource itself is the result. */
export function asyncOnly({
  location: _,
  ...headers
}: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return headers;
}

/**
 * One operation at a time on a machine.
 * https://github.com/Azure/azure-cli/issues/15765, https://learn.microsoft.com/azure/virtual-machines/error-codes
 */
export function refuseWhileOperating({ subscription }: Asked, machine: VirtualMachine, operation: string): void {
  if (!subscription.running.has(machine.id)) return;
  if (machine.version.state === 'Deleting')
    throw refused(
      'OperationNotAllowed',
      `Operation '${operation}' is not allowed on VM '${nameOf(machine.path)}' since the VM is marked for deletion. You can only retry the Delete operation (or wait for an ongoing one to complete).`,
    );
  throw refused(
    'Conflict',
    'The request failed due to conflict with a concurrent request. To resolve it, please refer to https://aka.ms/activitylog to get more details on the conflicting requests.',
  );
}

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

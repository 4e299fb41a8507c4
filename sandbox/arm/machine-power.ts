import { refused } from './errors.ts';
import { allocateAddresses } from './interface-ties.ts';
import { interfacesOf } from './machine-network.ts';
import { operate, refuseWhileOperating } from './machine-operation.ts';
import type { PowerState, VirtualMachine } from './machine-records.ts';
import type { Asked } from './method.ts';

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

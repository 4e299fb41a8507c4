import type { PowerState, VirtualMachine } from './machine-records.ts';
import type { ProvisioningState } from './records.ts';
import { keyOf, nameOf } from './resource-id.ts';
import type { Subscription } from './subscription.ts';

interface Status {
  readonly code: string;
  readonly level: 'Info' | 'Error';
  readonly displayStatus: string;
  readonly time?: string;
}

/** https://learn.microsoft.com/azure/virtual-machines/states-billing#provisioning-states */
const PROVISIONING: Readonly<Record<ProvisioningState, Omit<Status, 'time'>>> = {
  Creating: { code: 'ProvisioningState/creating', level: 'Info', displayStatus: 'Creating' },
  Updating: { code: 'ProvisioningState/updating', level: 'Info', displayStatus: 'Updating' },
  Deleting: { code: 'ProvisioningState/deleting', level: 'Info', displayStatus: 'Deleting' },
  Succeeded: { code: 'ProvisioningState/succeeded', level: 'Info', displayStatus: 'Provisioning succeeded' },
  Failed: { code: 'ProvisioningState/failed', level: 'Error', displayStatus: 'Provisioning failed' },
};

/** https://learn.microsoft.com/azure/virtual-machines/states-billing#power-states-and-billing */
export function statusesOf({ version, power }: Pick<VirtualMachine, 'version' | 'power'>): readonly Status[] {
  const time = new Date(version.changedAt).toISOString();
  return [{ ...PROVISIONING[version.state], time }, powerStatus(power.state)];
}

function powerStatus(state: PowerState): Status {
  return { code: `PowerState/${state}`, level: 'Info', displayStatus: `VM ${state}` };
}

/** https://learn.microsoft.com/rest/api/compute/virtual-machines/instance-view. A machine that does not run tells nothing of its inside. */
export function instanceView(subscription: Subscription, machine: VirtualMachine): object {
  const disk = subscription.disks.get(keyOf(machine.storage.osDisk));
  const time = new Date(machine.settings.createdAt).toISOString();
  const inside = machine.power.state === 'running' ? runningView(machine) : {};
  return {
    ...inside,
    disks: [
      {
        name: nameOf(machine.storage.osDisk),
        statuses: [{ ...PROVISIONING.Succeeded, time }],
      },
    ],
    hyperVGeneration: disk?.source.generation ?? 'V2',
    statuses: statusesOf(machine),
  };
}

function runningView({ os, storage, power }: VirtualMachine): object {
  const time = new Date(power.since).toISOString();
  return {
    computerName: os.shown['computerName'],
    osName: storage.image.osType === 'Windows' ? 'Windows Server' : 'linux',
    vmAgent: {
      vmAgentVersion: '2.9.1.1',
      statuses: [
        {
          code: 'ProvisioningState/succeeded',
          level: 'Info',
          displayStatus: 'Ready',
          message: 'Guest Agent is running',
          time,
        },
      ],
      extensionHandlers: [],
    },
  };
}

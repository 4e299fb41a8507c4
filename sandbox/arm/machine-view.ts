import { badBootOf } from './machine-boot.ts';
import type { PowerState, VirtualMachine } from './machine-records.ts';
import type { ProvisioningState } from './records.ts';
import { keyOf, nameOf } from './resource-id.ts';
import type { BadBoot, Subscription } from './subscription.ts';

interface Status {
  readonly code: string;
  readonly level: 'Info' | 'Warning' | 'Error';
  readonly displayStatus: string;
  readonly message?: string;
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
export function statusesOf({
  version,
  power,
  settings: { failing },
}: Pick<VirtualMachine, 'version' | 'power' | 'settings'>): readonly Status[] {
  const time = new Date(version.changedAt).toISOString();
  const provisioning = PROVISIONING[version.state];
  if (version.state !== 'Failed' || failing === undefined) return [{ ...provisioning, time }, powerStatus(power.state)];
  const { code, message } = failing;
  return [{ ...provisioning, code: `${provisioning.code}/${code}`, message, time }, powerStatus(power.state)];
}

function powerStatus(state: PowerState): Status {
  return { code: `PowerState/${state}`, level: 'Info', displayStatus: `VM ${state}` };
}

/** https://learn.microsoft.com/rest/api/compute/virtual-machines/instance-view. A machine that does not run tells nothing of its inside. */
export function instanceView(subscription: Subscription, machine: VirtualMachine): object {
  const disk = subscription.disks.get(keyOf(machine.storage.osDisk));
  const time = new Date(machine.settings.createdAt).toISOString();
  const inside =
    machine.power.state === 'running' ? runningView(machine, badBootOf(subscription, machine.storage.image)) : {};
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

function runningView({ os, storage, power }: VirtualMachine, bad: BadBoot | undefined): object {
  const time = new Date(power.since).toISOString();
  if (bad === 'times out') return { vmAgent: { vmAgentVersion: 'Unknown', statuses: [{ ...NOT_READY, time }] } };
  return {
    computerName: os.shown['computerName'],
    osName: storage.image.osType === 'Windows' ? 'Windows Server' : 'linux',
    vmAgent: {
      vmAgentVersion: '2.9.1.1',
      statuses: [{ ...(bad === 'loses its agent' ? NOT_READY : READY), time }],
      extensionHandlers: [],
    },
  };
}

const READY: Status = {
  code: 'ProvisioningState/succeeded',
  level: 'Info',
  displayStatus: 'Ready',
  message: 'Guest Agent is running',
};

/** https://learn.microsoft.com/troubleshoot/azure/virtual-machines/windows/windows-azure-guest-agent */
const NOT_READY: Status = {
  code: 'ProvisioningState/Unavailable',
  level: 'Warning',
  displayStatus: 'Not Ready',
  message: 'VM status blob is found but not yet populated.',
};

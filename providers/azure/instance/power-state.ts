import type { VirtualMachineInstanceView } from '@azure/arm-compute';
import type { Condition } from '../../../src/core/observed.ts';

/** A machine's power state: `state` is `pending` while it changes. */
export interface PowerState {
  readonly state: Extract<Condition['state'], 'ready' | 'pending'>;
  readonly power: 'running' | 'stopped';
}

/** https://learn.microsoft.com/azure/virtual-machines/states-billing#power-states-and-billing */
const powerStates: Readonly<Record<string, PowerState>> = {
  starting: { state: 'pending', power: 'running' },
  running: { state: 'ready', power: 'running' },
  stopping: { state: 'pending', power: 'stopped' },
  stopped: { state: 'ready', power: 'stopped' },
  deallocating: { state: 'pending', power: 'stopped' },
  deallocated: { state: 'ready', power: 'stopped' },
};

/** An unknown state is not "stopped": Setpoint waits for such a machine. */
const untold: PowerState = { state: 'pending', power: 'running' };

export const powerStateOf = (view: VirtualMachineInstanceView | undefined): PowerState =>
  powerStates[powerCodeOf(view)] ?? untold;

const prefix = 'powerstate/';

/** `running`, `deallocated`; '' where it is not told. */
export function powerCodeOf(view: VirtualMachineInstanceView | undefined): string {
  const codes = (view?.statuses ?? []).map(({ code = '' }) => code.toLowerCase());
  return codes.find((code) => code.startsWith(prefix))?.slice(prefix.length) ?? '';
}

/** `ProvisioningState/failed/OSProvisioningTimedOut: OS Provisioning for VM 'web-0' did not …`; undefined where none failed. */
export function failureIn(view: VirtualMachineInstanceView | undefined): string | undefined {
  const failed = (view?.statuses ?? []).find(({ code = '' }) => /^provisioningstate\/failed/i.test(code));
  return failed && [failed.code, failed.message ?? failed.displayStatus].filter(Boolean).join(': ');
}

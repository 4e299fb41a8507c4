import type { VirtualMachineInstanceView } from '@azure/arm-compute';
import type { Result } from '../../../src/core/failure.ts';
import type { CloudId } from '../../../src/core/resource.ts';
import type { Call, Health } from '../../../src/ports/provider.ts';
import { each } from '../../shared/each.ts';
import type { Scope } from '../scope.ts';
import { findMachine } from './machine.ts';
import { failureIn } from './power-state.ts';

/**
 * The health of new machines: one request each, as Azure reports the agent's status of single machines only.
 *
 *   provisioning | VM agent                       | health
 *   -------------+--------------------------------+---------------------------------------------------------------------
 *   failed       | –                              | failed: `OSProvisioningTimedOut` and the like, in Azure's words
 *   otherwise    | reports, and is ready          | passed
 *   otherwise    | reported, and is not ready now | checking
 *   otherwise    | never reported                 | passed: not every image has one, and provisioning ends when the system
 *                |                                | has said itself that it has booted
 *
 * https://learn.microsoft.com/azure/virtual-machines/states-billing#provisioning-states,
 * https://learn.microsoft.com/azure/virtual-machines/extensions/agent-linux
 */
export async function healthOf(ids: readonly CloudId[], scope: Scope, call: Call): Promise<readonly Result<Health>[]> {
  return each(ids, async (id): Promise<Result<Health>> => {
    const found = await findMachine(id, scope, call);
    if (!found.ok) return found;
    return { ok: true, value: found.value === undefined ? untold : healthIn(found.value.instanceView) };
  });
}

/** Only a read can tell that a machine is gone. */
const untold: Health = { state: 'checking', detail: 'it is not found' };

export function healthIn(view: VirtualMachineInstanceView | undefined): Health {
  const failure = failureIn(view);
  if (failure !== undefined) return { state: 'failed', detail: failure };
  const { vmAgentVersion = 'Unknown', statuses = [] } = view?.vmAgent ?? {};
  const troubled = statuses.find(({ level }) => level !== undefined && level !== 'Info');
  if (vmAgentVersion === 'Unknown' || troubled === undefined) return { state: 'passed' };
  return {
    state: 'checking',
    detail: `VM agent ${[troubled.displayStatus, troubled.message].filter(Boolean).join(': ')}`,
  };
}

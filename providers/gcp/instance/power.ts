import type { Result } from '../../../src/core/failure.ts';
import type { CloudId } from '../../../src/core/resource.ts';
import type { Call } from '../../../src/ports/provider.ts';
import { done } from '../../shared/answer.ts';
import { placeOf } from '../cloud-id.ts';
import { regionOfZone } from '../links.ts';
import { carryOut } from '../operations.ts';
import type { Scope } from '../scope.ts';

/** Until it stands still. https://cloud.google.com/compute/docs/instances/stop-start-instance */
export function stop(id: CloudId, scope: Scope, call: Call): Promise<Result<void>> {
  return power('stop', id, scope, call);
}

/** Until it runs. A suspended machine is resumed: https://cloud.google.com/compute/docs/instances/suspend-resume-instance */
export function start(
  { id, suspended }: { readonly id: CloudId; readonly suspended: boolean },
  scope: Scope,
  call: Call,
): Promise<Result<void>> {
  return power(suspended ? 'resume' : 'start', id, scope, call);
}

async function power(verb: 'start' | 'stop' | 'resume', id: CloudId, scope: Scope, call: Call): Promise<Result<void>> {
  const { location: zone = '', name: instance } = placeOf(id);
  const request = { project: scope.project, zone, instance };
  const answer = await carryOut(
    { action: `instances.${verb}`, region: regionOfZone(zone) },
    (sdk, options) => sdk.instances()[verb](request, options),
    scope,
    call,
  );
  return answer.ok ? done : answer;
}

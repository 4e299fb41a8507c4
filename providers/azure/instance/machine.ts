import type { VirtualMachine, VirtualMachineUpdate } from '@azure/arm-compute';
import type { Result } from '../../../src/core/failure.ts';
import type { CloudId } from '../../../src/core/resource.ts';
import type { Call } from '../../../src/ports/provider.ts';
import { done } from '../../shared/answer.ts';
import { partsOfId } from '../ids.ts';
import { isAnother } from '../retag.ts';
import type { Scope } from '../scope.ts';

/** The machine as it stands and runs now. `undefined`: the cloud says that it is gone, or another bears its name. */
export async function findMachine(
  id: CloudId,
  { client }: Scope,
  call: Call,
): Promise<Result<VirtualMachine | undefined>> {
  const { resourceGroup, name } = partsOfId(id);
  const answer = await client.ask(call, ({ compute }) =>
    compute.virtualMachines.get(resourceGroup, name, { expand: 'instanceView' }),
  );
  if (answer.ok) return isAnother(id, answer.value.vmId) ? { ok: true, value: undefined } : answer;
  return answer.failure.kind === 'not-found' ? { ok: true, value: undefined } : answer;
}

/** `etag`: refused with 412 if the machine changed since. */
export async function patchMachine(
  { id, body, etag }: { readonly id: CloudId; readonly body: VirtualMachineUpdate; readonly etag?: string | undefined },
  { client }: Scope,
  call: Call,
): Promise<Result<void>> {
  const { resourceGroup, name } = partsOfId(id);
  const options = etag === undefined ? {} : { ifMatch: etag };
  const answer = await client.run(call, ({ compute }) =>
    compute.virtualMachines.update(resourceGroup, name, body, options),
  );
  return answer.ok ? done : answer;
}

/** Until its place is given back, and its hours no longer counted. */
export async function deallocate(id: CloudId, { client }: Scope, call: Call): Promise<Result<void>> {
  const { resourceGroup, name } = partsOfId(id);
  const answer = await client.run(call, ({ compute }) => compute.virtualMachines.deallocate(resourceGroup, name));
  return answer.ok ? done : answer;
}

export async function start(id: CloudId, { client }: Scope, call: Call): Promise<Result<void>> {
  const { resourceGroup, name } = partsOfId(id);
  const answer = await client.run(call, ({ compute }) => compute.virtualMachines.start(resourceGroup, name));
  return answer.ok ? done : answer;
}

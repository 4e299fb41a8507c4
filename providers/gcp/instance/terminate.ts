import type { Result } from '../../../src/core/failure.ts';
import type { Call, Removal } from '../../../src/ports/provider.ts';
import { placeOf } from '../cloud-id.ts';
import { getInstance } from '../get.ts';
import { regionOfZone } from '../links.ts';
import type { Instance } from '../messages.ts';
import { deleteEach } from '../removal.ts';
import type { Scope } from '../scope.ts';
import { markOf } from './metadata-keys.ts';

/** Its disks go with it (autoDelete). https://cloud.google.com/compute/docs/reference/rest/v1/instances/delete */
export async function terminate(
  batch: readonly Removal<'instance'>[],
  scope: Scope,
  call: Call,
): Promise<readonly Result<void>[]> {
  const { client, project } = scope;
  const results = await deleteEach<'instance', Instance>(
    batch,
    {
      get: (id) => getInstance(id, scope, call),
      markOf: (instance) => markOf(instance, project),
      delete: (_, id) => {
        const { location: zone = '', name: instance } = placeOf(id);
        return client.write({ action: 'instances.delete', region: regionOfZone(zone) }, call, (sdk, options) =>
          sdk.instances().delete({ project, zone, instance }, options),
        );
      },
    },
    scope,
    call,
  );
  return results.map(explained);
}

/** https://cloud.google.com/compute/docs/instances/preventing-accidental-vm-deletion */
function explained(answer: Result<void>): Result<void> {
  if (answer.ok || !/protected/i.test(answer.failure.message)) return answer;
  const message = `deletion protection is on: turn it off (deletionProtection) and plan again. ${answer.failure.message}`;
  return { ok: false, failure: { ...answer.failure, kind: 'terminal', message } };
}

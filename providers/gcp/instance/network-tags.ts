import type { CloudId, InstanceAttributes } from '../../../src/core/resource.ts';
import type { Call } from '../../../src/ports/provider.ts';
import { placeOf } from '../cloud-id.ts';
import { regionOfZone } from '../links.ts';
import type { Instance } from '../messages.ts';
import { carryOut, type StartedOperation } from '../operations.ts';
import type { Scope } from '../scope.ts';

export const tagsOf = ({ groups = [] }: Pick<InstanceAttributes, 'groups'>): readonly string[] =>
  groups.map((group) => group.replace(/^tag:/, ''));

interface NewTags {
  /** The machine as it stands now: it has the fingerprint of the tags. */
  readonly seen: Instance;
  readonly tags: readonly string[];
}

/** Tags are written whole, with the fingerprint of those they replace: https://cloud.google.com/compute/docs/reference/rest/v1/instances/setTags */
export function setTags(id: CloudId, { seen, tags }: NewTags, scope: Scope, call: Call): Promise<StartedOperation> {
  const { location: zone = '', name: instance } = placeOf(id);
  const tagsResource = { items: [...tags], fingerprint: seen.tags?.fingerprint ?? null };
  return carryOut(
    { action: 'instances.setTags', region: regionOfZone(zone) },
    (sdk, options) => sdk.instances().setTags({ project: scope.project, zone, instance, tagsResource }, options),
    scope,
    call,
  );
}

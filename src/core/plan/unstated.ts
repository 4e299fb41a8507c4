import type { Finding } from '../action.ts';
import type { InstanceAttributes } from '../attributes.ts';
import type { Desired } from '../desired.ts';
import type { FieldChange } from '../diff.ts';
import type { Observed, Setting } from '../observed.ts';

/**
 * One finding for each setting that a resource of ours has and its document does not state: told, and never acted on. A spec
 * that stated an identity and states none any more takes it away: that is a change, and no finding.
 *
 *   the spec   | on the cloud            | changes          | finding
 *   -----------+-------------------------+------------------+---------
 *   no identity| an identity             | none             | it
 *   no identity| an identity             | machine.identity | –
 *   identity a | b                       | machine.identity | –
 *   any        | a setting of no field   | any              | it
 */
export function unstatedFindings(
  desired: Desired,
  observed: Observed,
  changes: readonly FieldChange[],
  scope: string,
): readonly Finding[] {
  const { kind, id, condition } = observed;
  const settings = [...identityOf(desired, observed, changes), ...(condition.unstated ?? [])];
  return settings.map(({ field, detail }) => ({
    type: 'unmanaged',
    kind,
    id: `${id}/${field}`,
    name: field,
    of: desired.address,
    why: `${desired.address} ${detail}, which its document does not state. It stays as it is.`,
    scope,
  }));
}

function identityOf(desired: Desired, observed: Observed, changes: readonly FieldChange[]): readonly Setting[] {
  if (!isInstance(desired) || !isInstance(observed)) return [];
  const { identity } = observed.attributes.machine;
  if (identity === undefined || desired.attributes.machine.identity !== undefined) return [];
  if (changes.some(({ field }) => field === 'machine.identity')) return [];
  return [{ field: 'identity', detail: `has the identity ${identity}` }];
}

const isInstance = <T extends Desired | Observed>(one: T): one is T & { readonly attributes: InstanceAttributes } =>
  one.kind === 'instance';

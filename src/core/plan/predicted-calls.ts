import type { Action } from '../action.ts';
import type { Dialect } from '../compile/dialect.ts';
import { refsOf } from '../kinds/kinds.ts';
import { type BatchLimits, pack } from '../pack.ts';
import type { Address } from '../resource.ts';

/**
 * Requests that change something and that carrying these out takes, if nothing is refused and each listing shows what was written.
 * What is only forgotten takes none. Where a dialect does not say it, one for each batch.
 */
export function predictedCalls(
  ordered: readonly Action[],
  { batches = {}, dialect }: { readonly batches?: BatchLimits; readonly dialect?: Pick<Dialect, 'writes'> } = {},
): number {
  const made = new Map(ordered.flatMap(({ verb, kind, address }, at) => (isPlace(verb, kind) ? [[address, at]] : [])));
  return [...Map.groupBy(ordered, (action) => awaited(action, made)).values()]
    .flatMap((together) => pack(together, batches))
    .filter(({ verb }) => verb !== 'forget')
    .reduce((sum, batch) => sum + (dialect?.writes?.(batch) ?? 1), 0);
}

const isPlace = (verb: Action['verb'], kind: Action['kind']): boolean =>
  verb === 'create' && (kind === 'network' || kind === 'group');

/** The last thing that a new rule waits for: it leaves once that stands, and groups come to stand one after another. */
function awaited(action: Action, made: ReadonlyMap<Address, number>): number {
  if (action.verb !== 'create' || action.kind !== 'firewall-rule' || made.size === 0) return -1;
  return Math.max(-1, ...refsOf(action.kind, action.desired.attributes).map((ref) => made.get(ref) ?? -1));
}

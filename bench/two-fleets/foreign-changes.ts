import type { ChangeEntry, History } from '../../providers/memory/cloud/history.ts';

/** Who is who in the cloud's log; whoever is not named there is a person. */
export interface ForeignChange {
  readonly caller: string;
  readonly maker: string;
  readonly id: string;
}

/** Changes that one of `fleets` made to what somebody else has made, whatever its marks say. A rule is its group's. */
export function foreignChanges({ changes }: History, fleets: ReadonlySet<string>): readonly ForeignChange[] {
  const makers = new Map<string, string>();
  for (const { id, before, caller } of changes) if (!before && !makers.has(id)) makers.set(id, caller);
  return changes.flatMap((change) => {
    const { caller, id } = change;
    const maker = makers.get(containerOf(change)) ?? '';
    return fleets.has(caller) && maker !== caller ? [{ caller, maker, id }] : [];
  });
}

function containerOf({ id, before, after }: ChangeEntry): string {
  const record = after ?? before;
  return record && 'match' in record ? record.group : id;
}

import type { Knowledge } from '../core/knowledge.ts';
import type { Observation } from '../core/observed.ts';
import type { Inventory } from '../ports/inventory.ts';

/**
 * When a machine of each open launch first came to light, by the intent in its mark: a call may come so late that its age says
 * nothing, and the others of a launch that happened will show too.
 */
export async function launchesSeen(
  observation: Observation,
  { estate, pending }: Knowledge,
  inventory: Pick<Inventory, 'history'>,
): Promise<ReadonlyMap<string, number>> {
  const open = new Set(pending.filter(({ draft }) => draft.kind === 'instance').map(({ intent }) => intent));
  const one = new Map(
    observation.resources.flatMap(({ kind, id, signs: { mark } }) =>
      kind === 'instance' && mark?.intent !== undefined && open.has(mark.intent) ? [[mark.intent, id] as const] : [],
    ),
  );
  const seen = [...one].map(async ([intent, id]) => {
    const history = await inventory.history(estate, id);
    return [intent, history.at(-1)?.at ?? observation.at] as const;
  });
  return new Map(await Promise.all(seen));
}

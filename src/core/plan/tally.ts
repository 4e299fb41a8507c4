import type { Action, DeleteReason } from '../action.ts';
import { type Budget, type Count, noCount, plus, type Sort, usedOf } from '../limits.ts';

/** The changes that limits bound, by their cause: the generation that wants them, or healing of drift. */
export interface Tally {
  readonly generation: Count;
  readonly healing: Count;
}

/** An action's count against the limits; undefined for unlimited ones. */
interface Counted {
  readonly as: Sort;
  readonly by: keyof Tally;
}

/**
 *   action                                     | counts as | by
 *   -------------------------------------------+-----------+---------------------------------------
 *   delete: removed, scaled-down, pruned       | delete    | generation
 *   delete: rogue rule                         | closure   | healing
 *   delete: changed (its document stands), twin| –         |
 *   delete: again, which has its place already | –         |
 *   delete after a grace                       | –         | its tombstone has a place
 *   delete: withdrawn, a successor             | –         | its replacement has a place
 *   replace, update that stops a machine       | replace   | healing if it is drift, else generation
 *   create of a machine                        | create    | the same
 */
export function countOf(action: Action): Counted | undefined {
  const by = action.cause === 'drift' ? 'healing' : 'generation';
  switch (action.verb) {
    case 'delete':
      if (action.grace !== undefined && action.grace.phase !== 'begins') return undefined;
      if (action.because === 'rogue') return { as: 'closure', by };
      return uncounted.has(action.because) ? undefined : { as: 'delete', by };
    case 'replace':
      return { as: 'replace', by };
    case 'update':
      return action.effect === 'stops' ? { as: 'replace', by } : undefined;
    case 'create':
      return action.kind === 'instance' ? { as: 'create', by } : undefined;
    case 'adopt':
    case 'forget':
      return undefined;
  }
}

const uncounted: ReadonlySet<DeleteReason> = new Set(['changed', 'twin', 'again', 'withdrawn']);

/** Atoms of one removed document count once: plans and limits count documents. */
export function tally(actions: readonly Action[]): Tally {
  const seen = new Set<string>();
  const counts = { generation: noCount, healing: noCount };
  for (const action of actions) {
    const counted = countOf(action);
    if (counted === undefined) continue;
    const document = action.kind === 'firewall-rule' ? action.documents[0]?.address : undefined;
    if (document !== undefined && seen.has(document)) continue;
    if (document !== undefined) seen.add(document);
    counts[counted.by] = plus(counts[counted.by], counted.as);
  }
  return counts;
}

/** As limits count: a removed document once, whatever it was made of. */
export function boundedIn(actions: readonly Action[]): {
  readonly destroys: number;
  readonly creates: number;
  readonly closures: number;
} {
  const { generation, healing } = tally(actions);
  const used = (budget: Budget): number => usedOf(generation, budget) + usedOf(healing, budget);
  return { destroys: used('deletes'), creates: used('creates'), closures: used('closures') };
}

/**
 * The used part of each budget, by the higher of the two counts: each is compared with the limits by itself. An approval
 * keeps it, so that earlier actions do not count among those that it permits.
 */
export function ranBefore({ generation, healing }: Tally) {
  const ran = (budget: Budget): number => Math.max(usedOf(generation, budget), usedOf(healing, budget));
  return { ran: ran('deletes'), ranBeside: { creates: ran('creates'), closures: ran('closures') } };
}

import type { Action } from '../action.ts';

/** Deletes and replaces, by what they count for: the generation that wants them, or healing of drift. */
export interface Tally {
  readonly generation: Count;
  readonly healing: Count;
}

export interface Count {
  readonly deletes: number;
  readonly replaces: number;
}

/** How an action counts against the limits; undefined for what destroys nothing. */
export interface Counted {
  readonly as: 'delete' | 'replace';
  readonly by: keyof Tally;
}

/**
 *   action                                     | counts as | by
 *   -------------------------------------------+-----------+---------------------------------------
 *   delete: removed, scaled-down, pruned       | delete    | generation
 *   delete: rogue rule                         | delete    | healing
 *   delete: changed (its document stands), twin| –         |
 *   replace, update that stops a machine       | replace   | healing if it is drift, else generation
 */
export function countOf(action: Action): Counted | undefined {
  const by = action.cause === 'drift' ? 'healing' : 'generation';
  switch (action.verb) {
    case 'delete':
      return action.because === 'changed' || action.because === 'twin' ? undefined : { as: 'delete', by };
    case 'replace':
      return { as: 'replace', by };
    case 'update':
      return action.effect === 'stops' ? { as: 'replace', by } : undefined;
    case 'create':
    case 'adopt':
    case 'forget':
      return undefined;
  }
}

/** Atoms of one removed document count once: plans and limits count documents. */
export function tally(actions: readonly Action[]): Tally {
  const seen = new Set<string>();
  const counts = { generation: { deletes: 0, replaces: 0 }, healing: { deletes: 0, replaces: 0 } };
  for (const action of actions) {
    const counted = countOf(action);
    if (counted === undefined) continue;
    const document = action.kind === 'firewall-rule' ? action.documents[0]?.address : undefined;
    if (document !== undefined && seen.has(document)) continue;
    if (document !== undefined) seen.add(document);
    if (counted.as === 'delete') counts[counted.by].deletes += 1;
    else counts[counted.by].replaces += 1;
  }
  return counts;
}

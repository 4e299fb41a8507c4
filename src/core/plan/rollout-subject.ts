import type { Action } from '../action.ts';
import type { Address, ScopeKey } from '../resource.ts';
import type { Rollout } from '../rollout.ts';
import { documentsOf } from './guard.ts';
import type { Wanted } from './plan-input.ts';

/** What goes out in waves together: all that one document makes, or what the rollout of a target covers in a scope. */
export interface Subject {
  /** The document's address, or the scope. */
  readonly of: Address | ScopeKey;
  readonly rollout: Rollout;
}

/**
 * A document's own rollout wins over the target's. What another document without waves wants too goes out at once: that one has
 * it now. What no document speaks of any more follows the target.
 */
export function subjectOf(documents: readonly Address[], wanted: Wanted, scope: ScopeKey): Subject | undefined {
  const standing = documents.filter((document) => wanted.documents.has(document));
  const subjects = (standing.length === 0 ? [scope] : standing).map((document): Subject | undefined => {
    const own = wanted.documents.get(document)?.rollout;
    const rollout = own ?? wanted.rollout;
    // why: `then: [rest]` is how a document says that it needs no waves
    if (rollout === undefined || rollout.every((wave) => wave === 'rest')) return undefined;
    return { of: own === undefined ? scope : document, rollout };
  });
  return subjects.includes(undefined) ? undefined : subjects[0];
}

/**
 * What an action rolls out. Drift is healed regardless of waves; what a person chose to prune goes when they say so; forgetting
 * is no write. Without a store nobody knows the cause, and all counts as a rollout.
 */
export function rolledOutBy(action: Action, wanted: Wanted, scope: ScopeKey): Subject | undefined {
  if (action.cause === 'drift' || action.verb === 'forget') return undefined;
  if (action.verb === 'delete' && action.because === 'pruned') return undefined;
  return subjectOf(documentsOf(action), wanted, scope);
}

/** Whether anything in this scope goes out in waves. */
export const hasRollouts = ({ documents, rollout }: Wanted): boolean =>
  rollout !== undefined || [...documents.values()].some((said) => said.rollout !== undefined);

import { type Action, type Verb, verbKey } from '../action.ts';
import type { Desired } from '../desired.ts';
import { canonical } from '../ledger/canonical.ts';
import { type Address, nameIn, type ScopeKey } from '../resource.ts';
import type { Rollout } from '../rollout.ts';
import { compareText } from '../text.ts';
import { documentsOf } from './holds.ts';
import type { StoppedWaves, Wanted } from './plan-input.ts';

/** An action that went wrong for good: neither one whose outcome is unknown, nor one that was stopped. */
export interface Failed {
  readonly verb: Verb;
  readonly address: Address;
  /** The cloud's message, for people. */
  readonly message: string;
}

/**
 * The rollouts that stop because one of their actions failed, with the reason. `actions`: of the executed plan. Failed healing
 * stops nothing, and nor do changes without waves.
 */
export function rolloutsToStop(
  actions: readonly Action[],
  failed: readonly Failed[],
  { wanted, scope }: { readonly wanted: Wanted; readonly scope: ScopeKey },
): readonly StoppedWaves[] {
  const messages = new Map(failed.map((one) => [verbKey(one), one.message]));
  const failures = actions.flatMap((action) => {
    const message = messages.get(verbKey(action));
    const subject = message === undefined ? undefined : rolledOutBy(action, wanted, scope);
    return message === undefined || subject === undefined ? [] : [{ of: subject.of, action, message }];
  });
  return [...Map.groupBy(failures, ({ of }) => of)].flatMap(([document, [first, ...others]]) => {
    if (first === undefined) return [];
    const { verb, kind, address } = first.action;
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
    return [{ document, why: `${verb} ${kind} ${nameIn(address, kind)} failed${more}: ${first.message}` }];
  });
}

/**
 * True if a rollout that stopped under one generation asks for the same in another: then it stays stopped. If its
 * document asks for something else, as after a revert, it is another rollout. Of a whole scope: any change there.
 */
export function isSameRollout({ document }: StoppedWaves, then: Wanted, now: Wanted): boolean {
  return desiredText(document, then) === desiredText(document, now);
}

function desiredText(subject: Address | ScopeKey, { desired, documents }: Wanted): string {
  const isDocument = documents.has(subject);
  const own = ({ documents: by }: Desired): boolean => by.some(({ address }) => address === subject);
  const resources = desired
    .filter((one) => !isDocument || own(one))
    .map(({ address, attributes }) => canonical({ address, attributes }));
  return [String(isDocument), ...resources.toSorted(compareText)].join('\n');
}

/**
 * The subject of a rollout in waves: all resources of one document, or those that the rollout of a target covers in a scope.
 */
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
 * The subject of an action's rollout. Drift is healed regardless of waves. A chosen prune runs when its person says so. Forgetting
 * is no write. Without a store the cause is unknown, and all counts as a rollout.
 */
export function rolledOutBy(action: Action, wanted: Wanted, scope: ScopeKey): Subject | undefined {
  if (action.cause === 'drift' || action.verb === 'forget') return undefined;
  if (action.verb === 'delete' && action.because === 'pruned') return undefined;
  return subjectOf(documentsOf(action), wanted, scope);
}

/** True where anything in this scope has a rollout in waves. */
export const hasRollouts = ({ documents, rollout }: Wanted): boolean =>
  rollout !== undefined || [...documents.values()].some((said) => said.rollout !== undefined);

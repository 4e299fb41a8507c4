import type { Action, DeleteReason, ScopePlan } from '../core/action.ts';
import { actionDigest } from '../core/digest.ts';
import type { Hold } from '../core/plan/plan-input.ts';
import { countOf } from '../core/plan/tally.ts';
import type { Address } from '../core/resource.ts';
import { sha256 } from './sha256.ts';

/** An action as it was approved: another before-value makes another digest. */
export interface ApprovedAction {
  readonly address: Address;
  readonly verb: Action['verb'];
  readonly digest: string;
}

/** An action of a saved plan that no longer is what it was. */
export interface Stale {
  readonly address: Address;
  readonly verb: Action['verb'];
  readonly why: string;
}

interface Held {
  readonly approved: readonly Action[];
  readonly stale: readonly Stale[];
}

/**
 * Divides a saved plan into approved actions that are still planned, and stale ones. An action outside the saved plan is not
 * executed. It is no reason to refuse the others: changes in between do not matter.
 */
export function holdAgainst(saved: readonly ApprovedAction[], planned: readonly Action[]): Held {
  const byDigest = new Map(planned.map((action) => [actionDigest(action, sha256), action]));
  const byAddress = Map.groupBy(planned, ({ address }) => address);
  const approved: Action[] = [];
  const stale: Stale[] = [];
  for (const { address, verb, digest } of saved) {
    const same = byDigest.get(digest);
    if (same !== undefined) approved.push(same);
    else stale.push({ address, verb, why: whyStale(verb, byAddress.get(address)?.[0]) });
  }
  return { approved, stale };
}

function whyStale(verb: Action['verb'], now: Action | undefined): string {
  if (now === undefined) return `it was to ${verb}; that is no longer to be done, or no longer can be.`;
  if (now.verb !== verb) return `it was to ${verb}, and would now ${now.verb}.`;
  return `what it would ${verb} has changed since the plan was made.`;
}

/**
 * Lets pass what was shown to a person, and what follows from it: later reconciles may finish an approved address, but what
 * destroys must have been shown as such. Creations that were in doubt are known to the person as blocked, and what rests on
 * them as withheld. Forgetting and twins of our own lost answers need nobody.
 */
export function onlyApproved(approved: readonly Action[], plans: readonly ScopePlan[]): Hold {
  const shown = new Set<Address>([...approved.map(({ address }) => address), ...pending(plans), ...resting(plans)]);
  const destroying = new Set(approved.filter(destroys).map(actionKey));
  return (action) => {
    if (action.verb === 'forget' || (action.verb === 'delete' && isOurOwn.has(action.because))) return undefined;
    if (destroys(action) ? destroying.has(actionKey(action)) : shown.has(action.address)) return undefined;
    return { code: 'stale', why: 'it was not in the plan that was approved. Plan again.' };
  };
}

/** Twins of lost answers, and what was deleted and shows again. */
const isOurOwn: ReadonlySet<DeleteReason> = new Set(['twin', 'again']);

const actionKey = ({ verb, address }: Action): string => `${verb} ${address}`;
const destroys = (action: Action): boolean =>
  action.verb === 'delete' || (action.verb !== 'create' && countOf(action) !== undefined);

const pending = (plans: readonly ScopePlan[]): readonly Address[] =>
  plans.flatMap(({ findings }) =>
    findings.flatMap((found) => (found.type === 'blocked' && found.code === 'pending' ? [found.address] : [])),
  );

/** Creations that were planned while their dependencies were uncertain. */
const resting = (plans: readonly ScopePlan[]): readonly Address[] =>
  plans
    .filter((plan) => pending([plan]).length > 0)
    .flatMap(({ findings }) =>
      findings.flatMap((found) =>
        found.type === 'withheld' && found.code === 'depends' && found.action === 'create' ? [found.address] : [],
      ),
    );

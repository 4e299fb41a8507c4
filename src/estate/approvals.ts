import { type Action, type DeleteReason, isInGrace, type ScopePlan, verbKey } from '../core/action.ts';
import { actionDigest, halvesOf } from '../core/digest.ts';
import { isJoining, plannedOf } from '../core/order/moves.ts';
import type { Hold, Withholding } from '../core/plan/plan-input.ts';
import type { ConsentsOf } from '../core/plan/required-approvals.ts';
import { countOf } from '../core/plan/tally.ts';
import type { Address } from '../core/resource.ts';
import type { ApprovedAs } from '../ports/ledger.ts';
import { sha256 } from './sha256.ts';

/** So many addresses are named in the ledger's entry of break-glass. */
const mostNamed = 100;

interface BreakingGlass {
  readonly person: string;
  readonly reason: string;
  readonly generation: number;
  /** A digest. */
  readonly plan: string;
  readonly actions: readonly Action[];
  /** Why they would have been held. */
  readonly passed: readonly string[];
}

/** The entry in the ledger of an approval that lifts other holds. */
export const breakGlassNote = ({ person, reason, generation, plan, actions, passed }: BreakingGlass) => ({
  ...{ person, reason, generation, plan, changes: actions.length },
  addresses: [...new Set(actions.map(({ address }) => address))].slice(0, mostNamed),
  passed,
});

/** Finds approvals by the digests of an action. An action that needs several approvals must lose none of them. */
export function approvedAs(action: Action, consentsOf: ConsentsOf): ApprovedAs {
  const planned = plannedOf(action);
  const needs = consentsOf(planned).flatMap(({ seq, began }) => (began ? [] : [seq]));
  const [digest, halves] = [actionDigest(planned, sha256), halvesOf(action, sha256)];
  return { digest, halves, needs, ...(isJoining(action) ? { joining: true } : {}) };
}

interface Consented {
  readonly consentsOf: ConsentsOf;
}

/** True where an approval that an action had is active no more: it was withdrawn, ran out, or was spent. */
export function hasLostApproval(action: Action, before: Consented, now: Consented): boolean {
  const had = before.consentsOf(action);
  if (had.length === 0) return false;
  const still = new Set(now.consentsOf(action).map(({ seq }) => seq));
  return had.some(({ seq }) => !still.has(seq));
}

export const approvalLost: Withholding = {
  code: 'stale',
  why: 'the approval of this plan is no longer active. To do it anyway: setpoint approve --reason "…"',
};

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
  const destroying = new Set(approved.filter(destroys).map(verbKey));
  return (action) => {
    if (action.verb === 'forget' || (action.verb === 'delete' && isOurOwn.has(action.because))) return undefined;
    if (destroys(action) ? destroying.has(verbKey(action)) : shown.has(action.address)) return undefined;
    return { code: 'stale', why: 'it was not in the plan that was approved. Plan again.' };
  };
}

/** Twins of lost answers, and deleted objects that show again. */
const isOurOwn: ReadonlySet<DeleteReason> = new Set(['twin', 'again']);

/** Not a deletion whose grace runs: as long as it does, it only stops its machine. */
const destroys = (action: Action): boolean =>
  (action.verb === 'delete' && !isInGrace(action)) || (action.verb !== 'create' && countOf(action) !== undefined);

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

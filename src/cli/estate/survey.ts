import type { WithheldDrift } from '../../core/inventory/withheld-drift.ts';
import { type Allowance, allowanceIn } from '../../core/limits.ts';
import { isDestructive } from '../../core/plan/destructive-drift.ts';
import type { Approved, Choices } from '../../core/plan/plan-input.ts';
import { approvedBy } from '../../core/plan/policies.ts';
import type { Address, ScopeKey } from '../../core/resource.ts';
import { inForce } from '../../estate/active-spec.ts';
import { sha256 } from '../../estate/sha256.ts';
import type { Store } from '../../ports/store.ts';
import {
  type EstateView as AnySurvey,
  boundOf,
  type Estate,
  heldSources,
  planAgain,
} from '../../queries/estate-view.ts';
import { unmanagedScopes, withheldDrift } from '../../queries/status.ts';
import type { Context } from '../context.ts';
import { keepSeen } from './keep-seen.ts';
import { tellLeftAlone } from './left-alone.ts';
import { type Looked, look } from './look.ts';
import { tellHeldSources } from './source-words.ts';

/** An estate looked at now, over sessions that are open. */
export type Survey = AnySurvey<Looked>;

/** What a person lets pass or chose, beyond the specs. */
export interface Grant extends Allowance {
  readonly prune?: ReadonlySet<Address>;
}

/** Changes for which a person who applies needs an approval as well: see destructive-drift.ts. */
async function namedByApproval(estate: string, scope: ScopeKey, store: Store | undefined): Promise<Approved> {
  const approvals = (await store?.fleet.approvals.inForce({ estate, scope })) ?? [];
  const approved = approvedBy(new Set(approvals.flatMap(({ actions }) => actions)), sha256);
  return (action) => isDestructive(action) && approved(action);
}

/** In the scopes that were looked at; after the look, so that it counts. */
async function withheldHere({ name, scopes }: Estate, store: Store | undefined): Promise<readonly WithheldDrift[]> {
  if (store === undefined) return [];
  const targets = scopes.flatMap(({ targets: all }) => all.map(({ metadata }) => metadata.name));
  return withheldDrift({ estate: name, seen: [{ estates: [name] }], targets }, store);
}

/** Looks at every scope, plans, and hands both on; the scopes' sessions are closed afterwards, whatever happened. */
export async function withSurvey<T>(
  { estate, store, grant = {} }: { readonly estate: Estate; readonly store: Store | undefined; readonly grant?: Grant },
  context: Context,
  work: (survey: Survey) => Promise<T>,
): Promise<T> {
  const force = await inForce(estate, store);
  const looked = await look(estate, store, context);
  try {
    const choices: Choices = {
      policies: force.policies,
      ...(force.modesBefore === undefined ? {} : { modesBefore: force.modesBefore }),
      ...(grant.prune === undefined ? {} : { prune: grant.prune }),
    };
    const chosen = await Promise.all(
      looked.map(async (one) => {
        const approved = await namedByApproval(estate.name, one.scope.scope, store);
        return { ...one, input: { ...one.input, choices: { ...choices, approved } } };
      }),
    );
    const bounds = { ...force.bounds, ...allowanceIn(grant) };
    const plans = await planAgain({ estate, looked: chosen, bounds });
    const held = await heldSources(estate.name, store);
    tellHeldSources(held, context);
    tellLeftAlone(await unmanagedScopes(estate, store), context);
    await keepSeen(estate, looked, store, context);
    const withheld = await withheldHere(estate, store);
    const bound = { ...boundOf(estate, force, held), ...(withheld.length === 0 ? {} : { withheldDrift: withheld }) };
    return await work({ estate, store, looked: chosen, plans, bound, bounds });
  } finally {
    await Promise.all(looked.map(({ site }) => site.session.close()));
  }
}

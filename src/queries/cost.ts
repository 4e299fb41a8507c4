import type { Action, ScopePlan } from '../core/action.ts';
import {
  type OwnedMachine,
  type PlanCost,
  type PricedPlace,
  planCost,
  pricedPlace,
  priceTable,
} from '../core/cost/cost.ts';
import { ofKind } from '../core/documents/spec-set.ts';
import { ownership } from '../core/inventory/ownership.ts';
import type { Observed } from '../core/observed.ts';
import type { PlanInput } from '../core/plan/plan-input.ts';
import { type Address, type InstanceAttributes, prefixIn, type ScopeKey } from '../core/resource.ts';
import type { OpenedEstate } from '../estate/load.ts';

/** An estate as it was observed and planned. */
interface Planned {
  readonly estate: Pick<OpenedEstate, 'tree'>;
  readonly looked: readonly { readonly input: PlanInput }[];
  /** One for each observed scope, in the same order. */
  readonly plans: readonly ScopePlan[];
}

/** The monthly cost of an estate before and after its plans; undefined where its specs have no prices. */
export function costOf({ estate, looked, plans }: Planned): PlanCost | undefined {
  const table = priceTable(ofKind(estate.tree.documents, 'Prices').map(({ value }) => value));
  if (table === undefined) return undefined;
  const scopes = looked.flatMap(({ input }, i) => {
    const plan = plans[i];
    if (plan === undefined) return [];
    const { scope } = input.observation;
    const owned = ownership(input, plan).flatMap(({ observed, claim, address }) =>
      claim === 'ours' || claim === 'orphan' ? machineOf(observed, scope, address) : [],
    );
    const adopted = plan.actions.flatMap((action) =>
      action.verb === 'adopt' ? machineOf(action.observed, scope, action.address) : [],
    );
    const placeOf = ({ address }: Action): PricedPlace | undefined => placeAt(scope, address);
    return [{ machines: [...owned, ...adopted], plan, placeOf }];
  });
  return planCost(scopes, table);
}

function machineOf(observed: Observed, scope: ScopeKey, address: Address | undefined): readonly OwnedMachine[] {
  const { id, kind, attributes, condition } = observed;
  const place = placeAt(scope, address ?? '');
  const isGone = condition.state === 'gone' || condition.state === 'deleting';
  if (kind !== 'instance' || place === undefined || isGone) return [];
  return [{ id, attributes: attributes as InstanceAttributes, place }]; // why: only machines are of this kind
}

/** `aws/1111/eu-west-1`, or `gcp/acme` with `gcp/acme/europe-west1-b/instance/web-0`. */
function placeAt(scope: ScopeKey, address: Address): PricedPlace | undefined {
  const [, , region = prefixIn(address, 'instance').split('/')[2] ?? ''] = scope.split('/');
  return pricedPlace(scope, region);
}

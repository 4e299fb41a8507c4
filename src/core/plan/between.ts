import type { ScopePlan } from '../action.ts';
import type { Desired } from '../desired.ts';
import type { Observed } from '../observed.ts';
import { type AsSpecified, asSpecified, type Specified } from './as-specified.ts';
import { plan } from './plan.ts';
import type { Wanted } from './plan-input.ts';

/**
 * What a scope would need that stands as one state of the specs asks (`from`; absent: empty) to stand as another one asks: told
 * as the planner tells it, replaces, immutable fields, orphans and what is protected included. No cloud is asked. Limits are
 * left out: they count what was done before. What `to` adopts is taken to be there as it is asked for.
 */
export function between(from: Wanted | undefined, { wanted, ...place }: Specified): ScopePlan {
  const before = asSpecified({ ...place, wanted: from ?? { ...wanted, desired: [], documents: new Map() } });
  const { observation, knowledge } = before;
  return plan({
    wanted,
    observation: { ...observation, resources: [...observation.resources, ...toAdopt(wanted.desired, before)] },
    knowledge,
    dialect: place.dialect,
    choices: { atOnce: true },
  });
}

/** Objects of nobody that documents name, as these ask for them. */
function toAdopt(desired: readonly Desired[], { knowledge: { settled } }: AsSpecified): readonly Observed[] {
  const ours = new Set([...settled.values()].map(({ address }) => address));
  return desired.flatMap(({ kind, name, attributes, address, terms }) => {
    const id = terms.claim?.adopt;
    if (id === undefined || ours.has(address) || settled.has(id)) return [];
    return [{ kind, id, name, attributes, signs: {}, condition: { state: 'ready' } }];
  });
}

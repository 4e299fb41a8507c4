import { rulesOf } from '../kinds/kinds.ts';
import type { Observed } from '../observed.ts';
import type { Address, CloudId } from '../resource.ts';
import type { World } from './world.ts';

const adoptions = new WeakMap<World, ReadonlyMap<CloudId, Address>>();

/** What is observed as it will be once everything that is to be adopted is ours: a subnet lies in its network then. */
export function withAdoptedRefs(observed: Observed, world: World): Observed {
  const adopted = adoptions.get(world) ?? adoptedIn(world);
  adoptions.set(world, adopted);
  const attributes = rulesOf(observed.kind).mapRefs(observed.attributes, (ref) => adopted.get(ref) ?? ref);
  return { ...observed, attributes };
}

function adoptedIn({ input, byId }: World): ReadonlyMap<CloudId, Address> {
  return new Map(
    input.wanted.desired.flatMap(({ address, kind, terms }) => {
      const found = byId.get(terms.claim?.adopt ?? '');
      return found?.claim.by === 'nobody' && found.observed.kind === kind
        ? [[found.observed.id, address] as const]
        : [];
    }),
  );
}

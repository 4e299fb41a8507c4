import type { Desired } from '../desired.ts';
import type { Address } from '../resource.ts';
import type { Claimed } from './claim.ts';
import type { World } from './world.ts';

const byWorld = new WeakMap<World, ReadonlyMap<Address, Claimed>>();

/**
 * What stands for `desired`, but under the mark of somebody else: an id that this store settled and that was marked anew,
 * or another estate's object of this very address, as after an estate was renamed. Neither is an absence: a second one
 * must not be made beside it.
 */
export function strayedOf({ address, terms }: Desired, world: World): Claimed | undefined {
  let index = byWorld.get(world);
  if (index === undefined) {
    index = indexOf(world);
    byWorld.set(world, index);
  }
  for (const name of [address, ...(terms.claim?.was ?? [])]) {
    const strayed = index.get(name);
    if (strayed !== undefined) return strayed;
  }
  return undefined;
}

const indexOf = ({ claimed, input }: World): ReadonlyMap<Address, Claimed> =>
  new Map(
    claimed
      .filter(({ claim, observed }) => claim.by === 'other' && observed.signs.container === undefined)
      .flatMap((one) => addressesOf(one, input).map((address) => [address, one] as const)),
  );

const addressesOf = ({ observed: { id, signs } }: Claimed, { knowledge }: World['input']): readonly Address[] =>
  [knowledge.settled.get(id)?.address, signs.mark?.address].filter((address) => address !== undefined);

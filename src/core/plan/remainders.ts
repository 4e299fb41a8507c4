import type { Action } from '../action.ts';
import { prefixIn, slotOf } from '../address.ts';
import type { Desired } from '../desired.ts';
import type { Observed } from '../observed.ts';
import type { Address } from '../resource.ts';
import type { Claimed } from './claim.ts';
import { isHalfMade } from './half-made.ts';
import type { World } from './world.ts';

/** What is claimed at one address. `remainders`: parts without their machine, of others than the one machine that is to stand there. */
export interface Apart {
  readonly machines: readonly Claimed[];
  readonly remainders: readonly Claimed[];
}

export function remaindersApart(claimed: readonly Claimed[], desired: Desired): Apart {
  const whole = claimed.filter(({ observed }) => !isHalfMade(observed));
  const toBeMade = (one: Claimed): boolean => whole.length === 0 && isNamed(one, desired);
  const remainders = claimed.filter((one) => isHalfMade(one.observed) && !toBeMade(one));
  return { machines: claimed.filter((one) => !remainders.includes(one)), remainders };
}

/** Where a cloud does not keep names unique, one is as good as another. */
const isNamed = ({ observed: { signs } }: Claimed, { kind, address, name }: Desired): boolean =>
  signs.slot === undefined || signs.slot === slotOf(prefixIn(address, kind), kind, name);

/**
 * What to do about the remainders of an address. `launched`: the machine that is to be launched there now, if one is.
 *
 *   remainder                                       | result
 *   ------------------------------------------------+---------------------------------
 *   of the machine that is launched now             | none: the launch takes it up
 *   of one whose launch may still be under way      | none, until that is settled
 *   of any other                                    | deleted: withdrawn
 */
export function decideRemainders(
  remainders: readonly Claimed[],
  { address }: Desired,
  launched: Desired | undefined,
  { pending }: World,
): readonly Action[] {
  if (pending.has(address)) return [];
  const spare = remainders.filter((one) => launched === undefined || !isNamed(one, launched));
  return spare.map(({ observed }) => withdrawal(observed, address));
}

const withdrawal = (observed: Observed, address: Address): Action => ({
  ...{ kind: observed.kind, address, documents: [], cause: 'rollout' },
  ...{ verb: 'delete', observed, because: 'withdrawn' },
});

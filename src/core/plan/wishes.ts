import type { Desired } from '../desired.ts';
import { align } from './align.ts';
import { number } from './number.ts';
import { respell } from './respell.ts';
import type { World } from './world.ts';

/** What is wanted, in the words and with the numbers that its cloud has for it: what is compared with what stands. */
export const wishesOf = (world: World): readonly Desired[] => {
  const { wanted, dialect } = world.input;
  return number(respell(align(wanted.desired, world.claimed, dialect), world), world);
};

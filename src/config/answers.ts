import { dayOf } from '../core/render/wording.ts';
import { openEstate } from '../estate/load.ts';
import { generationsOf } from '../fleet/generations.ts';
import type { Yard } from '../fleet/worker-context.ts';
import type { Answers } from '../ports/answers.ts';
import { answersOn } from '../queries/queries.ts';
import { postedSpecs } from './posted-specs.ts';

/** What the API is asked about estates, out of a store. No cloud is asked, so wherever targets lie nothing is sent there. */
export function answersOf({ store, outside, clock }: Pick<Yard, 'store' | 'outside' | 'clock'>): Answers {
  const today = (): string => dayOf(clock.now());
  const generations = generationsOf({ store, outside: { ...outside, allowEndpoint: true }, clock });
  return answersOn({
    store,
    clock,
    open: generations.open,
    posted: {
      read: (posted, inForce) => postedSpecs(posted, inForce, today()),
      again: outside.specs,
      open: (tree) => openEstate(tree, outside.cloud, today()),
    },
  });
}

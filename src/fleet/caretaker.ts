import type { Where } from '../ports/queue.ts';
import type { Generations } from './generations.ts';
import { asLeader } from './leader.ts';
import type { Yard } from './yard.ts';

/** How soon somebody sees a wish that only the store was told: a person's, or one that the queue has lost. */
const wishesEveryMs = 1_000;
/** How often all that is due is put into the queue again. */
const scheduleEveryMs = 10_000;

/**
 * Keeps the queue as the store says, as long as it leads: a periodic pass for every scope of every estate, and one now for
 * every wish that no pass has answered. A queue that lost its data is thus made whole.
 */
export const tend = (
  { passEveryMs, generations }: { readonly passEveryMs: number; readonly generations: Generations },
  yard: Yard,
  signal: AbortSignal,
): Promise<void> =>
  asLeader({ estate: '-', scope: 'caretaker' }, yard, signal, async (lead) => {
    const { queue, store, clock } = yard;
    for (let scheduleAt = clock.now(); !lead.aborted; await clock.sleep(wishesEveryMs, lead)) {
      for (const where of await store.fleet.requests.unanswered()) await queue.request(where, 'now');
      if (clock.now() < scheduleAt) continue;
      scheduleAt = clock.now() + scheduleEveryMs;
      const all = await scopesOf(generations, yard);
      await queue.schedule(all.map((where) => ({ ...where, everyMs: passEveryMs })));
    }
  });

/** An estate whose newest generation cannot be opened is told of, and the others go on. */
async function scopesOf(generations: Generations, { store, telemetry }: Yard): Promise<readonly Where[]> {
  const all: Where[] = [];
  for (const estate of await store.estates.list()) {
    try {
      const generation = await store.generations.current(estate);
      if (generation === undefined) continue;
      const { compiled } = await generations.open(estate, generation);
      all.push(...compiled.scopes.map(({ scope }) => ({ estate, scope })));
    } catch (error) {
      telemetry.log.error('an estate cannot be opened', { estate, why: String(error) });
    }
  }
  return all;
}

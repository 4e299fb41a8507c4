import type { Where } from '../ports/queue.ts';
import type { Generations } from './generations.ts';
import { asLeader } from './leader.ts';
import type { Yard } from './yard.ts';

/** How often it looks after things: what a queue has lost is back after so long. */
const everyMs = 10_000;

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
    for (; !lead.aborted; await clock.sleep(everyMs, lead)) {
      const all = await scopesOf(generations, yard);
      await queue.schedule(all.map((where) => ({ ...where, everyMs: passEveryMs })));
      for (const where of all)
        if ((await store.fleet.requests.pulse(where)).wish > 0) await queue.request(where, 'now');
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

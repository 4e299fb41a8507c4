import type { Pulse } from '../ports/fleet-state.ts';
import type { Where } from '../ports/queue.ts';
import type { Yard } from './yard.ts';

/** A pass looks up after this long at the latest, and goes to the back of the queue where others wait. */
const sliceMs = 15_000;

/**
 * Asked every second while a pass runs: `stop` when somebody wants something newer than it began with, or when its slice is
 * over and passes of other scopes wait.
 */
export function lookoutOf(where: Where, began: Pulse, yard: Yard): () => Promise<'go' | 'stop'> {
  let sliceEnds = yard.clock.now() + sliceMs;
  return async () => {
    const { wish, generation } = await yard.store.fleet.requests.pulse(where);
    if (wish > began.wish || generation > began.generation) return 'stop';
    if (yard.clock.now() < sliceEnds) return 'go';
    sliceEnds = yard.clock.now() + sliceMs;
    return (await othersWait(where, yard)) ? 'stop' : 'go';
  };
}

async function othersWait({ scope }: Where, { queue }: Yard): Promise<boolean> {
  const cloud = scope.slice(0, scope.indexOf('/'));
  const counts = await queue.counts();
  return counts.some((one) => one.cloud === cloud && one.state === 'waiting' && one.count > 0);
}

import type { Order } from '../core/order.ts';
import type { Batch, BatchLimits } from '../core/pack.ts';
import type { CloudId } from '../core/resource.ts';
import { boardOf } from './board.ts';
import { type Outcome, unsent } from './outcome.ts';
import { runway } from './runway.ts';

/** What a schedule runs. */
export interface Crew {
  readonly order: Order;
  readonly limits: BatchLimits;
  readonly waits: AbortSignal;
  /** One outcome per action of the batch, in order. Rejects only when the pass cannot go on. */
  perform(batch: Batch): Promise<readonly Outcome[]>;
  /** Of these new rules, those that the cloud shows. */
  verify(made: ReadonlySet<CloudId>): Promise<ReadonlySet<CloudId>>;
}

/**
 * Runs what may run, side by side, and what waits for it as soon as it has ended. A rule is taken away only once a look has found
 * the new ones that it waits for. One outcome per step, in order.
 */
export async function schedule({ order, limits, waits, perform, verify }: Crew): Promise<readonly Outcome[]> {
  const board = boardOf(order);
  const batches = runway(limits);
  const flying = new Set<Promise<void>>();
  const fly = (flight: Promise<void>): void => {
    flying.add(flight);
    const land = (): void => void flying.delete(flight);
    flight.then(land, land);
  };
  const land = (batch: Batch, outcomes: readonly Outcome[]): void => {
    batches.landed(batch);
    for (const [i, action] of batch.actions.entries()) board.end(action, outcomes[i] ?? unsent);
  };
  const start = (): void => {
    batches.add(board.ready());
    for (const batch of batches.takeOff()) fly(perform(batch).then((outcomes) => land(batch, outcomes)));
    const made = board.toVerify();
    if (made) fly(verify(made).then((seen) => board.verified(made, seen)));
  };
  for (;;) {
    if (!waits.aborted) start();
    if (flying.size === 0) break;
    await race(flying);
  }
  return order.steps.map((_, at) => board.outcomeOf(at));
}

/** Waits for the first to land; when one crashes, for all, so that nothing runs on unseen. */
async function race(flying: ReadonlySet<Promise<void>>): Promise<void> {
  try {
    await Promise.race(flying);
  } catch (error) {
    await Promise.allSettled(flying);
    throw error;
  }
}

import type { Clock } from '../ports/clock.ts';
import { sha256 } from './signing.ts';
import type { Database } from './tables.ts';

/** Whose delivery it is. Its id may be of any length and any characters: it is hashed. */
export interface Delivered {
  readonly estate: string;
  readonly hook: string;
  readonly id: string;
}

interface Waiting {
  readonly delivered: Delivered;
  readonly tell: (isFirst: boolean) => void;
  readonly fail: (error: unknown) => void;
}

const most = 1000;

/**
 * Says of a delivery whether it is the first with its id. Those that come while a statement runs share the next one, so that a
 * thousand in a second are some dozens of commits. Of equals one is the first, in this process and among others.
 */
export function firstDeliveries(db: Database, clock: Clock): (delivered: Delivered) => Promise<boolean> {
  const waiting: Waiting[] = [];
  let running = false;
  const drain = async (): Promise<void> => {
    running = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, most);
      try {
        const taken = await insert(db, clock, batch);
        for (const { delivered, tell } of batch) tell(taken.delete(keyOf(delivered)));
      } catch (error) {
        for (const { fail } of batch) fail(error);
      }
    }
    running = false;
  };
  return ({ estate, hook, id }) =>
    new Promise((tell, fail) => {
      waiting.push({ delivered: { estate, hook, id: sha256(id) }, tell, fail });
      if (!running) void drain();
    });
}

/** The keys of those that are new. In order, so that two workers with the same deliveries never wait for each other. */
async function insert(db: Database, clock: Clock, batch: readonly Waiting[]): Promise<Set<string>> {
  const each = new Map(batch.map(({ delivered }) => [keyOf(delivered), delivered]));
  const rows = [...each].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => ({ ...row, at: clock.now() }));
  const taken = await db
    .insertInto('deliveries')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .returning(['estate', 'hook', 'id'])
    .execute();
  return new Set(taken.map(keyOf));
}

const keyOf = ({ estate, hook, id }: Delivered): string => `${estate}/${hook}/${id}`;

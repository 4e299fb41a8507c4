import { canonicalId } from './ids.ts';
import type { Scope } from './scope.ts';

/**
 * One write after another to one VNet or NSG. Azure refuses a second while the first goes on, and two that were built from
 * one GET would meet each other's etags.
 */
export async function inTurn<T>(id: string, { known }: Scope, work: () => Promise<T>): Promise<T> {
  const key = canonicalId(id);
  const before = known.turns.get(key) ?? Promise.resolve();
  const mine = before.then(work, work);
  known.turns.set(key, mine);
  try {
    return await mine;
  } finally {
    if (known.turns.get(key) === mine) known.turns.delete(key);
  }
}

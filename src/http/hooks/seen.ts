import { createHash } from 'node:crypto';

/** So many deliveries are remembered in this process. */
const most = 20_000;

/** What the store has said was taken: a replay of it asks the store for nothing. Forgetting costs one question. */
export interface Seen {
  has(estate: string, hook: string, id: string): boolean;
  add(estate: string, hook: string, id: string): void;
}

export function seenLately(): Seen {
  const ids = new Set<string>();
  return {
    has: (...delivery) => ids.has(keyOf(delivery)),
    add: (...delivery) => {
      ids.add(keyOf(delivery));
      for (const oldest of ids) {
        if (ids.size <= most) return;
        ids.delete(oldest);
      }
    },
  };
}

/** A sender's ids may be of any length. */
const keyOf = (delivery: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(delivery)).digest('base64');

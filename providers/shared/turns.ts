/**
 * The turns of this process's loop that long work is cut into. Leases are renewed and others are answered between two turns, so
 * all work of this kind shares them: ten answers that are read at once hold the loop no longer than one.
 */
const mostMs = 8;

/** The present turn ends at this moment; undefined while nobody works in turns. */
let endsAt: number | undefined;
let coming: Promise<void> | undefined;

/** Costs 50 ns; ask once for some 10 µs of work. */
export function isTurnOver(): boolean {
  const now = performance.now();
  if (endsAt === undefined) begin(now);
  return now > (endsAt ?? 0);
}

/** The loop has done what else it had to. */
export function nextTurn(): Promise<void> {
  coming ??= new Promise((resolve) => {
    setImmediate(() => {
      coming = undefined;
      begin(performance.now());
      resolve();
    });
  });
  return coming;
}

function begin(now: number): void {
  endsAt = now + mostMs;
  setImmediate(() => {
    endsAt = undefined;
  });
}

/** `items.map(make)` in turns. */
export async function mapInTurns<T, R>(items: Iterable<T>, make: (item: T) => R): Promise<R[]> {
  const made: R[] = [];
  for (const item of items) {
    made.push(make(item));
    if (isTurnOver()) await nextTurn();
  }
  return made;
}

/** Long work in steps of some milliseconds each. Its caller may do other work between two of them. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Does all steps at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** As `items.flatMap(make)`, with a step after each `size` items. */
export function* flatMapInSteps<T, R>(
  items: readonly T[],
  make: (item: T) => readonly R[],
  size = 250,
): Steps<readonly R[]> {
  const made: R[] = [];
  for (const [i, item] of items.entries()) {
    made.push(...make(item));
    if (i % size === size - 1) yield;
  }
  return made;
}

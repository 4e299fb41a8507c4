import type { Clock } from '../ports/clock.ts';

/** How far may be told, and whether something beyond waits. */
export interface Watermark {
  readonly xmin: string;
  readonly waits: boolean;
}

/** In ms: our own transactions end sooner, or are ended. */
const longMs = 5000;

/** Told of each edge that is seen, calls `free` where one has not moved for 5 s though something waits, and every 5 s then. */
export function watchEdge(clock: Clock, free: () => Promise<void>): (edge: Watermark) => Promise<void> {
  let stood: string | undefined;
  let since = 0;
  return async ({ xmin, waits }) => {
    const at = waits ? xmin : undefined;
    const now = clock.now();
    if (at === undefined || at !== stood) {
      stood = at;
      since = now;
    } else if (now - since >= longMs) {
      since = now;
      await free();
    }
  };
}

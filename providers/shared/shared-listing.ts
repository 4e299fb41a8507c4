import type { Kind } from '../../src/core/resource.ts';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import type { Call } from '../../src/ports/provider.ts';

/** One listing for several kinds. Rejects with `ListingFailed`. */
export type Listing<T> = (reader: Kind, call: Call) => Promise<readonly T[]>;

/** The longest use of a listing: a reconcile that waits must not judge by an earlier state. */
const freshMs = 60_000;

/** Tells of each write, as it is sent and as it ends. */
interface Writing {
  onWrite(listener: () => void): void;
}

interface Latest<T> {
  readonly readers: Set<Kind>;
  readonly items: Promise<readonly T[]>;
  /** Milliseconds since the epoch when it began. */
  readonly at: number;
}

/**
 * A listing that is made once and serves every kind once; a kind that asks again, asks after a write was sent, or asks
 * `freshMs` after the listing began, gets a new one.
 */
export function sharedListing<T>(
  client: Writing,
  clock: Clock,
  list: (call: Call) => Promise<readonly T[]>,
): Listing<T> {
  let latest: Latest<T> | undefined;
  client.onWrite(() => {
    latest = undefined;
  });
  return (reader, call) => {
    const now = clock.now();
    if (!latest || latest.readers.has(reader) || now - latest.at >= freshMs)
      latest = { readers: new Set(), items: list(call), at: now };
    latest.readers.add(reader);
    return latest.items;
  };
}

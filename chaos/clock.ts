import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../src/ports/clock-and-log.ts';

/** Time that runs `rate` times as fast as ours since `start`, and is the same in every process that is told so. */
export interface Pace {
  /** Milliseconds since the epoch. */
  readonly start: number;
  readonly rate: number;
}

export const clockAt = ({ start, rate }: Pace): Clock => ({
  now: () => Math.floor(start + (Date.now() - start) * rate),
  sleep: (ms, signal) => sleep(ms / rate, undefined, signal === undefined ? {} : { signal }),
});

export const ourClock: Clock = clockAt({ start: 0, rate: 1 });

/**
 * A minute of the clouds passes in a second: the five minutes in which a listing may miss what was written are 5 s here. Leases
 * keep our own time.
 */
export const rate = 60;

/** The lease of the caught process outlives it by so long. */
export const leaseMs = 2_000;
/** That of the second process, which shares its machine with many others. */
export const patientLeaseMs = 20_000;

import type { Clock } from '../ports/clock.ts';
import type { Steering } from './job.ts';
import type { Progress } from './progress.ts';

type Awaited = Omit<Extract<Progress, { at: 'waiting' }>, 'at'> & { readonly forMs: number };

export interface Waiter {
  readonly clock: Clock;
  readonly waits: AbortSignal;
  readonly tell: Steering['tell'];
}

/** Tells what is waited for, sleeps, and tells how long it was; rejects when the pass must stop. */
export async function wait(awaited: Awaited, waiter: Waiter): Promise<void> {
  waiter.tell?.({ at: 'waiting', ...awaited });
  await sleepFor(awaited, waiter);
}

/** The same for what nobody need be told of before. */
export async function sleepFor({ why, detail, forMs }: Awaited, { clock, waits, tell }: Waiter): Promise<void> {
  const from = clock.now();
  try {
    await clock.sleep(forMs, waits);
  } finally {
    tell?.({ at: 'waited', why, detail, forMs: clock.now() - from });
  }
}

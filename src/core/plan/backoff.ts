import type { Action } from '../action.ts';
import type { Policy } from './plan-input.ts';

/** An action that a cloud refused. `until`: ms since the epoch. */
export interface BackedOff {
  readonly failures: number;
  readonly said: string;
  readonly until: number;
}

/** The first wait, and the longest. */
const firstMs = 60_000;
const longestMs = 3_600_000;

/** 1, 2, 4, … minutes, up to an hour. `failures`: in a row, this one included. */
export const backoffMs = (failures: number): number => Math.min(longestMs, firstMs * 2 ** Math.max(0, failures - 1));

/** Withholds what the cloud refused a while ago, and says what it said. `of`: what is kept of this very action, while it waits. */
export const backoffPolicy =
  (of: (action: Action) => BackedOff | undefined): Policy =>
  (action) => {
    const held = of(action);
    if (held === undefined) return undefined;
    const times = held.failures === 1 ? 'refused it' : `refused it ${held.failures} times in a row`;
    const again = new Date(held.until).toISOString();
    return {
      code: 'backoff',
      why: `the cloud ${times}: ${held.said} It is tried again after ${again}; at once when it or its spec changes, or when a person approves it, resumes it or asks for a pass.`,
    };
  };

import type { Action } from '../core/action.ts';
import { type Batch, type BatchLimits, pack } from '../core/pack.ts';

/** Batches that wait for their turn. A batch that waits holds back only those of its own kind and verb. */
export interface Runway {
  add(ready: readonly Action[]): void;
  /** Those that may start now. */
  takeOff(): readonly Batch[];
  landed(batch: Batch): void;
}

/** So many batches of one kind and verb are on their way at once. */
const atOnce = 16;

interface Strip {
  readonly waiting: Batch[];
  flying: number;
}

export function runway(limits: BatchLimits): Runway {
  const strips = new Map<string, Strip>();
  const stripOf = ({ kind, verb }: Batch): Strip => {
    const key = `${kind} ${verb}`;
    const strip = strips.get(key) ?? { waiting: [], flying: 0 };
    strips.set(key, strip);
    return strip;
  };
  return {
    add: (ready) => {
      for (const batch of pack(ready, limits)) stripOf(batch).waiting.push(batch);
    },
    takeOff: () =>
      [...strips.values()].flatMap((strip) => {
        const batches = strip.waiting.splice(0, Math.max(0, atOnce - strip.flying));
        strip.flying += batches.length;
        return batches;
      }),
    landed: (batch) => {
      stripOf(batch).flying -= 1;
    },
  };
}

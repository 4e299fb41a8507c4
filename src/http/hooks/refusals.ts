import type { Clock, Log } from '../../ports/clock-and-log.ts';

/** One line for each hook and reason in so long, with how many there were: whoever floods us does not flood our log. */
const everyMs = 10_000;

export interface Refusals {
  /** `at`: a hook that exists; what a stranger has typed is never written. */
  tell(why: Refused, at?: { readonly estate: string; readonly of: string }): void;
  /** Writes what was counted and not told. */
  close(): void;
}

export type Refused =
  | 'there is no such hook'
  | 'forged'
  | 'too old'
  | 'its proof is out of reach'
  | 'its secret cannot be had'
  | 'its keys are not allowed'
  | 'not as its sender sends it'
  | 'too many'
  | 'the store is out of reach';

interface Count {
  readonly fields: { readonly estate?: string; readonly of?: string; readonly why: Refused };
  count: number;
  toldAt: number;
}

export function refusals(log: Log, clock: Clock): Refusals {
  const counts = new Map<string, Count>();
  const write = (each: Count): void => {
    if (each.count === 0) return;
    log.warn('deliveries of a hook were refused', { ...each.fields, count: each.count });
    each.count = 0;
    each.toldAt = clock.now();
  };
  return {
    tell: (why, at) => {
      const key = JSON.stringify([why, at?.estate, at?.of]);
      const each = counts.get(key) ?? { fields: { ...at, why }, count: 0, toldAt: Number.NEGATIVE_INFINITY };
      counts.set(key, each);
      each.count += 1;
      if (clock.now() - each.toldAt >= everyMs) write(each);
    },
    close: () => {
      for (const each of counts.values()) write(each);
    },
  };
}

import { type ActionName, reads } from './cloud/calls.ts';
import type { Random } from './cloud/random.ts';
import type { RefusalCode } from './cloud/refusal.ts';

/**
 * The effect of a fault on a request.
 * - `refuse`: it is answered with this code, and nothing was done.
 * - `lost-before`, `lost-after`: no answer comes; the write does not stand, or does. `error-after`: it stands, and an error is answered.
 * - `delay`: it is served `ms` later; `delay-after`: it is served now and answered `ms` later.
 * - `lag`: for `ms` after a write this read sees the state before it or the state after it, object by object.
 * - `flicker`: a listing misses this share of the objects and does not say so.
 * - `die`: the machines of this launch are ended `ms` later, as where their disk cannot be read.
 * - `short-page`: a page holds at most so many, and says that there is more. `unreachable`: a listing says it is not whole.
 */
export type Fault =
  | { readonly do: 'refuse'; readonly code: RefusalCode; readonly retryAfterMs?: number }
  | { readonly do: 'lost-before' | 'lost-after' | 'error-after' | 'unreachable' }
  | { readonly do: 'delay' | 'delay-after' | 'lag' | 'die'; readonly ms: number }
  | { readonly do: 'flicker'; readonly share: number }
  | { readonly do: 'short-page'; readonly items: number };

/** When: every given part must hold. `nth` counts this rule's matching requests, from 1. */
export interface FaultRule {
  readonly on?: ActionName | readonly ActionName[] | 'reads' | 'writes';
  readonly nth?: number;
  readonly probability?: number;
  /** Spent after so many hits. */
  readonly times?: number;
  readonly fault: Fault;
}

/** The schedule. Equal seeds and equal requests give equal faults. */
export interface Faults {
  add(...rules: readonly FaultRule[]): void;
  /** From now on nothing goes wrong. */
  clear(): void;
  strike(action: ActionName): readonly Fault[];
}

export function makeFaults(random: Random): Faults {
  let rules: readonly { readonly rule: FaultRule; matched: number; hits: number }[] = [];
  return {
    add: (...added) => {
      rules = [...rules, ...added.map((rule) => ({ rule, matched: 0, hits: 0 }))];
    },
    clear: () => {
      rules = [];
    },
    strike: (action) =>
      rules.flatMap((state) => {
        const { rule } = state;
        if (state.hits >= (rule.times ?? Number.POSITIVE_INFINITY) || !concerns(rule, action)) return [];
        state.matched++;
        if (rule.nth !== undefined && rule.nth !== state.matched) return [];
        if (rule.probability !== undefined && random() >= rule.probability) return [];
        state.hits++;
        return [rule.fault];
      }),
  };
}

/** A bit of everything that clouds do to their users: each fault strikes with `probability`. */
export function storm(probability: number): readonly FaultRule[] {
  const faults: readonly (readonly [FaultRule['on'], Fault])[] = [
    ['reads', { do: 'refuse', code: 'Throttled' }],
    ['reads', { do: 'refuse', code: 'ServiceUnavailable' }],
    ['reads', { do: 'flicker', share: 0.3 }],
    ['reads', { do: 'lag', ms: 60_000 }],
    ['reads', { do: 'short-page', items: 1 }],
    ['reads', { do: 'unreachable' }],
    ['writes', { do: 'refuse', code: 'Throttled', retryAfterMs: 2000 }],
    ['writes', { do: 'refuse', code: 'ServiceUnavailable' }],
    ['writes', { do: 'refuse', code: 'ConcurrentChange' }],
    ['writes', { do: 'lost-before' }],
    ['writes', { do: 'lost-after' }],
    ['writes', { do: 'error-after' }],
    ['writes', { do: 'delay', ms: 3000 }],
    ['writes', { do: 'delay-after', ms: 3000 }],
  ];
  return faults.map(([on, fault]) => ({ ...(on && { on }), probability, fault }));
}

function concerns({ on }: FaultRule, action: ActionName): boolean {
  if (on === undefined) return true;
  if (on === 'reads' || on === 'writes') return reads(action) === (on === 'reads');
  return typeof on === 'string' ? on === action : on.includes(action);
}

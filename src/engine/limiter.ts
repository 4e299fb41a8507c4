import type { Cost } from '../ports/actuator.ts';
import type { Clock } from '../ports/clock.ts';
import type { Limiter, Need, Refusal } from '../ports/limiter.ts';
import { type LaneState, laneState } from './lane.ts';

export interface LimiterOptions {
  readonly clock: Clock;
  /** The fraction of every budget left to other users of the account; default 0. */
  readonly reserve?: number;
}

/**
 * Budgets kept in this process. First come, first served on each lane; a request that needs two lanes takes from both at
 * once or from neither, and one that waits on a lane holds back only those who come later on its own lanes.
 */
export function inProcessLimiter({ clock, reserve = 0 }: LimiterOptions): Limiter {
  const lanes = new Map<string, LaneState>();
  const waiting = new Set<Waiter>();
  const alarm = alarmOn(clock);

  const laneOf = ({ lane }: Cost): LaneState => {
    const known = lanes.get(lane.key);
    if (known) return known;
    const made = laneState(lane.budget, reserve, clock.now());
    lanes.set(lane.key, made);
    return made;
  };

  /** When this one may go; Infinity while somebody who came earlier waits on one of its lanes. */
  const readyAt = ({ costs }: Waiter, held: ReadonlySet<string>, now: number): number =>
    costs.some(({ lane }) => held.has(lane.key))
      ? Number.POSITIVE_INFINITY
      : Math.max(now, ...costs.map((cost) => laneOf(cost).readyAt(cost.amount, now)));

  /** Lets go whoever may, in order of arrival, and sleeps until the next one may. */
  const pump = (): void => {
    const now = clock.now();
    const held = new Set<string>();
    let next = Number.POSITIVE_INFINITY;
    for (const waiter of waiting) {
      const at = readyAt(waiter, held, now);
      if (at > now) {
        next = Math.min(next, at);
        for (const { lane } of waiter.costs) held.add(lane.key);
        continue;
      }
      for (const cost of waiter.costs) laneOf(cost).spend(cost.amount, now);
      waiter.go(now);
    }
    alarm(next, pump);
  };

  const take = ({ costs }: Need, signal: AbortSignal): Promise<number> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const leave = (): void => {
        waiting.delete(waiter);
        reject(signal.reason);
        pump();
      };
      const go = (now: number): void => {
        waiting.delete(waiter);
        signal.removeEventListener('abort', leave);
        resolve(now);
      };
      const waiter: Waiter = { costs, go };
      signal.addEventListener('abort', leave, { once: true });
      waiting.add(waiter);
      pump();
    });

  const slow = (laneKey: string, refusal: Refusal): void => {
    lanes.get(laneKey)?.slow(refusal, clock.now());
    pump();
  };

  const learn = (laneKey: string, remaining: number): void => {
    lanes.get(laneKey)?.learn(remaining, clock.now());
    pump();
  };

  return { take, slow, learn };
}

/** One timer that is set again and again; Infinity only unsets it. */
function alarmOn(clock: Clock): (at: number, ring: () => void) => void {
  let set: { readonly at: number; readonly cancel: AbortController } | undefined;
  return (at, ring) => {
    if (set?.at === at) return;
    set?.cancel.abort();
    set = undefined;
    if (at === Number.POSITIVE_INFINITY) return;
    const mine = { at, cancel: new AbortController() };
    set = mine;
    const rung = (): void => {
      if (set === mine) set = undefined;
      ring();
    };
    clock.sleep(at - clock.now(), mine.cancel.signal).then(rung, () => undefined);
  };
}

interface Waiter {
  readonly costs: readonly Cost[];
  readonly go: (now: number) => void;
}

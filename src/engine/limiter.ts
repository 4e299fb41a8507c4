import type { Cost } from '../ports/actuator.ts';
import type { Clock } from '../ports/clock.ts';
import type { Limiter, Need, Refusal } from '../ports/limiter.ts';
import type { LaneLevel, Samples } from '../ports/telemetry.ts';
import { alarmOn } from './alarm.ts';
import { type LaneState, laneState } from './lane.ts';
import { emptyRow, firstOf, join, type Row, rowKey, type Waiter } from './row.ts';
import type { LaneOptions } from './shape.ts';
import { leftTo, type Turn } from './turn.ts';

export interface LimiterOptions extends LaneOptions {
  readonly clock: Clock;
  /** Told of each slow-down. */
  readonly slowed?: (laneKey: string) => void;
}

/**
 * Budgets kept in this process. A request that needs two lanes takes from both at once or from neither. Those who ask the
 * same lanes in one name go in order of arrival; whoever takes from a lane leaves what is due to the other rows (`leftTo`)
 * and no more, so that one who waits for another lane holds up nobody for long on this one.
 */
export function inProcessLimiter(options: LimiterOptions): Limiter & Pick<Samples, 'lanes'> {
  const { clock, slowed } = options;
  const lanes = new Map<string, LaneState>();
  const rows = new Map<string, Row>();
  const alarm = alarmOn(clock);
  const laneOf = ({ lane }: Cost): LaneState => lanes.get(lane.key) ?? added(lane);
  const added = ({ key, budget }: Cost['lane']): LaneState => {
    const made = laneState(budget, options, clock.now());
    lanes.set(key, made);
    return made;
  };

  /** Lets go whoever may, each time the one who leaves least to others, and sleeps until the next one may. */
  const pump = (): void => {
    const now = clock.now();
    let next = now;
    while (next <= now) {
      const hopes = [...rows].map(([key, row]) => ({ key, row, ...hopeOf(row, { rows: rows.values(), laneOf, now }) }));
      const [best] = hopes.filter(({ at }) => at <= now).toSorted((one, other) => one.due - other.due);
      if (best) serve(best.key, best.row, now);
      else next = Math.min(Number.POSITIVE_INFINITY, ...hopes.map(({ at }) => at));
    }
    alarm(next, pump);
  };

  const serve = (key: string, row: Row, now: number): void => {
    const first = firstOf(row);
    for (const cost of first.costs) laneOf(cost).spend(cost.amount, row.share, now);
    row.served = now;
    first.go(now);
    if (row.waiters.size === 0) rows.delete(key);
  };

  const take = (need: Need, signal: AbortSignal): Promise<number> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const key = rowKey(need);
      const row = rows.get(key) ?? emptyRow(need);
      rows.set(key, row);
      const giveUp = (): void => {
        leave();
        if (row.waiters.size === 0 && rows.get(key) === row) rows.delete(key);
        reject(signal.reason);
        pump();
      };
      const go = (at: number): void => {
        leave();
        signal.removeEventListener('abort', giveUp);
        resolve(at);
      };
      const waiter: Waiter = { costs: need.costs, came: clock.now(), go };
      signal.addEventListener('abort', giveUp, { once: true });
      const leave = join(row, waiter);
      pump();
    });

  const slow = (laneKey: string, refusal: Refusal): void => {
    if (lanes.get(laneKey)?.slow(refusal, clock.now())) slowed?.(laneKey);
    pump();
  };

  const learn = (laneKey: string, remaining: number): void => {
    lanes.get(laneKey)?.learn(remaining, clock.now());
    pump();
  };

  const levels = async (): Promise<readonly LaneLevel[]> =>
    [...lanes].map(([key, lane]) => ({ key, ...lane.level(clock.now()) }));

  return { take, slow, learn, lanes: levels };
}

interface Hall {
  readonly rows: Iterable<Row>;
  readonly laneOf: (cost: Cost) => LaneState;
  readonly now: number;
}

/** When the first of the row may go, as far as one can tell now, and how much it leaves to others. */
function hopeOf(row: Row, hall: Hall): { readonly at: number; readonly due: number } {
  const others = [...hall.rows].filter((other) => other !== row);
  const hopes = firstOf(row).costs.map((cost, at) => {
    const own = turnAt(row, at, hall);
    const due = others.reduce((sum, other) => {
      const place = firstOf(other).costs.findIndex(({ lane }) => lane.key === cost.lane.key);
      return place < 0 ? sum : sum + leftTo(turnAt(other, place, hall), own, hall.now);
    }, 0);
    return { at: hall.laneOf(cost).readyAt(cost.amount + due, hall.now), due };
  });
  return {
    at: Math.max(hall.now, ...hopes.map(({ at }) => at)),
    due: hopes.reduce((sum, { due }) => sum + due, 0),
  };
}

/** How the row stands in the lane of its cost at this place. */
function turnAt(row: Row, place: number, { laneOf, now }: Hall): Turn {
  const { costs, came } = firstOf(row);
  const since = Math.max(row.served, came);
  const ready = costs.map((cost) => laneOf(cost).readyAt(cost.amount, now));
  const itIsHere = ready.every((at) => at <= (ready[place] ?? now));
  const [first, used] = costs
    .slice(place, place + 1)
    .flatMap((cost) => [cost.amount, laneOf(cost).used(row.share, now)]);
  const all = itIsHere ? row.totals[place] : first;
  return { rank: row.rank, since, first: first ?? 0, all: all ?? 0, used: used ?? 0 };
}

import {
  type FairShare,
  leftTo,
  order,
  patienceMs,
  type RateLimitOptions,
  RateLimitState,
  rounding,
  type SavedRateLimit,
  type UsableBudget,
  usableBudgetOf,
} from '../../engine/rate-limit.ts';
import type { Cost, Rank } from '../../ports/limiter.ts';

/**
 * One budget that several workers share. Each leases units of it for `leaseMs` and spends them as it likes; units that it did not
 * spend come back with its next question.
 *
 *   a share                     | of the budget
 *   ----------------------------+------------------------------------------------------------------------
 *   is leased                   | stays in the rate limit, held: nobody else is given it, and the rate limit fills no further with it
 *   comes back in time          | what was spent is spent now, or when the worker says that it spent the last of it
 *   ends                        | all of it was spent at that moment: nobody knows what a silent worker did
 *
 * So what a rate limit has and what workers hold are never more together than the cloud still allows. All times are the store's, ms since the
 * epoch; workers say how long ago something was.
 */
export interface SharedRateLimit {
  readonly lane: SavedRateLimit;
  /** The number of the newest share. */
  readonly number: number;
  /** By worker. */
  readonly held: Readonly<Record<string, Held>>;
  /** Workers that were given less than they asked for. */
  readonly waiting: Readonly<Record<string, Waiting>>;
}

interface Held {
  readonly number: number;
  readonly amount: number;
  readonly until: number;
}

interface Waiting {
  /** The time at which it is asked to come again. */
  readonly due: number;
  readonly rows: readonly WaitingRow[];
}

interface WaitingRow {
  readonly rank: Rank;
  readonly share: string;
  readonly since: number;
  readonly first: number;
  readonly all: number;
}

/** A worker's question about one rate limit. All `…Ms` are spans before the question. */
export interface ShareAsk extends Pick<Cost, 'rateLimit'> {
  /** Its last share, which it no longer spends from; absent: it never had one. */
  readonly held?: { readonly number: number; readonly spent: readonly Spent[] };
  /** Requests that the cloud refused since. */
  readonly refusals: readonly { readonly sentAgoMs: number; readonly retryAfterMs: number; readonly amount: number }[];
  /** The cloud's own word for what is left. */
  readonly remaining?: number;
  readonly rows: readonly RowAsk[];
  /** Units for requests to come. */
  readonly more: number;
}

/** Units that were spent in one name, in order of time. */
export interface Spent {
  readonly share: string;
  readonly amount: number;
  readonly agoMs: number;
}

/** Those who wait in one name. `needs`: units of each of the first ones; `all`: units of all of them. */
export interface RowAsk {
  readonly rank: Rank;
  readonly share: string;
  readonly waitedMs: number;
  readonly needs: readonly number[];
  readonly all: number;
}

export interface Share {
  readonly number: number;
  /** May be spent until the lease ends. */
  readonly amount: number;
  /** One request for more than this is granted for this. */
  readonly most: number;
  /** Ask again after so long; absent: the whole request was granted. */
  readonly waitMs?: number;
  /** The rate limit was slowed by one of the refusals. */
  readonly slowed: boolean;
  /** Units that no worker holds. */
  readonly free: number;
}

/** Of the whole budget, what workers hold included, 1 when full; `slowedForMs`: absent at full speed. */
export interface Level {
  readonly level: number;
  readonly slowedForMs?: number;
}

/** A share may be spent for so long; then it counts as spent. */
export const leaseMs = 5_000;
/** The shortest and the longest time until a worker is asked to come again. */
const leastMs = 200;
const mostMs = 1_000;
/** A worker that comes later than its time by this much is skipped until it comes. */
const graceMs = 1_000;

export interface Leasing {
  readonly worker: string;
  readonly budgets: RateLimitOptions;
  readonly now: number;
  /** A rate limit that nobody used yet was, at worst, emptied right before this moment; absent: it is full. */
  readonly emptyAt?: number;
}

/** Gives the worker its next share. Pure: the same rate limit, question and time give the same answer. */
export function leaseShare(
  known: SharedRateLimit | undefined,
  ask: ShareAsk,
  leasing: Leasing,
): { readonly rateLimit: SharedRateLimit; readonly share: Share } {
  const { worker, budgets, now } = leasing;
  const shape = usableBudgetOf(ask.rateLimit.budget, budgets);
  const rateLimit = rateLimitOf(known, ask, leasing);
  const held = settled(rateLimit, known?.held ?? {}, { ask, leasing, shape });
  const slowed = ask.refusals
    .map(({ sentAgoMs, ...refusal }) => rateLimit.slow({ ...refusal, sentAt: now - sentAgoMs }, now))
    .includes(true);
  const heldByOthers = Object.values(held).reduce((sum, { amount }) => sum + amount, 0);
  learn(rateLimit, ask, { heldByOthers, shape, now });
  const others = Object.entries(known?.waiting ?? {}).filter(
    ([name, { due }]) => name !== worker && due + graceMs >= now,
  );
  const otherRows = others.flatMap(([, { rows }]) => rows);
  const given = give(rateLimit, ask, { others: otherRows, heldByOthers, now });
  const number = (known?.number ?? 0) + 1;
  const own: Held = { number, amount: given.amount, until: now + leaseMs };
  const waiting: Waiting | undefined =
    given.rest.length === 0 ? undefined : { due: now + given.waitMs, rows: given.rest };
  const kept = rateLimit.kept(now);
  if (kept === undefined) throw new Error('a shared rate limit cannot be kept');
  return {
    rateLimit: {
      lane: kept,
      number,
      held: given.amount > 0 ? { ...held, [worker]: own } : held,
      waiting: { ...Object.fromEntries(others), ...(waiting && { [worker]: waiting }) },
    },
    share: {
      number,
      amount: given.amount,
      most: rateLimit.most(now),
      ...(waiting && { waitMs: given.waitMs }),
      slowed,
      free: rateLimit.left(now) - heldByOthers - given.amount,
    },
  };
}

/** The fill of the rate limit; nothing changes. */
export function levelOf(
  known: SharedRateLimit | undefined,
  about: Pick<Cost, 'rateLimit'>,
  leasing: Omit<Leasing, 'worker'>,
): Level {
  const { level, slowedUntil } = rateLimitOf(known, about, leasing).level(leasing.now);
  return { level, ...(slowedUntil !== undefined && { slowedForMs: slowedUntil - leasing.now }) };
}

function rateLimitOf(
  known: SharedRateLimit | undefined,
  { rateLimit: { budget } }: Pick<Cost, 'rateLimit'>,
  { budgets, now, emptyAt }: Omit<Leasing, 'worker'>,
): RateLimitState {
  if (known !== undefined) return RateLimitState.from(known.lane, budget, budgets);
  return RateLimitState.of(budget, { ...budgets, empty: emptyAt !== undefined }, emptyAt ?? now);
}

interface Asked {
  readonly ask: ShareAsk;
  readonly leasing: Leasing;
  readonly shape: UsableBudget;
}

/** Spends what was spent of the worker's own share and all of those that ended; returns the others. */
function settled(
  rateLimit: RateLimitState,
  held: SharedRateLimit['held'],
  { ask, leasing: { worker, now }, shape }: Asked,
): Record<string, Held> {
  const ended = Object.values(held).filter(({ until }) => until <= now);
  for (const { amount, until } of ended.toSorted((a, b) => a.until - b.until))
    rateLimit.spend(amount, '', slotOf(shape, until));
  const own = held[worker];
  // why: a share of another number came with an answer that never arrived, so nothing of it was spent; and what is said of the last
  // one was counted with that answer, or when its time was over
  if (own !== undefined && own.until > now && own.number === ask.held?.number) {
    for (const { share, amount, agoMs } of ask.held.spent) rateLimit.spend(amount, share, slotOf(shape, now - agoMs));
  }
  return Object.fromEntries(Object.entries(held).filter(([name, { until }]) => name !== worker && until > now));
}

/** Units spent in a window are noted in 256 parts of it, each at its end. */
function slotOf({ windowMs }: UsableBudget, at: number): number {
  if (windowMs === undefined) return at;
  const slot = Math.max(1, windowMs / 256);
  return Math.ceil(at / slot) * slot;
}

interface Standing {
  readonly heldByOthers: number;
  readonly shape: UsableBudget;
  readonly now: number;
}

/** Workers may have spent what they hold before the cloud counted: only less than without that is news. */
function learn(rateLimit: RateLimitState, { remaining }: ShareAsk, { heldByOthers, shape, now }: Standing): void {
  if (remaining === undefined) return;
  if (remaining - shape.reserved < rateLimit.left(now) - heldByOthers) rateLimit.learn(remaining, now);
}

interface Given {
  readonly amount: number;
  readonly rest: readonly WaitingRow[];
  readonly waitMs: number;
}

interface Among {
  readonly others: readonly WaitingRow[];
  readonly heldByOthers: number;
  readonly now: number;
}

/** As many of the worker's requests as may go now, row by row in order of service; where all may, something for those to come. */
function give(rateLimit: RateLimitState, ask: ShareAsk, { others, heldByOthers, now }: Among): Given {
  const rows = ask.rows
    .map((row) => ({ row, turn: turnOf(row, rateLimit, now) }))
    .sort((a, b) => compare(a.turn, b.turn, now));
  const most = rateLimit.most(now);
  const spendable = rateLimit.spendable(now) - heldByOthers;
  const part = Math.floor(spendable / (others.length + 1));
  let amount = 0;
  for (const [i, { row, turn }] of rows.entries()) {
    let [used, since, all] = [turn.used, turn.since, row.all];
    for (const need of row.needs) {
      const own: FairShare = { ...turn, used, since };
      const due = others.reduce((sum, other) => sum + dueTo(turnOfKept(other, rateLimit, now), own, { part, now }), 0);
      const wanted = Math.min(need, most);
      if (amount + wanted + due > spendable + rounding) {
        const ready = rateLimit.readyAt(heldByOthers + amount + wanted + due, now) - now;
        const behind = rows.slice(i + 1).map((later) => keptRow(later.row, later.turn.since));
        const rest = [{ rank: row.rank, share: row.share, since, first: need, all }, ...behind];
        return { amount, rest, waitMs: Math.min(mostMs, Math.max(leastMs, ready)) };
      }
      amount += wanted;
      used += need;
      all -= need;
      since = now;
    }
  }
  const unasked = spendable - amount - others.reduce((sum, { all }) => sum + all, 0);
  return { amount: amount + Math.max(0, Math.min(ask.more, Math.floor(unasked / 2))), rest: [], waitMs: 0 };
}

/** As `leftTo`, but to those of the own rank that something is due to an equal part at least: they come only within a second. */
function dueTo(
  other: FairShare,
  own: FairShare,
  { part, now }: { readonly part: number; readonly now: number },
): number {
  const due = leftTo(other, own, now);
  return due > 0 && other.rank === own.rank ? Math.max(due, Math.min(other.all(), part)) : due;
}

const keptRow = ({ rank, share, needs: [first = 0], all }: RowAsk, since: number): WaitingRow => ({
  rank,
  share,
  since,
  first,
  all,
});

function turnOf(
  { rank, share, waitedMs, needs: [first = 0], all }: RowAsk,
  rateLimit: RateLimitState,
  now: number,
): FairShare {
  return { rank, since: now - waitedMs, number: 0, first, all: () => all, used: rateLimit.used(share, now) };
}

function turnOfKept({ rank, share, since, first, all }: WaitingRow, rateLimit: RateLimitState, now: number): FairShare {
  return { rank, since, number: 0, first, all: () => all, used: rateLimit.used(share, now) };
}

/** As `leftTo` serves them. */
function compare(one: FairShare, other: FairShare, now: number): number {
  const [late, otherLate] = [one, other].map(({ since }) => now - since >= patienceMs);
  if (late !== otherLate) return late ? -1 : 1;
  if (late) return one.since - other.since;
  return order[one.rank] - order[other.rank] || one.used - other.used || one.since - other.since;
}

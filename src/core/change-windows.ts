import { Temporal } from 'temporal-polyfill';
import type { ScopeKey } from './resource.ts';

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof weekdays)[number];

/** The covered changes: of all owners and targets where none is named. */
interface Coverage {
  readonly owners?: readonly string[] | undefined;
  readonly targets?: readonly string[] | undefined;
}

/** Hours of the week in which changes may be made. `to` before `from`: on the next day; `24:00` ends a day. */
export interface ChangeWindow extends Coverage {
  readonly name: string;
  readonly days: readonly Weekday[];
  readonly from: string;
  readonly to: string;
  readonly timeZone: string;
}

/** A time without changes. `from`, `to`: local times, such as `2026-11-26T00:00`. */
export interface Freeze extends Coverage {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly timeZone: string;
  readonly reason: string;
}

/** `target`: of a target's document; absent: of the estate's. */
interface Placed {
  readonly target?: string;
}

/** The windows and freezes of one generation. */
export interface ChangeCalendar {
  readonly windows: readonly (ChangeWindow & Placed)[];
  readonly freezes: readonly (Freeze & Placed)[];
  /** The scopes of the targets then, by name: a target that is renamed since is known by its scope. */
  readonly scopes: Readonly<Record<string, ScopeKey>>;
}

/** The owners and targets of a change. */
export interface Covered {
  readonly owners: readonly (string | undefined)[];
  readonly targets: readonly string[];
}

/** A stretch of time, ms since the epoch; `to` is no part of it. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A window or freeze that holds a change. `opens`: from then on nothing of the calendar holds it; absent: never. */
export interface Closed {
  readonly by: (ChangeWindow & Placed) | (Freeze & Placed);
  readonly opens?: number;
}

export const isFreeze = (one: Closed['by']): one is Freeze & Placed => 'reason' in one;

/**
 * The calendar for a change at a time; undefined: nothing holds it.
 *
 *   freezes that cover it | windows of the estate      | windows of its targets     | it is held by
 *   ----------------------+----------------------------+----------------------------+--------------
 *   one is on             | –                          | –                          | the freeze
 *   none is on            | some cover it, none open   | –                          | a window
 *   none is on            | none covers it, or one open| some cover it, none open   | a window
 *   none is on            | none covers it, or one open| none covers it, or one open| nothing
 */
export function closedAt(calendar: ChangeCalendar, covered: Covered, now: number): Closed | undefined {
  const freezes = calendar.freezes.filter((one) => covers(one, covered));
  const levels = levelsOf(calendar.windows.filter((one) => covers(one, covered)));
  const by = lastToEnd(freezes, now) ?? levels.find((level) => !isAnyOpen(level, now))?.[0];
  if (by === undefined) return undefined;
  const opens = opensAt(freezes, levels, now);
  return opens === undefined ? { by } : { by, opens };
}

const covers = ({ owners, targets, target }: Coverage & Placed, covered: Covered): boolean =>
  (owners === undefined || covered.owners.some((owner) => owner !== undefined && owners.includes(owner))) &&
  (targets === undefined || covered.targets.some((one) => targets.includes(one))) &&
  (target === undefined || covered.targets.includes(target));

type Level = readonly (ChangeWindow & Placed)[];

/** One of a level must be open, of every level. */
const levelsOf = (windows: Level): readonly Level[] => [...Map.groupBy(windows, ({ target }) => target).values()];

const isAnyOpen = (level: Level, at: number): boolean => level.some((window) => isOpen(window, at));

const isOpen = (window: ChangeWindow, at: number): boolean => contains(spansFrom(window, at).next().value, at);

const contains = (span: Span | undefined, at: number): boolean => span !== undefined && span.from <= at && at < span.to;

function lastToEnd(freezes: ChangeCalendar['freezes'], at: number): ChangeCalendar['freezes'][number] | undefined {
  const on = freezes.filter((one) => contains(freezeSpan(one), at));
  return on.toSorted((a, b) => freezeSpan(b).to - freezeSpan(a).to)[0];
}

/** Windows that never meet would be searched for ever. */
const mostSteps = 200;

/** Asks each closed window and freeze for its earliest opening, and asks again at that time. */
function opensAt(freezes: ChangeCalendar['freezes'], levels: readonly Level[], now: number): number | undefined {
  let at = now;
  for (let step = 0; step < mostSteps && Number.isFinite(at); step++) {
    const frozen = lastToEnd(freezes, at);
    const waits = [
      ...(frozen === undefined ? [] : [freezeSpan(frozen).to]),
      ...levels.flatMap((level) => (isAnyOpen(level, at) ? [] : [nextOpening(level, at)])),
    ];
    if (waits.length === 0) return at;
    at = Math.max(...waits);
  }
  return undefined;
}

const nextOpening = (level: Level, at: number): number =>
  Math.min(...level.map((window) => spansFrom(window, at).next().value?.from ?? Number.POSITIVE_INFINITY));

/** The next time at which something of the calendar opens or closes: until then nothing of it changes. */
export function nextChange(calendar: ChangeCalendar, now: number): number | undefined {
  const spans = [
    ...calendar.freezes.map(freezeSpan),
    ...calendar.windows.flatMap((window) => spansFrom(window, now).next().value ?? []),
  ];
  const times = spans.flatMap(({ from, to }) => [from, to]).filter((at) => at > now);
  return times.length === 0 ? undefined : Math.min(...times);
}

type Named = Pick<ChangeWindow, 'name' | 'timeZone'>;

/** A window or freeze at a time, for people. */
export interface CalendarEntry extends Coverage, Placed {
  readonly type: 'window' | 'freeze';
  readonly name: string;
  readonly timeZone: string;
  /** Of a window: it is open; of a freeze: it is on. */
  readonly active: boolean;
  /** The time at which that changes, ms since the epoch; absent: never. */
  readonly until?: number;
  /** Of a freeze. */
  readonly reason?: string;
}

/** Those of a calendar that are not over, windows first. */
export function entriesAt({ windows, freezes }: ChangeCalendar, now: number): readonly CalendarEntry[] {
  const placed = ({ name, timeZone, owners, targets, target }: Coverage & Placed & Named) => ({
    name,
    timeZone,
    ...(owners === undefined ? {} : { owners }),
    ...(targets === undefined ? {} : { targets }),
    ...(target === undefined ? {} : { target }),
  });
  const changing = ({ from, to }: Span) => {
    const active = from <= now;
    return { active, until: active ? to : from };
  };
  return [
    ...windows.map((one): CalendarEntry => {
      const span = spansFrom(one, now).next().value;
      return { type: 'window', ...placed(one), ...(span === undefined ? { active: false } : changing(span)) };
    }),
    ...freezes.flatMap((one): readonly CalendarEntry[] => {
      const span = freezeSpan(one);
      const { reason } = one;
      return span.to <= now ? [] : [{ type: 'freeze', ...placed(one), ...changing(span), reason }];
    }),
  ];
}

export const freezeSpan = ({ from, to, timeZone }: Pick<Freeze, 'from' | 'to' | 'timeZone'>): Span => ({
  from: instantOf(Temporal.PlainDateTime.from(from), timeZone),
  to: instantOf(Temporal.PlainDateTime.from(to), timeZone, 'last'),
});

/** The number of days in which the next opening is searched: a week, and a day more at each end for windows that end after midnight. */
const searchedDays = 9;

/** The times in which a window is open, in order, from the one that is not over at `at`. Those that touch are one. */
export function* spansFrom(window: Omit<ChangeWindow, 'name'>, at: number): Generator<Span, undefined> {
  const today = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(window.timeZone).toPlainDate();
  let current: Span | undefined;
  for (let n = -1; n <= searchedDays; n++) {
    const span = spanOn(today.add({ days: n }), window);
    if (span === undefined || span.to <= at) continue;
    if (current !== undefined && span.from > current.to) {
      yield current;
      current = undefined;
    }
    current = current === undefined ? span : { from: current.from, to: Math.max(current.to, span.to) };
  }
  if (current !== undefined) yield current;
  return undefined;
}

/** The time of a window that begins on this day. Undefined where it does not, or where the clocks skip all of it. */
function spanOn(day: Temporal.PlainDate, { days, from, to, timeZone }: Omit<ChangeWindow, 'name'>): Span | undefined {
  const weekday = weekdays[day.dayOfWeek - 1];
  if (weekday === undefined || !days.includes(weekday)) return undefined;
  const endsNextDay = to < from || to === endOfDay;
  const closing = (endsNextDay ? day.add({ days: 1 }) : day).toPlainDateTime(timeOf(to));
  const span = { from: instantOf(day.toPlainDateTime(timeOf(from)), timeZone), to: instantOf(closing, timeZone) };
  return span.to > span.from ? span : undefined;
}

const endOfDay = '24:00';

const timeOf = (time: string): Temporal.PlainTime => Temporal.PlainTime.from(time === endOfDay ? '00:00' : time);

/**
 * The first moment at which the clocks of a zone show a local time, or a later one where they skip it. Of a time that comes twice
 * the first counts, or the `last`.
 */
function instantOf(local: Temporal.PlainDateTime, timeZone: string, which: 'first' | 'last' = 'first'): number {
  const early = local.toZonedDateTime(timeZone, { disambiguation: 'earlier' });
  const isSkipped = !early.toPlainDateTime().equals(local);
  const skip = isSkipped ? early.getTimeZoneTransition('next') : undefined;
  if (skip) return skip.epochMilliseconds;
  const chosen = which === 'first' ? early : local.toZonedDateTime(timeZone, { disambiguation: 'later' });
  return chosen.epochMilliseconds;
}

/** True of a name in the time zone database of this machine. */
export function isTimeZone(name: string): boolean {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** A time for people, by the clocks of a zone: `Mon 2026-11-30 09:00 Europe/Berlin`. */
export function zonedMoment(at: number, timeZone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
  const weekday = weekdays[local.dayOfWeek - 1] ?? '';
  const day = `${weekday.slice(0, 1).toUpperCase()}${weekday.slice(1)}`;
  return `${day} ${local.toPlainDate().toString()} ${local.toPlainTime().toString({ smallestUnit: 'minute' })} ${timeZone}`;
}

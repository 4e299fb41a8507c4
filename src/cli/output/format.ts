import { type Ago, dayOf, formatMoment } from '../../core/render/wording.ts';
import type { Pause } from '../../ports/fleet-state.ts';

/** `1 error`, `3 errors`, `2,000 entries`. */
export const count = (n: number, one: string, many = `${one}s`): string => `${grouped(n)} ${n === 1 ? one : many}`;

/** By hand: the first number that `toLocaleString` writes in a process costs it ten milliseconds. */
const grouped = (n: number): string => String(n).replace(/\B(?=(?:\d{3})+$)/g, ',');

/** Of a whole, rounded down, so that 100 % is all of it. */
export const percent = (part: number, all: number): string =>
  all === 0 ? '100%' : `${Math.floor((part / all) * 1000) / 10}%`;

/** `850 ms`, `12 s`, `3 min`, `5 h`, `2 d`: two digits are enough for people. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 172_800_000) return `${Math.round(ms / 3_600_000)} h`;
  return `${Math.round(ms / 86_400_000)} d`;
}

/** As people write it in a target: `90s`, `5m`, `1h`. */
export function intervalText(ms: number): string {
  if (ms % 3_600_000 === 0) return `${ms / 3_600_000}h`;
  return ms % 60_000 === 0 ? `${ms / 60_000}m` : `${Math.round(ms / 1000)}s`;
}

/** `3 min ago (12:04 UTC)`, of another day with its date, seen from `now`; clouds' clocks may be ahead of ours. */
export const agoFrom =
  (now: number): Ago =>
  (at) => {
    const moment = formatMoment(at);
    const [day, time = ''] = [moment.slice(0, 10), moment.slice(11)];
    return `${formatDuration(Math.max(0, now - at))} ago (${day === dayOf(now) ? time : moment})`;
  };

/** The number of calls that may still reach a cloud, after a person's pause. */
export const callsInFlightText = (calls: number): string =>
  calls === 0
    ? '  No call is in flight.'
    : `  ${count(calls, 'call is', 'calls are')} still in flight, without an answer yet. Setpoint sends no more.`;

/** A pause as `--json` prints it, in the words of the API. Times are ms since the epoch. */
export const pauseJson = ({
  id,
  what,
  of,
  reason,
  person,
  at,
  until,
  incident,
  letsNarrow = false,
}: Pause): object => ({
  id,
  mode: what,
  subject: of.by === 'estate' ? { type: of.by } : { type: of.by, name: of.name },
  reason,
  actor: person,
  at,
  until,
  ...(incident === undefined ? {} : { incident }),
  holdNarrowing: !letsNarrow,
});

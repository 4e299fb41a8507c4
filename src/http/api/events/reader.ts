import type { Clock, Log } from '../../../ports/clock-and-log.ts';
import type { EventPage, Events, StoredEvent } from '../../../ports/events.ts';
import type { EventLimits } from '../../limits.ts';
import { type RecentEvents, recentEvents } from './recent-events.ts';

export interface ReaderOptions {
  readonly events: Events;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: EventLimits;
}

/** Reads on in the store for all clients together. */
export interface Reader {
  /** Undefined: nothing is read yet. Another one than before: the store is another, or what came next was not kept. */
  recent(): RecentEvents | undefined;
  isStalled(): boolean;
  stop(): void;
}

/**
 * `onTurn`: something can be read that could not be before, or a second has gone by. A store that fails is asked again, and
 * logged of once.
 */
export function startReader(options: ReaderOptions, onChange: () => void): Reader {
  const { clock, log, limits } = options;
  const stopping = new AbortController();
  const stall = watchStall(options);
  const reading = openReading(options, stall);
  let failed = false;
  const readOn = async (): Promise<number> => {
    try {
      const { isNews, more } = await reading.on();
      if (failed) log.info('events are readable again');
      failed = false;
      if (isNews) onChange();
      return more ? 0 : limits.times.poll;
    } catch (error) {
      if (!failed && !stopping.signal.aborted)
        log.warn('cannot read events from the store; retrying', { reason: String(error) });
      failed = true;
      return retryMs;
    }
  };
  void untilStopped(stopping.signal, async () => clock.sleep(await readOn(), stopping.signal));
  void untilStopped(stopping.signal, async () => {
    await clock.sleep(tickMs, stopping.signal);
    onChange();
  });
  return { recent: reading.recent, isStalled: stall.isStalled, stop: () => stopping.abort() };
}

const pageRows = 500;
const retryMs = 1000;
const tickMs = 1000;

interface Reading extends Pick<Reader, 'recent'> {
  on(): Promise<{ readonly isNews: boolean; readonly more: boolean }>;
}

function openReading({ events, limits, log }: ReaderOptions, stall: StallWatch): Reading {
  let recent: RecentEvents | undefined;
  // why: the one reader comes by each place once; whoever reads from the store for one client is silent
  const skipped = ({ place }: StoredEvent): void =>
    log.warn('skipping an event that does not match /openapi.json', { reason: place });
  return {
    recent: () => recent,
    on: async () => {
      if (recent === undefined) {
        recent = recentEvents(await events.newest(), limits.recent, skipped);
        return { isNews: false, more: false };
      }
      const page = await events.after(recent.place(), pageRows);
      stall.sawPage(page);
      const { gone, place, more, events: read } = page;
      if (gone) recent = recentEvents(place, limits.recent, skipped);
      else recent.add(read, place);
      return { isNews: gone || read.length > 0, more };
    },
  };
}

/** Over and over; what is thrown after the stop is the stop itself. */
async function untilStopped(signal: AbortSignal, turn: () => Promise<void>): Promise<void> {
  while (!signal.aborted)
    try {
      await turn();
    } catch (error) {
      if (!signal.aborted) throw error;
    }
}

/** Reports when events are delayed for long because an earlier transaction has not ended. */
interface StallWatch {
  isStalled(): boolean;
  /** Each page that is read. */
  sawPage(page: Pick<EventPage, 'place' | 'waits'>): void;
}

const stallMs = 10_000;

/** Logs once when it begins, and when it is over. */
function watchStall({ clock, log }: { readonly clock: Clock; readonly log: Log }): StallWatch {
  let stood: { readonly place: string; readonly since: number } | undefined;
  let isWarned = false;
  const end = (): void => {
    if (isWarned) log.info('events continue');
    isWarned = false;
  };
  const begin = (): void => {
    if (!isWarned) log.warn('events are delayed', { reason: stallReason });
    isWarned = true;
  };
  return {
    isStalled: () => isWarned,
    sawPage: ({ place, waits }) => {
      if (!waits || place !== stood?.place) {
        stood = waits ? { place, since: clock.now() } : undefined;
        end();
      } else if (clock.now() - stood.since >= stallMs) begin();
    },
  };
}

const stallReason =
  'a transaction on this PostgreSQL server that began earlier has not ended: pg_stat_activity shows it by its backend_xid, or it is in pg_prepared_xacts';

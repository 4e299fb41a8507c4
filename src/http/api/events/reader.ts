import type { Clock, Log } from '../../../ports/clock-and-log.ts';
import type { Happening, Happenings } from '../../../ports/events.ts';
import { type HeldUp, watchHeldUp } from './held-up.ts';
import type { EventLimits } from './limits.ts';
import { type Recent, recentFrom } from './recent.ts';

export interface ReaderOptions {
  readonly happenings: Happenings;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: EventLimits;
}

/** Reads on in the store for all clients together. */
export interface Reader {
  /** Undefined: nothing is read yet. Another one than before: the store is another, or what came next was not kept. */
  recent(): Recent | undefined;
  isHeldUp(): boolean;
  stop(): void;
}

/**
 * `onTurn`: something can be read that could not be before, or a second has gone by. A store that fails is asked again, and
 * logged of once.
 */
export function startReader(options: ReaderOptions, onTurn: () => void): Reader {
  const { clock, log, limits } = options;
  const stopping = new AbortController();
  const heldUp = watchHeldUp(options);
  const reading = openReading(options, heldUp);
  let failed = false;
  const readOn = async (): Promise<number> => {
    try {
      const { isNews, more } = await reading.on();
      if (failed) log.info('events can be read again');
      failed = false;
      if (isNews) onTurn();
      return more ? 0 : limits.times.poll;
    } catch (error) {
      if (!failed && !stopping.signal.aborted)
        log.warn('events cannot be read from the store: it is tried again', { why: String(error) });
      failed = true;
      return againMs;
    }
  };
  void untilStopped(stopping.signal, async () => clock.sleep(await readOn(), stopping.signal));
  void untilStopped(stopping.signal, async () => {
    await clock.sleep(turnMs, stopping.signal);
    onTurn();
  });
  return { recent: reading.recent, isHeldUp: heldUp.is, stop: () => stopping.abort() };
}

const pageRows = 500;
const againMs = 1000;
const turnMs = 1000;

interface Reading extends Pick<Reader, 'recent'> {
  on(): Promise<{ readonly isNews: boolean; readonly more: boolean }>;
}

function openReading({ happenings, limits, log }: ReaderOptions, heldUp: HeldUp): Reading {
  let recent: Recent | undefined;
  // why: the one reader comes by each place once; whoever reads from the store for one client is silent
  const skipped = ({ place }: Happening): void =>
    log.warn('an event does not fit what /openapi.json says of events, and is left out', { why: place });
  return {
    recent: () => recent,
    on: async () => {
      if (recent === undefined) {
        recent = recentFrom(await happenings.newest(), limits.recent, skipped);
        return { isNews: false, more: false };
      }
      const page = await happenings.after(recent.place(), pageRows);
      heldUp.saw(page);
      const { gone, place, more, happenings: read } = page;
      if (gone) recent = recentFrom(place, limits.recent, skipped);
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

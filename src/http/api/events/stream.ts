import { type Bounds, covers, type Subject } from '../../../core/access/grant.ts';
import type { Clock } from '../../../ports/clock-and-log.ts';
import type { Happening, HappeningType } from '../../../ports/events.ts';
import { beatText, openingText, resetText, type Told, toldOf } from './event-text.ts';
import { happeningWithin } from './happening-within.ts';
import type { Hub, Stand, Step } from './hub.ts';
import type { EventTimes } from './limits.ts';
import type { Standing } from './standing.ts';

/** What one client follows. `isNew`: it has no place yet, so it is told the one where it begins. */
export interface Following {
  readonly stand: Stand;
  readonly isNew: boolean;
  readonly only: Only;
  readonly standing: Standing;
  /** Nobody reads any more, or the server stops. */
  isOver(): boolean;
  leave(): void;
}

/** What the client asked for; absent: all of it. */
export interface Only {
  readonly types?: readonly HappeningType[] | undefined;
  readonly estate?: string | undefined;
}

export interface Streaming {
  readonly hub: Hub;
  readonly clock: Clock;
  readonly times: EventTimes;
}

/**
 * What one client is sent, piece by piece, and no sooner than it takes them. Ends where the caller may not see anything any
 * more, and after the longest time.
 */
export async function* stream(following: Following, streaming: Streaming): AsyncGenerator<string> {
  try {
    yield openingText(following.isNew ? following.stand.place : undefined);
    yield* pieces(following, streaming);
  } finally {
    following.leave();
  }
}

async function* pieces(
  { stand: begin, standing, only, isOver }: Following,
  { hub, clock, times }: Streaming,
): AsyncGenerator<string> {
  let stand = begin;
  let saidAt = clock.now();
  const endsAt = saidAt + times.longest;
  while (!isOver() && clock.now() < endsAt) {
    const turn = hub.turn();
    const step = await hub.next(stand);
    const bounds = await standing.bounds();
    if (bounds === undefined || isOver()) return;
    stand = step.stand;
    const isQuiet = clock.now() - saidAt >= times.beat;
    const text = textOf(step, only, bounds) || (isQuiet ? beatText(stand.place, hub.isHeldUp()) : '');
    if (text !== '') {
      yield text;
      saidAt = clock.now();
    }
    if (!step.more) await turn;
  }
}

function textOf({ gone, told, stand }: Step, only: Only, bounds: readonly Bounds[]): string {
  if (gone) return resetText(stand.place);
  const seen = told.filter(({ happening }) => isAskedFor(happening, only) && isWithin(happening, bounds));
  return seen.map((one) => textWithin(one, bounds)).join('');
}

/** The text that all share, unless something in it is not for this client. */
function textWithin({ happening, text }: Told, bounds: readonly Bounds[]): string {
  const within = happeningWithin(happening, bounds);
  return within === happening ? text : toldOf(within).text;
}

const isAskedFor = ({ type, estate }: Happening, only: Only): boolean =>
  (only.types?.includes(type) ?? true) && (only.estate === undefined || only.estate === estate);

function isWithin(happening: Happening, bounds: readonly Bounds[]): boolean {
  const { estate, notTo } = happening;
  const sees = (subject: Subject): boolean => bounds.some((one) => covers(one, subject));
  return sees(happening) && !(notTo !== undefined && sees({ estate, ...notTo }));
}

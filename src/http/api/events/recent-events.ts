import type { StoredEvent } from '../../../ports/events.ts';
import { eventSchema, shownAbout, shownEventType } from '../schemas/event.ts';

/** An event, and what a client is sent of it. */
export interface EventText {
  readonly event: StoredEvent;
  readonly text: string;
}

/** Those that can be texts. Another version's may not be: these are left out, and `skipped` is texts of each. */
export const eventTexts = (
  events: readonly StoredEvent[],
  skipped: (one: StoredEvent) => void = () => {},
): readonly EventText[] =>
  events.flatMap((one) => {
    if (eventSchema.safeParse(shown(one)).success) return eventText(one);
    skipped(one);
    return [];
  });

const shown = ({ at, estate, type, targets, owner, about }: StoredEvent) => ({
  at: new Date(at).toISOString(),
  estate,
  type: shownEventType(type),
  targets,
  owner,
  about: shownAbout(type, about),
});

/** One event as https://html.spec.whatwg.org/multipage/server-sent-events.html has it. JSON has no line breaks of its own. */
export function eventText(event: StoredEvent): EventText {
  const data = eventSchema.parse(shown(event));
  return { event, text: `id: ${event.place}\nevent: ${data.type}\ndata: ${JSON.stringify(data)}\n\n` };
}

/** Earlier events are not kept any more, so the client missed some: it reads the inventory again, and goes on here. */
export const resetText = (place: string): string =>
  `id: ${place}\nevent: reset\ndata: {"reason":"Setpoint no longer keeps the events after this position. Read the inventory again; new events follow from here."}\n\n`;

/** The first words: how long to wait before coming back, in ms, and where from. */
export const openingText = (place: string | undefined): string => `retry: 2000\n${place ? `id: ${place}\n` : ''}\n`;

/** No event: it keeps the connection, and moves on where the client would come back to. */
export const heartbeatText = (place: string, isStalled: boolean): string =>
  `: heartbeat${isStalled ? '; an open transaction delays events' : ''}\nid: ${place}\n\n`;

/** The newest events, in memory, for all clients alike. */
export interface RecentEvents {
  /** Up to where it has been read. */
  place(): string;
  /** The events after a place; undefined where they are not held any more. */
  since(place: string): EventPortion | undefined;
  /** Adds the events that were read next, and the place up to which they go. */
  add(events: readonly StoredEvent[], place: string): void;
}

/** As much as one client takes at once. `place`: where to go on from. `more`: the rest is there already. */
interface EventPortion {
  readonly texts: readonly EventText[];
  readonly place: string;
  readonly more: boolean;
}

/** In characters: so much at most waits for each client that reads slowly. */
const maxPortionCharacters = 32 * 1024;

/** Holds the newest `most`, of those after `from`. */
export function recentEvents(from: string, most: number, skipped?: (one: StoredEvent) => void): RecentEvents {
  const texts: EventText[] = [];
  let first = from;
  let last = from;
  return {
    place: () => last,
    // why: another process may have read further, so a client that comes from there can stand ahead of what is held here
    since: (place) =>
      place < first ? undefined : portionOf(texts, firstAfter(texts, place), place > last ? place : last),
    add: (events, place) => {
      texts.push(...eventTexts(events, skipped));
      const dropped = texts.splice(0, Math.max(0, texts.length - most)).at(-1);
      if (dropped) first = dropped.event.place;
      last = place;
    },
  };
}

/** Those from `start` on whose texts are not too long together, one at least; `end`: the place behind all of them. */
export function portionOf(all: readonly EventText[], start: number, end: string): EventPortion {
  let length = 0;
  let stop = start;
  for (; stop < all.length; stop++) {
    length += all[stop]?.text.length ?? 0;
    if (length > maxPortionCharacters && stop > start) break;
  }
  const texts = all.slice(start, stop);
  const more = stop < all.length;
  return { texts, more, place: (more ? texts.at(-1)?.event.place : undefined) ?? end };
}

function firstAfter(texts: readonly EventText[], place: string): number {
  let [low, high] = [0, texts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((texts[middle]?.event.place ?? '') > place) high = middle;
    else low = middle + 1;
  }
  return low;
}

import type { Happening } from '../../../ports/events.ts';
import { happeningShape } from '../shapes/happening.ts';

/** A happening, and what a client is sent of it. */
export interface Told {
  readonly happening: Happening;
  readonly text: string;
}

/** Those that can be told. Another version's may not be: these are left out, and `skipped` is told of each. */
export const tellable = (
  happenings: readonly Happening[],
  skipped: (one: Happening) => void = () => {},
): readonly Told[] =>
  happenings.flatMap((one) => {
    if (happeningShape.safeParse(dated(one)).success) return toldOf(one);
    skipped(one);
    return [];
  });

const dated = (happening: Happening) => ({ ...happening, at: new Date(happening.at).toISOString() });

/** One event as https://html.spec.whatwg.org/multipage/server-sent-events.html has it. JSON has no line breaks of its own. */
export function toldOf(happening: Happening): Told {
  const { place, type } = happening;
  const data = happeningShape.parse(dated(happening));
  return { happening, text: `id: ${place}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n` };
}

/** What came before is not kept any more, so something was missed: the client reads the inventory again, and goes on here. */
export const resetText = (place: string): string =>
  `id: ${place}\nevent: reset\ndata: {"reason":"What came next is not kept any more. Read the inventory again; the events go on from here."}\n\n`;

/** The first words: how long to wait before coming back, in ms, and where from. */
export const openingText = (place: string | undefined): string => `retry: 2000\n${place ? `id: ${place}\n` : ''}\n`;

/** No event: it keeps the connection, and moves on where the client would come back to. */
export const beatText = (place: string, isHeldUp: boolean): string =>
  `: still here${isHeldUp ? '; events are held up by a transaction that has not ended' : ''}\nid: ${place}\n\n`;

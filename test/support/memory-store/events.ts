import type { Events } from '../../../src/ports/events.ts';
import { type Memory, placeOf } from './memory.ts';

export function memoryEvents({ events: { told } }: Memory): Events {
  const newest = (): string => told.at(-1)?.place ?? placeOf(0);
  return {
    after: async (place, limit) => {
      const isOurs = /^memory-[0-9a-f]{16}$/.test(place) && place <= newest();
      if (!isOurs) return { events: [], place: newest(), more: false, gone: true, waits: false };
      const events = told.filter((one) => one.place > place).slice(0, limit);
      const more = events.length === limit && limit > 0;
      return { events, place: events.at(-1)?.place ?? newest(), more, gone: false, waits: false };
    },
    newest: async () => newest(),
  };
}

import type { Happenings } from '../../../src/ports/events.ts';
import { type Memory, placeOf } from './memory.ts';

export function memoryHappenings({ happenings: { told } }: Memory): Happenings {
  const newest = (): string => told.at(-1)?.place ?? placeOf(0);
  return {
    after: async (place, limit) => {
      const isOurs = /^memory-[0-9a-f]{16}$/.test(place) && place <= newest();
      if (!isOurs) return { happenings: [], place: newest(), more: false, gone: true, waits: false };
      const happenings = told.filter((one) => one.place > place).slice(0, limit);
      const more = happenings.length === limit && limit > 0;
      return { happenings, place: happenings.at(-1)?.place ?? newest(), more, gone: false, waits: false };
    },
    newest: async () => newest(),
  };
}

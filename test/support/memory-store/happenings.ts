import type { Happening, HappeningDraft, Happenings } from '../../../src/ports/events.ts';
import type { Memory } from './memory.ts';

/** Oldest first. `places`: how many were ever given. */
export interface HappeningMemory {
  readonly told: Happening[];
  places: number;
}

export const happeningMemory = (): HappeningMemory => ({ told: [], places: 0 });

/** As `announce` of the real store. Nothing is forgotten here. */
export function announceIn(memory: HappeningMemory, at: number, drafts: readonly HappeningDraft[]): void {
  for (const draft of drafts) {
    memory.places += 1;
    memory.told.push({ ...structuredClone(draft), place: placeOf(memory.places), at });
  }
}

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

const placeOf = (number: number): string => `memory-${number.toString(16).padStart(16, '0')}`;

import { compareText } from '../../../src/core/text.ts';
import type { Clock } from '../../../src/ports/clock-and-log.ts';
import type { Backoffs } from '../../../src/ports/fleet-state.ts';
import { whereKey } from './fleet-memory.ts';
import type { Memory } from './memory.ts';

export const memoryBackoffs = ({ fleet: { backoffs } }: Memory, clock: Clock): Backoffs => ({
  list: async (where) =>
    [...(backoffs.get(whereKey(where))?.values() ?? [])]
      .map((one) => ({ ...one, waits: one.until > clock.now() }))
      .sort((a, b) => compareText(a.address, b.address)),
  put: async (where, refused, forMs) => {
    const kept = backoffs.get(whereKey(where)) ?? new Map();
    kept.set(refused.address, { ...refused, until: clock.now() + forMs });
    backoffs.set(whereKey(where), kept);
  },
  clear: async (where, address) => {
    if (address === undefined) backoffs.delete(whereKey(where));
    else backoffs.get(whereKey(where))?.delete(address);
  },
});

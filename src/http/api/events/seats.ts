import { Refusal } from '../refusal.ts';
import type { EventLimits } from './limits.ts';

/** Counts who follows. */
export interface Seats {
  /** Refuses where there are too many. Returns how to leave; to leave twice is to leave once. */
  take(caller: string): () => void;
}

export function openSeats({ clients, perCaller }: EventLimits): Seats {
  const taken = new Map<string, number>();
  let all = 0;
  return {
    take: (caller) => {
      const own = taken.get(caller) ?? 0;
      if (own >= perCaller) throw new Refusal(tooManyOfOne(perCaller));
      if (all >= clients) throw new Refusal(tooMany);
      taken.set(caller, own + 1);
      all += 1;
      let left = false;
      return () => {
        if (left) return;
        left = true;
        all -= 1;
        const rest = (taken.get(caller) ?? 1) - 1;
        if (rest > 0) taken.set(caller, rest);
        else taken.delete(caller);
      };
    },
  };
}

const later = { headers: { 'retry-after': '10' } };

const tooManyOfOne = (most: number) => ({
  status: 429,
  title: 'Too Many Requests',
  detail: `This caller follows the events ${most} times already: close some of these streams first, or come back later.`,
  ...later,
});

const tooMany = {
  status: 503,
  title: 'Service Unavailable',
  detail: 'As many clients as this server takes follow the events already: come back later.',
  ...later,
};

import { memoryDatabase } from '../support/memory-store.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { storeLaws } from './store-laws.ts';

storeLaws('memory', async () => {
  const clock = virtualClock();
  const database = memoryDatabase(clock);
  const stores: ReturnType<typeof database.connect>[] = [];
  return {
    connect: async () => {
      const store = database.connect();
      stores.push(store);
      return store;
    },
    lapse: async () => {
      for (const store of stores) store.stall();
      await clock.advance(12_001);
    },
    later: clock.advance,
    now: clock.now,
  };
});

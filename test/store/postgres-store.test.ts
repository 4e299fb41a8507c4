import { after } from 'node:test';
import type { Store } from '../../src/ports/store.ts';
import { openStore } from '../../src/store/open-store.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { owner } from './owner.ts';
import { storeLaws } from './store-laws.ts';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';

const folder = await temporaryFolder();
const stores: Store[] = [];
after(async () => {
  for (const store of stores) await store.close();
  await removeFolder(folder);
});

storeLaws('postgres', async () => {
  const clock = virtualClock();
  return {
    connect: async () => {
      const store = await openStore({
        folder,
        clock,
        databaseClock: clock,
        create: true,
        signing: { hasSigner: true },
      });
      stores.push(store);
      return store;
    },
    lapse: async (estate, scope) => {
      const client = await owner(folder);
      const lapsed =
        "UPDATE setpoint.leases SET expires_at = now() - interval '1 hour' WHERE estate = $1 AND scope = $2";
      await client.query(lapsed, [estate, scope]);
      await client.end();
    },
    later: clock.advance,
    now: Date.now,
  };
});

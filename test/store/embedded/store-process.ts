// A process of its own that holds a store open: started by other-process.ts, controlled by messages.
import { setTimeout as pause } from 'node:timers/promises';
import { openStore } from '../../../src/store/open-store.ts';

const clock = {
  now: Date.now,
  sleep: (ms: number, signal?: AbortSignal): Promise<void> => pause(ms, undefined, signal ? { signal } : {}),
};
const [folder = ''] = process.argv.slice(2);
const store = await openStore({ folder, clock, create: true });

process.on('message', async (message: string) => {
  const [verb, estate = '', scope = ''] = message.split(' ');
  if (verb === 'acquire') process.send?.(await store.leases.acquire(estate, scope, `test ${process.pid}`));
  if (verb === 'note') process.send?.(await store.ledger.note(estate, { by: process.pid }));
  if (verb === 'exit') process.exit(1);
  if (verb === 'close') {
    await store.close();
    process.disconnect();
  }
});
process.send?.('open');

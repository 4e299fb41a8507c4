// A server of its own: `node --expose-gc server.ts FOLDER [--lossy]`. Says on stdout where it is, then every two seconds what it holds:
// in use once everything else is cleared away, and resident.

import { setTimeout as sleep } from 'node:timers/promises';
import { openEventStreams } from '../../src/http/api/events/streams.ts';
import { eventRoutes } from '../../src/http/api/routes/events.ts';
import { authenticator } from '../../src/http/auth/authenticator.ts';
import { startHttp } from '../../src/http/server.ts';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import type { Events } from '../../src/ports/events.ts';
import { openStore } from '../../src/store/open-store.ts';
import { createLog } from '../../src/telemetry/log.ts';

const [folder = '', lossy] = process.argv.slice(2);
const clock: Clock = { now: Date.now, sleep: (ms, signal) => sleep(ms, undefined, { signal }) };
const log = createLog({ write: (line) => void process.stderr.write(line) }, { form: 'json', level: 'warn' });
const store = await openStore({ folder, clock, create: true });
const authenticate = authenticator({ apiTokens: { tokens: store.tokens, clock } });
const events = lossy === '--lossy' ? withoutSome(store.events) : store.events;
const streams = openEventStreams({ events, authenticate, clock, log });
const api = { routes: eventRoutes(streams), authenticate, idempotentResponses: store.idempotentResponses };
const http = await startHttp({ port: 0, api, clock, log });
const telling = setInterval(() => {
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  console.log(`${heapUsed + external} ${rss}`);
}, 2000);
process.once('SIGTERM', async () => {
  clearInterval(telling);
  await http.close();
  await store.close();
});
console.log(http.url);

/** One in fifty is left out: to see that the figure can fail. */
function withoutSome(inner: Events): Events {
  let count = 0;
  return {
    ...inner,
    after: async (place, limit) => {
      const page = await inner.after(place, limit);
      return { ...page, events: page.events.filter(() => ++count % 50 !== 0) };
    },
  };
}

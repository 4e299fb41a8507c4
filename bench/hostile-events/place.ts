import { setTimeout as sleep } from 'node:timers/promises';
import { loadProvider } from '../../providers/index.ts';
import { openWorkerResources } from '../../src/bootstrap/process-context.ts';
import type { Hook, Hooks } from '../../src/http/hooks/hook.ts';
import { hooksOn } from '../../src/http/hooks/hooks-on.ts';
import { type Http, startHttp } from '../../src/http/start-http.ts';
import type { Log } from '../../src/ports/clock-and-log.ts';
import { type Google, startGoogle } from '../../test/http/support/google.ts';
import { inScratch } from '../process/scratch.ts';
import { push, secret, signing } from './proofs.ts';

const estate = 'acme';
const scope = 'aws/111122223333/eu-west-1';

/** A worker's hooks on a port, on a database and a queue of its own, whose passes are counted and do nothing. */
export interface Place {
  readonly http: Http;
  readonly google: Google;
  /** Passes that began. */
  passes(): number;
  /** Work of any kind that was asked for: passes begun, wishes for one, bells. */
  started(): Promise<number>;
  /** Returns when no pass runs or waits, and none is asked for any more. */
  quiet(): Promise<void>;
}

/** What somebody does to the hooks, with the number of passes that began; benches do nothing, tests see by it that the figure can fail. */
export type Wired = (hooks: Hooks, passes: Place['passes']) => Hooks;

export const inPlace = <T>(work: (place: Place) => Promise<T>, wired: Wired): Promise<T> =>
  inScratch(async (folder) => {
    const settings = { as: 'alone', folder, allowEndpoint: true, follow: { dirs: [] }, ports: {}, pace } as const;
    const ground = await openWorkerResources(settings, { env: {}, clock, log });
    const google = await startGoogle();
    const ends = [google.close, ground.close];
    const { store, queue } = ground;
    let passes = 0;
    try {
      const crew = await queue.work({
        atOnce: 10,
        pass: async (where) => {
          const { wish } = await store.fleet.requests.pulse(where);
          passes += 1; // why: only what comes from now on is for the next one
          await sleep(passMs);
          await store.fleet.requests.answered(where, wish);
          return 'done';
        },
        poisoned: async () => {},
      });
      ends.unshift(crew.stop);
      const hooks = hooksOn({
        inForce: async () => [{ estate, scopes: [scope], hooks: hooksAt(google.url) }],
        allowEndpoint: true,
        cloud: loadProvider,
        touches: store.touches,
        bells: store.sources.bells,
        requests: store.fleet.requests,
        queue,
        clock,
        secrets: { resolve: async ({ env }) => ({ ok: true, value: env === 'SIGNING' ? signing : secret }) },
        log,
      });
      const http = await startHttp({ port: 0, hooks: wired(hooks, () => passes), clock, log });
      ends.unshift(http.close);
      const wishes = async () => (await store.fleet.requests.pulse({ estate, scope })).wish;
      return await work({
        http,
        google,
        passes: () => passes,
        started: async () => passes + (await wishes()) + (await store.sources.bells.rung(estate)),
        quiet: async () => {
          for (let still = 0; still < 20; still += 1) {
            await sleep(100);
            const waiting = (await queue.counts()).some(({ state, count }) => state !== 'failed' && count > 0);
            if (waiting || (await wishes()) > 0) still = 0;
          }
        },
      });
    } finally {
      for (const end of ends) await end();
    }
  });

/** As long as a pass over a scope in which nothing changed. */
const passMs = 300;
const pace = { everyMs: 3_600_000, atOnce: 10, reserve: 0 };
const clock = {
  now: () => Date.now(),
  sleep: (ms: number, signal?: AbortSignal) => sleep(ms, undefined, { ...(signal && { signal }) }),
};
const log: Log = { debug() {}, info() {}, warn() {}, error() {}, with: () => log };

const hooksAt = (keys: string): readonly Hook[] => [
  ...(['github', 'gitlab', 'hmac', 'eventbridge', 'eventgrid'] as const).map((from) => ({
    name: from,
    from,
    secret: { env: 'SECRET' },
  })),
  { name: 'gitlab-signed', from: 'gitlab', secret: { env: 'SIGNING' } },
  { name: 'pubsub', from: 'pubsub', ...push, keys },
];

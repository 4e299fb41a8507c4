import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { startHealth } from '../../src/telemetry/health.ts';

/** Somebody who asks this process for its health, from a thread of his own. */
export interface Asker {
  /** The longest that an answer took, or has been awaited, since this was called before, ms. */
  longest(): Promise<number>;
  close(): Promise<void>;
}

export async function startAsker(): Promise<Asker> {
  const health = await startHealth({
    port: 0,
    state: {
      reaches: [],
      stopping: new AbortController().signal,
      metrics: async () => ({ type: 'text/plain', text: '' }),
      rateLimits: async () => [],
    },
  });
  const thread = new Worker(new URL('./livez-thread.ts', import.meta.url), { workerData: { url: health.url } });
  const longest = async (): Promise<number> => {
    const told = once(thread, 'message');
    thread.postMessage('longest');
    const [ms] = await told;
    return ms;
  };
  await longest();
  return {
    longest,
    close: async () => {
      await thread.terminate();
      await health.close();
    },
  };
}

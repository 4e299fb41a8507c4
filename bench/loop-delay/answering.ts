import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** A cloud's answer to a listing. `listing`: fits the address, and with EC2 the form. */
export interface Hostile {
  readonly listing: RegExp;
  readonly status?: number;
  readonly body: string | Uint8Array;
}

/** A cloud in a thread of its own, so that the loop has only its answers to read. */
export interface Answering {
  readonly url: string;
  /** From now on. */
  answer(hostile: Hostile): Promise<void>;
  close(): Promise<void>;
}

export async function startAnswering(): Promise<Answering> {
  const thread = new Worker(new URL('./answering-thread.ts', import.meta.url));
  const [port] = await once(thread, 'message');
  return {
    url: `http://127.0.0.1:${port}`,
    answer: async (hostile) => {
      const ready = once(thread, 'message');
      thread.postMessage(hostile);
      await ready;
    },
    close: async () => {
      await thread.terminate();
    },
  };
}

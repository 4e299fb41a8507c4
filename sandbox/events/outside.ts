import { setTimeout as sleep } from 'node:timers/promises';
import type { Outside } from './delivery.ts';

/** An API destination has this long to answer: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-api-destinations.html */
const ANSWER_MS = 5000;

/** What is read of an answer. */
const MOST_CHARACTERS = 10_000;

/** Sends to `url`, in real time, and follows no redirect. */
export function outsideAt(url: string): Outside {
  return {
    now: () => performance.now(),
    sleep: (ms, signal) => sleep(ms, undefined, { signal, ref: false }),
    send: async ({ headers, body }, signal) => {
      const ends = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
      const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: ends });
      return { status: answer.status, body: (await answer.text()).slice(0, MOST_CHARACTERS) };
    },
  };
}

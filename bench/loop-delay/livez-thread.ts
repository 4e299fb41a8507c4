import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/** Asks `/livez` again and again, and answers each message with the longest wait since the one before, ms. */
const { url }: { readonly url: string } = workerData;
const agent = new Agent({ keepAlive: true });
const pauseMs = 5;

/** Of the question that is on its way; undefined between two. */
let sentAt: number | undefined;
let since = performance.now();
let longest = 0;

/** A question that was sent before the last message counts from then on. */
function note(): void {
  if (sentAt !== undefined) longest = Math.max(longest, performance.now() - Math.max(sentAt, since));
}

const ask = (): Promise<void> =>
  new Promise((resolve, reject) => {
    sentAt = performance.now();
    get(`${url}/livez`, { agent }, (answer) => {
      answer.resume().once('end', resolve);
    }).once('error', reject);
  });

parentPort?.on('message', () => {
  note();
  parentPort?.postMessage(longest);
  longest = 0;
  since = performance.now();
});

for (;;) {
  await ask();
  note();
  sentAt = undefined;
  await pause(pauseMs);
}

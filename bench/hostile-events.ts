import { setTimeout as sleep } from 'node:timers/promises';
import { eventbridge } from '../test/http/support/sent.ts';
import type { Figure } from './figure.ts';
import { inPlace, type Place, type Wired } from './hostile-events/place.ts';
import { secret } from './hostile-events/proofs.ts';
import { changeEvent, hostile, recorded } from './hostile-events/requests.ts';
import { type Sender, senderTo } from './hostile-events/sender.ts';

export interface HostileEventsOptions {
  /** How many are forged or replayed, and how many are genuine. */
  readonly forged?: number;
  readonly valid?: number;
  readonly wired?: Wired;
}

/**
 * Requests to a worker's hooks on its port, with a real database and queue: how much work is started by those that are forged or
 * replayed (asked: none), and how many passes by genuine events of one second that all tell of one scope (asked: one).
 */
export const hostileEvents = ({
  forged = 10_000,
  valid = 1_000,
  wired = (hooks) => hooks,
}: HostileEventsOptions = {}): Promise<readonly Figure[]> =>
  inPlace(async (place) => {
    const sender = senderTo(place.http.url, 32);
    try {
      return [await byForged(forged, place, sender), await byValid(valid, place, sender)];
    } finally {
      sender.close();
    }
  }, wired);

async function byForged(count: number, place: Place, { send }: Sender): Promise<Figure> {
  const now = Date.now();
  const key = { key: place.google.pair.privateKey };
  const replays = recorded(now, key);
  for (const [hook, sent] of replays) {
    const status = await send(hook, sent);
    if (status !== 202) throw new Error(`${hook} answered ${status} to what is genuine: nothing is measured`);
  }
  await place.quiet();
  const before = await place.started();
  if (place.passes() === 0) throw new Error('what is genuine started no pass: nothing is measured');
  const from = performance.now();
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) await send(...hostile(index, { replays, now, key }));
  };
  await Promise.all(Array.from({ length: 32 }, worker));
  const seconds = (performance.now() - from) / 1_000;
  await place.quiet();
  const value = (await place.started()) - before;
  return { name: 'hostile-events', value, unit: `jobs by ${count} forged or replayed in ${seconds.toFixed(1)} s` };
}

async function byValid(count: number, place: Place, { send }: Sender): Promise<Figure> {
  const before = place.passes();
  const answers: Promise<number>[] = [];
  const from = performance.now();
  for (let index = 0; index < count; index += 1) {
    const early = (index * 1_000) / count - (performance.now() - from);
    if (early > 1) await sleep(early);
    answers.push(send('eventbridge', eventbridge(secret, changeEvent(`valid-${index}`))));
  }
  const statuses = await Promise.all(answers);
  const seconds = (performance.now() - from) / 1_000;
  const refused = statuses.filter((status) => status !== 202).length;
  if (refused > 0) throw new Error(`${refused} of ${count} genuine events were refused`);
  await place.quiet();
  const value = place.passes() - before;
  if (value === 0) throw new Error('genuine events started no pass');
  return { name: 'hostile-events-valid', value, unit: `passes by ${count} valid in ${seconds.toFixed(1)} s` };
}

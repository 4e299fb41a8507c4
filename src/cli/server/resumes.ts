import { randomUUID } from 'node:crypto';
import type { Client } from './client.ts';
import type { ServedEstateOption } from './option.ts';
import { want } from './want.ts';

interface Wish extends ServedEstateOption {
  readonly reason: string;
}

const stopped = want.object({ document: want.text, generation: want.number, why: want.text });
const goingOn = want.object({ estate: want.text, rollouts: want.list(stopped) });

/** Those that go on: none where none had stopped. */
export const resumeRolloutsOn = (
  client: Client,
  body: Wish & { readonly rolloutOf: string },
): Promise<ReturnType<typeof goingOn>> => client.ask({ method: 'POST', path, body, key: randomUUID() }, goingOn);

const released = want.object({ estate: want.text, released: want.text });

export const releaseOn = (
  client: Client,
  body: Wish & { readonly quarantined: string },
): Promise<ReturnType<typeof released>> => client.ask({ method: 'POST', path, body, key: randomUUID() }, released);

const path = '/v1/pauses/end';

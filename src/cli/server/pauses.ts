import { randomUUID } from 'node:crypto';
import type { Held, PauseSubject } from '../../core/pause.ts';
import type { Pause } from '../../ports/fleet-state.ts';
import type { Client } from './client.ts';
import type { ServedEstateOption } from './option.ts';
import { query } from './query.ts';
import { type Want, want } from './want.ts';

const outside = want.object({
  id: want.number,
  what: want.text,
  of: want.trusted<PauseSubject>(),
  reason: want.text,
  person: want.text,
  at: want.moment,
  until: want.moment,
});

// why: what is held of whom is one of ours, as it is shown by its own words
const pause: Want<Pause> = (value, at) => outside(value, at) as Pause;

const begun = want.object({ estate: want.text, pause, scopes: want.list(want.text), onTheWay: want.number });
const some = want.object({ estate: want.text, items: want.list(pause) });

/** `until`: ms since the epoch. */
interface PauseWish extends Held, ServedEstateOption {
  readonly reason: string;
  readonly until: number;
}

export const pauseOn = (client: Client, { estate, what, of, reason, until }: PauseWish): Promise<BegunPause> =>
  client.ask(
    {
      method: 'POST',
      path: '/v1/pauses',
      body: { estate, what, of, reason, until: new Date(until).toISOString() },
      key: randomUUID(),
    },
    begun,
  );

export type BegunPause = ReturnType<typeof begun>;

export const pausesOn = (client: Client, { estate }: ServedEstateOption): Promise<PausesTold> =>
  client.ask({ method: 'GET', path: `/v1/pauses${query({ estate })}` }, some);

export type PausesTold = ReturnType<typeof some>;

type ResumeWish = ServedEstateOption & { readonly reason: string } & (Held | { readonly all: true });

/** Those that ended. */
export const resumeOn = (client: Client, body: ResumeWish): Promise<PausesTold> =>
  client.ask({ method: 'POST', path: '/v1/pauses/end', body, key: randomUUID() }, some);

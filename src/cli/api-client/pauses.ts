import { randomUUID } from 'node:crypto';
import type { Held } from '../../core/pause.ts';
import type { Pause, StoppedRollout } from '../../ports/fleet-state.ts';
import { type ApiClient, queryString } from './client.ts';
import { type Decoder, decode } from './decode.ts';
import type { ServerEstateOption } from './server-option.ts';

const outside = decode.object({
  id: decode.number,
  mode: decode.string,
  subject: decode.object({ type: decode.string, name: decode.optional(decode.string) }),
  reason: decode.string,
  actor: decode.string,
  at: decode.timestamp,
  until: decode.timestamp,
  incident: decode.optional(decode.string),
  // why: a server before incidents names none, and holds all
  holdNarrowing: decode.optional(decode.boolean),
});

const decodePause: Decoder<Pause> = (value, at) => {
  const { id, mode, subject, reason, actor, at: since, until, incident, holdNarrowing = true } = outside(value, at);
  const of = { by: subject.type, name: subject.name };
  // why: a server of our version answers with modes and subjects of ours
  return {
    ...{ id, what: mode, of, reason, person: actor, at: since, until },
    ...(incident === undefined ? {} : { incident }),
    ...(holdNarrowing ? {} : { letsNarrow: true }),
  } as Pause;
};

/** A mode and a subject as the API takes them. */
const wire = ({ what, of }: Held) => ({
  mode: what,
  subject: of.by === 'estate' ? { type: of.by } : { type: of.by, name: of.name },
});

const decodeStarted = decode.object({
  estate: decode.string,
  pause: decodePause,
  scopes: decode.list(decode.string),
  inFlight: decode.number,
});
const decodePauses = decode.object({ estate: decode.string, items: decode.list(decodePause) });

/** `until`: ms since the epoch. */
interface PauseRequest extends Held, ServerEstateOption {
  readonly reason: string;
  readonly until: number;
  readonly letsNarrow?: boolean | undefined;
}

export const pauseOnServer = (
  client: ApiClient,
  { estate, what, of, reason, until, incident, letsNarrow }: PauseRequest,
): Promise<StartedPause> =>
  client.request(
    {
      method: 'POST',
      path: '/v1/pauses',
      body: {
        ...{ estate, ...wire({ what, of }), reason, until: new Date(until).toISOString() },
        ...(incident === undefined ? {} : { incident, holdNarrowing: !letsNarrow }),
      },
      key: randomUUID(),
    },
    decodeStarted,
  );

export type StartedPause = ReturnType<typeof decodeStarted>;

export const fetchPauses = (client: ApiClient, { estate }: ServerEstateOption): Promise<PauseList> =>
  client.request({ method: 'GET', path: `/v1/pauses${queryString({ estate })}` }, decodePauses);

export type PauseList = ReturnType<typeof decodePauses>;

type ResumeRequest = ServerEstateOption & { readonly reason: string } & (
    | Held
    | { readonly all: true }
    | { readonly incident: string }
  );

/** Those that ended. */
export function resumeOnServer(client: ApiClient, { estate, reason, ...which }: ResumeRequest): Promise<PauseList> {
  const body = { estate, reason, ...('of' in which ? wire(which) : which) };
  return client.request({ method: 'POST', path, body, key: randomUUID() }, decodePauses);
}

interface ReleaseRequest extends ServerEstateOption {
  readonly reason: string;
}

const stopped: Decoder<StoppedRollout> = (value, at) => {
  const { document, generation, reason } = outsideStopped(value, at);
  return { document, generation, why: reason };
};

const outsideStopped = decode.object({ document: decode.string, generation: decode.number, reason: decode.string });
const decodeResumed = decode.object({ estate: decode.string, rollouts: decode.list(stopped) });

/** Those that go on: none where none had stopped. */
export const resumeRolloutsOnServer = (
  client: ApiClient,
  body: ReleaseRequest & { readonly rolloutOf: string },
): Promise<ReturnType<typeof decodeResumed>> =>
  client.request({ method: 'POST', path, body, key: randomUUID() }, decodeResumed);

const decodeReleased = decode.object({ estate: decode.string, released: decode.string });

export const releaseOnServer = (
  client: ApiClient,
  body: ReleaseRequest & { readonly quarantined: string },
): Promise<ReturnType<typeof decodeReleased>> =>
  client.request({ method: 'POST', path, body, key: randomUUID() }, decodeReleased);

const path = '/v1/pauses/end';

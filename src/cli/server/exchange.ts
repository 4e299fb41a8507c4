import { Complaint } from '../complaint.ts';
import type { Context } from '../context.ts';
import type { Server } from './choice.ts';
import { isBrokenOff, unanswered } from './failure.ts';
import { refusal } from './refusal.ts';

/** One request. `key`: of its repetition; the server does the same thing once. `path` begins with a slash. */
export interface Request {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly key?: string;
  /** Its whole answer by then; default 30 s. */
  readonly atMostMs?: number;
}

/** Where, as whom, and by what. `fetch` is another one in tests. */
export interface Line extends Server, Pick<Context, 'clock' | 'stop'> {
  readonly fetch: typeof fetch;
}

const defaultMs = 30_000;
const tries = 4;
const longestWaitMs = 30_000;

/**
 * The answer to a request, of any status below 300. Who is told to come again (429, 503, or 409 with a time) does, a few times and after what was
 * asked for; and where a connection was kept, the server may close it just as it is used again: what does no harm twice is then asked once more.
 * No other failure is repeated here. No redirect is followed: the token is for this server.
 */
export async function exchange(request: Request, line: Line): Promise<Response> {
  for (let tried = 1; ; tried += 1) {
    const response = await answerTo(request, line);
    if (response.ok) return response;
    const waitMs = tried < tries ? waitAfter(response, tried, line.clock.now()) : undefined;
    if (waitMs === undefined) throw await refusal(response, line.url, expiredMs(line));
    await response.body?.cancel();
    await line.clock.sleep(waitMs, line.stop);
  }
}

/** For how long the token has been of no use, as far as a login knows; the server does not say. */
function expiredMs({ expires, clock }: Line): number | undefined {
  const sinceMs = expires === undefined ? Number.NaN : clock.now() - Date.parse(expires);
  return sinceMs >= 0 ? sinceMs : undefined;
}

async function answerTo(request: Request, line: Line): Promise<Response> {
  const { atMostMs = defaultMs, method, key } = request;
  try {
    const again = (error: unknown): Promise<Response> => {
      if (!isBrokenOff(error) || (method !== 'GET' && key === undefined)) throw error;
      return sent(request, line);
    };
    const response = await sent(request, line).catch(again);
    if (response.status >= 300 && response.status < 400) throw elsewhere(line.url, response);
    return response;
  } catch (error) {
    if (error instanceof Complaint || line.stop.aborted) throw error;
    throw unanswered(error, line.url, atMostMs);
  }
}

function sent({ method, path, body, key, atMostMs = defaultMs }: Request, line: Line): Promise<Response> {
  const { url, token, stop } = line;
  const headers = {
    accept: 'application/json, application/x-ndjson, application/problem+json',
    authorization: `Bearer ${token}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  };
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  const signal = AbortSignal.any([stop, AbortSignal.timeout(atMostMs)]);
  return line.fetch(`${url}${path}`, { method, headers, redirect: 'manual', signal, ...text });
}

/** Undefined: not to be repeated. */
function waitAfter({ status, headers }: Response, tried: number, now: number): number | undefined {
  const asked = headers.get('retry-after');
  // why: the same request under its key is being answered still
  const isBusy = status === 409 && asked !== null;
  if (status !== 429 && status !== 503 && !isBusy) return undefined;
  const ms = asked === null ? 1000 * 2 ** (tried - 1) : askedMs(asked, now);
  return ms <= longestWaitMs ? ms : undefined;
}

/** Seconds, or a date: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after */
function askedMs(text: string, now: number): number {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? 1000 : Math.max(0, at - now);
}

function elsewhere(url: string, { headers }: Response): Complaint {
  const to = headers.get('location') ?? '';
  const origin = URL.canParse(to, url) ? new URL(to, url).origin : 'another place';
  return new Complaint(`${url} sends us to ${origin}.`, {
    why: 'Your token goes to the server that you named, and nowhere else.',
    next: 'If that is the one you mean, name its own address.',
  });
}

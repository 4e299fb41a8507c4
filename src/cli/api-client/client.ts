import type { Context } from '../context.ts';
import { UserError } from '../errors.ts';
import { progressOn } from '../output/progress.ts';
import { apiErrorFrom, boundedText, linesOf } from './api-error.ts';
import { DecodeError, type Decoder } from './decode.ts';

/** A server that is asked as somebody. All throw errors that say what to do. */
export interface ApiClient {
  readonly url: string;
  /** The JSON that a request is answered with, read as what is wanted. */
  request<T>(request: ApiRequest, decoder: Decoder<T>): Promise<T>;
  /** A long answer, line by line, as it comes. */
  lines(path: string): AsyncIterable<string>;
}

const mostBytes = 256 * 1024 * 1024;
const longestLine = 16 * 1024 * 1024;
const streamMs = 3_600_000;

export function apiClient(server: Server, context: Context, fetching: typeof fetch = fetch): ApiClient {
  const { url } = server;
  const line: Connection = { ...server, fetch: fetching, clock: context.clock, signal: context.signal };
  const reading = async <T>(atMostMs: number, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof UserError || context.signal.aborted) throw error;
      throw connectionError(error, url, atMostMs);
    }
  };
  return {
    url,
    request: (request, decoder) =>
      withWaitNotice(url, context, async () => {
        const response = await send(request, line);
        const text = await reading(request.atMostMs ?? 30_000, () => boundedText(response, mostBytes));
        return readAs(decoder, parseJson(text, response, url), url);
      }),
    async *lines(path) {
      const request: ApiRequest = { method: 'GET', path, atMostMs: streamMs };
      const response = await withWaitNotice(url, context, () => send(request, line));
      const all = linesOf(response, longestLine)[Symbol.asyncIterator]();
      for (;;) {
        const { done, value } = await reading(streamMs, () => all.next());
        if (done) return;
        yield value;
      }
    },
  };
}

/** The decoded value, or an error that two versions do not understand each other. */
function readAs<T>(decoder: Decoder<T>, value: unknown, url: string): T {
  try {
    return decoder(value, 'it');
  } catch (error) {
    if (error instanceof DecodeError) throw otherVersion(url, error);
    throw error;
  }
}

/** Renders a server's answer. Only this checks its content: an unexpected part becomes an error that names it. */
export function renderAnswer<T>({ url }: Pick<ApiClient, 'url'>, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) throw otherVersion(url, error);
    throw error;
  }
}

const otherVersion = (url: string, cause: Error): UserError =>
  new UserError(`${url} sent an answer that this command line does not understand.`, {
    why: cause instanceof DecodeError ? `In its answer ${cause.message}.` : 'Part of its answer is unexpected.',
    next: 'Its version may differ: compare `setpoint --version` here and there.',
    cause,
  });

function parseJson(text: string, { status, headers }: Response, url: string): unknown {
  if (status === 204) return {};
  try {
    if (/^application\/([\w.-]+\+)?json\b/.test(headers.get('content-type') ?? '')) return JSON.parse(text);
  } catch {}
  throw new UserError(`The server at ${url} is not a Setpoint API.`, {
    why: `It answered ${status}, and not with JSON.`,
    next: 'Name the address that `setpoint serve` logs, or that of its proxy, with the path.',
  });
}

/** It is silent for a second by itself. */
const tickMs = 200;

/** Says on stderr that the server is waited for, once that takes longer than a second. */
async function withWaitNotice<T>(url: string, { terminal, clock }: Context, work: () => Promise<T>): Promise<T> {
  const progress = progressOn(terminal.err, clock);
  const tick = setInterval(() => progress.show('', `waiting for ${url}`), tickMs).unref();
  try {
    return await work();
  } finally {
    clearInterval(tick);
    progress.end();
  }
}

/** `path` has no query. `most`: so many of the items; absent: all. */
interface PageRequest {
  readonly path: string;
  readonly asked: Parameters<typeof queryString>[0];
  readonly most?: number;
}

interface Page {
  readonly items: readonly unknown[];
  readonly next?: string;
}

/** The requested items, page by page, until the last page, or the highest number of items. */
export async function* pages<P extends Page>(
  client: ApiClient,
  { path, asked, most = Number.POSITIVE_INFINITY }: PageRequest,
  page: Decoder<P>,
): AsyncIterable<P> {
  let left = most;
  let after: string | undefined;
  while (left > 0) {
    const asking = queryString({ ...asked, limit: Math.min(left, largest), after });
    const got = await client.request({ method: 'GET', path: `${path}${asking}` }, page);
    yield got;
    left -= got.items.length;
    if (got.next === undefined || got.next === after) return;
    after = got.next;
  }
}

/** The most that a server gives at once. */
const largest = 1000;

type Value = string | number | boolean | readonly string[] | undefined;

/** `?limit=3&target=a,b`; '' of nothing. What is undefined or empty is left out. */
export function queryString(asked: Readonly<Record<string, Value>>): string {
  const pairs = Object.entries(asked).flatMap(([name, value]): [string, string][] => {
    const text = typeof value === 'object' ? value.join(',') : value;
    return text === undefined || text === '' ? [] : [[name, String(text)]];
  });
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

/** A server and the token for it. */
export interface Server {
  readonly url: string;
  readonly token: string;
  /** ISO 8601: when the token ends, where a login knows it. */
  readonly expires?: string;
}

/** One request. `key`: of its repetition; the server does the same thing once. `path` begins with a slash. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly key?: string;
  /** Its whole answer by then; default 30 s. */
  readonly atMostMs?: number;
}

/** The connection: server, token and transport. Tests pass another `fetch`. */
interface Connection extends Server, Pick<Context, 'clock' | 'signal'> {
  readonly fetch: typeof fetch;
}

const defaultMs = 30_000;
const tries = 4;
const longestWaitMs = 30_000;

/**
 * The answer to a request, of any status below 300. On 429, 503, or 409 with a time, it repeats the request a few times after
 * that time. A server may close a kept connection just as it is used again: a harmless request is then sent once more. No other
 * failure is repeated here. No redirect is followed: the token is for this server.
 */
export async function send(request: ApiRequest, line: Connection): Promise<Response> {
  for (let tried = 1; ; tried += 1) {
    const response = await responseTo(request, line);
    if (response.ok) return response;
    const waitMs = tried < tries ? waitAfter(response, tried, line.clock.now()) : undefined;
    if (waitMs === undefined) throw await apiErrorFrom(response, line.url, expiredMs(line));
    await response.body?.cancel();
    await line.clock.sleep(waitMs, line.signal);
  }
}

/** For how long the token has been of no use, as far as a login knows; the server does not say. */
function expiredMs({ expires, clock }: Connection): number | undefined {
  const sinceMs = expires === undefined ? Number.NaN : clock.now() - Date.parse(expires);
  return sinceMs >= 0 ? sinceMs : undefined;
}

async function responseTo(request: ApiRequest, line: Connection): Promise<Response> {
  const { atMostMs = defaultMs, method, key } = request;
  try {
    const again = (error: unknown): Promise<Response> => {
      if (!isConnectionReset(error) || (method !== 'GET' && key === undefined)) throw error;
      return sendOnce(request, line);
    };
    const response = await sendOnce(request, line).catch(again);
    if (response.status >= 300 && response.status < 400) throw redirectRefused(line.url, response);
    return response;
  } catch (error) {
    if (error instanceof UserError || line.signal.aborted) throw error;
    throw connectionError(error, line.url, atMostMs);
  }
}

function sendOnce({ method, path, body, key, atMostMs = defaultMs }: ApiRequest, line: Connection): Promise<Response> {
  const { url, token } = line;
  const headers = {
    accept: 'application/json, application/x-ndjson, application/problem+json',
    authorization: `Bearer ${token}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  };
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  const signal = AbortSignal.any([line.signal, AbortSignal.timeout(atMostMs)]);
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

function redirectRefused(url: string, { headers }: Response): UserError {
  const to = headers.get('location') ?? '';
  const origin = URL.canParse(to, url) ? new URL(to, url).origin : 'another place';
  return new UserError(`${url} redirects to ${origin}.`, {
    why: 'Setpoint sends your token only to the server that you named.',
    next: 'To use that server, name its address.',
  });
}

/** A missing answer, as an error. It shows only the network error's code: its message may hold sent data. */
function connectionError(error: unknown, url: string, atMostMs: number): UserError {
  const code = codeOf(error);
  const cause = { cause: error };
  if (code === 'TimeoutError')
    return new UserError(`${url} did not answer completely within ${atMostMs / 1000} s.`, { next: again, ...cause });
  const failure = connectionFailures[code];
  if (failure !== undefined) return new UserError(`${url} ${failure.what}.`, { next: failure.next, ...cause });
  if (/^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_)/.test(code))
    return new UserError(`${url} has no valid certificate for its name.`, {
      why: tls[code] ?? code,
      next: `${trust} Setpoint sent nothing to it.`,
      ...cause,
    });
  return new UserError(`${url} cannot be reached.`, { why: code, next: again, ...cause });
}

/** Before anything was answered. */
const isConnectionReset = (error: unknown): boolean => connectionFailures[codeOf(error)] === broken;

const again = 'Try again, and check the log of the server.';
const trust =
  'If your own authority issued its certificate, name the authority: NODE_EXTRA_CA_CERTS=/path/to/ca.pem setpoint …';
const broken = { what: 'closed the connection', next: again };
const unknown = { what: 'is an unknown host name', next: 'Check the spelling of its name.' };
const plain = { what: 'does not speak TLS', next: 'Check that its port is the one of https.' };
const silent = { what: 'cannot be reached', next: 'Check its name and port, and firewalls on the way.' };

const connectionFailures: Readonly<Record<string, { readonly what: string; readonly next: string }>> = {
  ECONNREFUSED: {
    what: 'refused the connection: nothing listens there',
    next: 'Start it with setpoint serve, or check its port.',
  },
  ECONNRESET: broken,
  EPIPE: broken,
  UND_ERR_SOCKET: broken,
  ENOTFOUND: unknown,
  EAI_AGAIN: unknown,
  ETIMEDOUT: silent,
  EHOSTUNREACH: silent,
  ENETUNREACH: silent,
  UND_ERR_CONNECT_TIMEOUT: silent,
  EPROTO: plain,
  ERR_SSL_WRONG_VERSION_NUMBER: plain,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: plain,
};

/** https://nodejs.org/docs/latest-v24.x/api/tls.html#x509-certificate-error-codes */
const tls: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'Its certificate has expired.',
  CERT_NOT_YET_VALID: 'Its certificate is not valid yet, or the clock here is wrong.',
  CERT_REVOKED: 'Its certificate was revoked.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Its certificate is for another name.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'Its certificate is self-signed.',
  SELF_SIGNED_CERT_IN_CHAIN: 'An authority that is unknown here issued its certificate.',
  UNABLE_TO_GET_ISSUER_CERT: 'An authority that is unknown here issued its certificate.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'An authority that is unknown here issued its certificate.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'An authority that is unknown here issued its certificate.',
};

/** The innermost there is: fetch wraps what the socket said, and a name with several addresses gives a failure for each. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  if (error.cause instanceof Error) return codeOf(error.cause);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

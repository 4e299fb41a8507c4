import { AsyncLocalStorage } from 'node:async_hooks';
import { credentialFor } from '../../src/core/cloud-credential.ts';
import { ownAgent } from '../../src/core/last-modified.ts';
import type { Access } from '../../src/ports/provider.ts';
import { AnswerRefused, type Body, type Pieces, readBytes, scanAnswer, tooLarge } from '../shared/json-answer.ts';
import { bounds } from './rate-limits.ts';

/** The outcome of one request on the wire. The SDK hides the headers and the body of most refusals, so they are recorded here. */
export interface Exchange {
  /** The API's name for the call, `networks.list`. */
  readonly action: string;
  /** The time limit of its answer's body. */
  readonly answerMs: number;
  /** Undefined: no answer came, or none that was read. */
  status?: number;
  headers?: Headers;
  /** Of a refusal only. */
  body?: string;
  /** The reason that there was no answer. */
  error?: unknown;
  /** Of a long answer: a repeated run gets the next of them. */
  pieces?: Pieces;
}

/** One session's way to the cloud. */
export interface Transport {
  /** Runs one SDK call; all that it sends is sent as this session, and noted in `exchange`. */
  recording<T>(exchange: Exchange, work: () => Promise<T>): Promise<T>;
}

/** The sender of a request, and its address. */
interface Sender {
  readonly endpoint: string | undefined;
  readonly token: () => Promise<string>;
  readonly exchange: Exchange;
}

/** The session of an SDK request. The process shares the SDK's clients, because each takes about 30 ms to make. */
const senders = new AsyncLocalStorage<Sender>();

export function makeTransport(access: Access): Transport {
  const { endpoint } = access;
  const token = tokenOf(access);
  return { recording: (exchange, work) => senders.run({ endpoint, token, exchange }, work) };
}

/** The SDK's `authClient`: the SDK sends every request through its `fetch`. */
export const authClient = {
  /** Must be there, or the SDK looks for credentials itself. */
  getRequestHeaders: async (): Promise<Headers> => new Headers(),
  fetch: async (url: string, init: RequestInit): Promise<Response> => {
    const sender = senders.getStore();
    if (!sender) throw new Error(`${url} was to be sent by nobody`);
    try {
      return await send(url, init, sender);
    } catch (error) {
      sender.exchange.error = error;
      // why: by its status, an unread refusal could look like the cloud's answer that a resource is gone
      if (error instanceof AnswerRefused) delete sender.exchange.status;
      throw error;
    }
  },
};

/** Authentication failed, so nothing was sent. The message contains no secret. */
class CredentialsError extends Error {
  readonly code = 'credentials';
}

/** The SDK gets a refusal without its details: for those it would read all its protos again, half a second for each. */
async function send(url: string, init: RequestInit, { endpoint, token, exchange }: Sender): Promise<Response> {
  if (exchange.pieces !== undefined) return toResponse(exchange.pieces.next().text);
  const { method, body, signal } = init;
  const headers = new Headers(init.headers);
  headers.set('authorization', `Bearer ${await token()}`);
  headers.set('user-agent', ownAgent);
  const { pathname, search, origin } = new URL(url);
  const answer = await fetch(new URL(pathname + search, endpoint ?? origin), {
    headers,
    redirect: 'error',
    ...(method === undefined ? {} : { method }),
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  });
  exchange.headers = answer.headers;
  const asked = { cloud: 'Google Cloud', action: exchange.action };
  const most = { bytes: answer.ok ? bounds.bytes : bounds.refusal, ms: exchange.answerMs };
  const read = await readBytes(answer.body === null ? undefined : bodyOf(answer.body), most, asked);
  exchange.status = answer.status;
  if (!answer.ok) {
    exchange.body = new TextDecoder().decode(read);
    return new Response(JSON.stringify({ error: { code: answer.status, message: 'refused' } }), {
      status: answer.status,
    });
  }
  if (read.length === 0) return new Response(null, { status: answer.status });
  const found = await scanAnswer(read, bounds, asked);
  if (!found.isLong) return toResponse(read, answer.status);
  if (method !== 'GET') throw new AnswerRefused(tooLarge, asked, 'more than an operation has');
  exchange.pieces = found.pieces();
  return toResponse(exchange.pieces.next().text);
}

/** By a reader: it can be cancelled while a chunk is awaited, a loop over the stream cannot. */
function bodyOf(stream: ReadableStream<Uint8Array>): Body {
  const reader = stream.getReader();
  return {
    chunks: (async function* () {
      for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
    })(),
    giveUp: () => void reader.cancel().catch(() => undefined),
  };
}

/** All that the SDK asks of an answer: a Response would copy its bytes twice. They are the whole of their buffer. */
const toResponse = ({ buffer }: Uint8Array<ArrayBuffer>, status = 200): Response =>
  ({ status, ok: true, arrayBuffer: async () => buffer }) as Response; // why: the SDK asks for no more

const scopes = ['https://www.googleapis.com/auth/cloud-platform'];

/**
 *   credentials    | endpoint | token
 *   ---------------+----------+---------------------------------------------------------------------------
 *   service account| any      | of that account
 *   none           | given    | `sandbox`: nobody's, and none is looked for
 *   none           | none     | of the default chain, https://cloud.google.com/docs/authentication/application-default-credentials
 */
function tokenOf({ endpoint, credentials }: Access): () => Promise<string> {
  const key = credentialFor('gcp', credentials?.secret);
  if (key === undefined && endpoint !== undefined) return async () => 'sandbox';
  let source: Promise<{ getAccessToken(): Promise<{ token?: string | null }> }> | undefined;
  return async () => {
    try {
      source ??= import('google-auth-library').then(({ GoogleAuth, JWT }) =>
        key === undefined
          ? new GoogleAuth({ scopes }).getClient()
          : new JWT({ email: key.clientEmail, key: key.privateKey, scopes }),
      );
      const { token } = await (await source).getAccessToken();
      if (token) return token;
    } catch (error) {
      source = undefined;
      throw isUnreachable(error) ? error : new CredentialsError(`no token for Google Cloud: ${reasonOf(error)}`);
    }
    throw new CredentialsError('no token for Google Cloud: its credentials gave none');
  };
}

/** The machine that gives tokens could not be reached: that passes. */
const isUnreachable = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  /^(?:ECONN|ENOTFOUND|EAI_AGAIN|EHOST|ENET|ETIMEDOUT)/.test(String(error.code));

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message.slice(0, 200) : 'for no reason');

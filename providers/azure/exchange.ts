import { AsyncLocalStorage } from 'node:async_hooks';
import type { Readable } from 'node:stream';
import type { PipelinePolicy, PipelineRequest, PipelineResponse } from '@azure/core-rest-pipeline';
import type { Failure } from '../../src/core/failure.ts';
import type { Request } from '../../src/ports/limiter.ts';
import type { Answer, Call } from '../../src/ports/provider.ts';
import { type Body, type JsonAnswer, type Pieces, readBytes, scanAnswer } from '../shared/json-answer.ts';
import { failureOfAnswer, failureOfThrown, type HttpAnswer, requestIdIn } from './errors.ts';
import { bounds, requestFor } from './rate-limits.ts';
import { remainingIn } from './remaining.ts';

/** On whose behalf the SDK sends, and what became of it: the SDK itself hides most of that. */
export interface Exchange {
  readonly call: Call;
  /** Sent in place of what the SDK made of a PUT, which would lose what its models do not know. */
  readonly body?: string | undefined;
  /** The subject of a request that only reads. Its answer may come in pieces. Any other answer comes without its long lists. */
  readonly reads?: 'page' | 'resource';
  /** Of a long answer: a request that is sent once more is answered with the next of them. */
  pieces?: Pieces;
  /** The reason that nothing may be sent any more. */
  stopped?: { readonly reason: unknown };
  /** The last request, its answer, and the failure. */
  asked?: Request;
  answer?: HttpAnswer;
  failure?: Failure;
  /** The answer that the pieces are of. */
  response?: PipelineResponse;
}

const current = new AsyncLocalStorage<Exchange>();

/** Every request that `work` makes, polls and further pages too, belongs to this exchange. */
export const during = <T>(exchange: Exchange, work: () => T): T => current.run(exchange, work);

export interface Watch {
  readonly scope: string;
  /** The only origin that may receive the token: the cloud also answers with URLs to poll or to read on. */
  readonly origin: string;
  /** Called as a request that may change something is sent, and again once it is answered or lost. */
  readonly onWrite: () => void;
  /** The time limit of a whole answer, and of its body. */
  readonly answerMs: number;
}

/** The one gate: admit → send → report, for whatever the SDK sends, as near to the wire as a policy can be. */
export const watched = (watch: Watch): PipelinePolicy => ({
  name: 'setpointExchange',
  sendRequest: async (request, next) => {
    const exchange = current.getStore();
    if (exchange === undefined) throw new Error(`${request.method} ${request.url} was sent on nobody's behalf`);
    const { pieces, response } = exchange;
    if (pieces !== undefined && response !== undefined)
      return { ...response, request, bodyAsText: nextOf(pieces, exchange) };
    const asked = requestFor(watch.scope, request.method, request.url);
    prepare(request, exchange, watch);
    await admitted(asked, exchange);
    const tell = (): void => (asked.mutating ? watch.onWrite() : undefined);
    tell();
    try {
      const send = async () => readOut(await next(request), { ...asked, answerMs: watch.answerMs }, exchange);
      return await answered(asked, { exchange, scope: watch.scope, send });
    } finally {
      tell();
    }
  },
});

function prepare(request: PipelineRequest, { call, body }: Exchange, { origin, answerMs }: Watch): void {
  const url = new URL(request.url);
  if (url.origin !== origin)
    throw new Error(`the answer leads to ${url.origin}, but the token is only for ${origin}; Setpoint sent nothing`);
  // why: the SDK's own timer holds the process for a minute after a connection was cut, and does not watch the body
  request.abortSignal = AbortSignal.any([call.signal, AbortSignal.timeout(answerMs)]);
  // why: it is bounded while it is read
  request.streamResponseStatusCodes = new Set([Number.POSITIVE_INFINITY]);
  if (body !== undefined && request.method === 'PUT') request.body = body;
}

type Timed = Pick<Request, 'action'> & Pick<Watch, 'answerMs'>;

/** Holds what was answered against its bounds, and hands the SDK what it reads within a turn of the loop. */
async function readOut(
  response: PipelineResponse,
  { action, answerMs }: Timed,
  exchange: Exchange,
): Promise<PipelineResponse> {
  const { readableStreamBody: stream, ...rest } = response;
  const asked = { cloud: 'Azure', action };
  const isRefusal = response.status >= 400;
  const most = { bytes: isRefusal ? bounds.refusal : bounds.bytes, ms: answerMs };
  const read = await readBytes(stream && bodyOf(stream), most, asked);
  if (isRefusal) return { ...rest, bodyAsText: textOf(read) };
  return { ...rest, bodyAsText: textFor(rest, await scanAnswer(read, bounds, asked), exchange) };
}

const bodyOf = (stream: NonNullable<PipelineResponse['readableStreamBody']>): Body => ({
  // why: a stream of Node gives Buffers where no encoding was set
  chunks: stream as AsyncIterable<Uint8Array>,
  giveUp: () => {
    // why: the connection of an answer that is being unpacked would stay open, and nobody would read on
    stream.on('unpipe', (source: Readable) => source.on('error', () => {}).destroy());
    if ('destroy' in stream) (stream as Readable).on('error', () => {}).destroy(); // why: all of the SDK's are such
  },
});

function textFor(response: PipelineResponse, answer: JsonAnswer, exchange: Exchange): string {
  if (!answer.isLong) return textOf(answer.bytes);
  const { reads } = exchange;
  if (reads === undefined || exchange.asked?.mutating !== false) return textOf(answer.withoutLongLists());
  exchange.response = response;
  // why: the SDK fails where a page has no such list
  exchange.pieces = answer.pieces(reads === 'page' ? 'value' : undefined);
  return textOf(exchange.pieces.next().text);
}

function nextOf(pieces: Pieces, exchange: Exchange): string {
  try {
    return textOf(pieces.next().text);
  } catch (error) {
    exchange.failure = failureOfThrown(error, false);
    throw error;
  }
}

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

async function admitted(asked: Request, exchange: Exchange): Promise<void> {
  try {
    await exchange.call.admit(asked);
    exchange.call.signal.throwIfAborted();
  } catch (reason) {
    exchange.stopped = { reason };
    throw reason;
  }
}

interface Sending {
  readonly exchange: Exchange;
  readonly scope: string;
  readonly send: () => Promise<PipelineResponse>;
}

async function answered(asked: Request, { exchange, scope, send }: Sending): Promise<PipelineResponse> {
  const began = performance.now();
  const report = (answer: Omit<Answer, 'durationMs'>): void =>
    exchange.call.report(asked, { ...answer, durationMs: performance.now() - began });
  delete exchange.failure;
  exchange.asked = asked;
  try {
    const response = await send();
    exchange.answer = answerOf(response);
    if (response.status >= 400) exchange.failure = failureOfAnswer(exchange.answer, asked.mutating);
    const { headers } = exchange.answer;
    const requestId = requestIdIn(headers);
    report({
      remaining: remainingIn(scope, headers),
      ...(requestId === undefined ? {} : { requestId }),
      ...(exchange.failure === undefined ? {} : { failure: exchange.failure }),
    });
    return response;
  } catch (error) {
    exchange.failure = failureOfThrown(error, asked.mutating);
    report({ failure: exchange.failure });
    throw error;
  }
}

const answerOf = ({ status, headers, bodyAsText }: PipelineResponse): HttpAnswer => ({
  status,
  headers: (name) => headers.get(name),
  body: bodyAsText ?? '',
});

/**
 * The failure for an error of the SDK. Throws if the reconcile was stopped before anything was sent. Before a request there is
 * only the credential to go wrong; what was answered well and cannot be read may have been done, where it was a write.
 */
export function failureIn({ call, stopped, asked, failure }: Exchange, error: unknown): Failure {
  if (stopped) throw stopped.reason;
  if (failure) return failure;
  const { code, message } = failureOfThrown(error, false);
  if (asked) return { kind: asked.mutating ? 'ambiguous' : 'retryable', code: 'UnreadableAnswer', message };
  call.signal.throwIfAborted();
  return { kind: 'terminal', code, message };
}

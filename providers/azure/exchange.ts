import { AsyncLocalStorage } from 'node:async_hooks';
import type { PipelinePolicy, PipelineRequest, PipelineResponse } from '@azure/core-rest-pipeline';
import type { Failure } from '../../src/core/failure.ts';
import type { Answer, Call, Request } from '../../src/ports/provider.ts';
import { failureOfAnswer, failureOfThrown, type HttpAnswer, requestIdIn } from './errors.ts';
import { requestFor } from './limits.ts';
import { remainingIn } from './remaining.ts';

/** On whose behalf the SDK sends, and what became of it: the SDK itself hides most of that. */
export interface Exchange {
  readonly call: Call;
  /** Sent in place of what the SDK made of a PUT, which would lose what its models do not know. */
  readonly body?: string | undefined;
  /** Why nothing may be sent any more. */
  stopped?: { readonly reason: unknown };
  /** What was asked last, what came, and what was wrong with it. */
  asked?: Request;
  answer?: HttpAnswer;
  failure?: Failure;
}

const current = new AsyncLocalStorage<Exchange>();

/** Every request that `work` makes, polls and further pages too, belongs to this exchange. */
export const during = <T>(exchange: Exchange, work: () => T): T => current.run(exchange, work);

export interface Watch {
  readonly scope: string;
  /** Where the token may go: what the cloud says to poll or to read on is an URL too. */
  readonly origin: string;
  /** Called as a request that may change something is sent, and again once it is answered or lost. */
  readonly onWrite: () => void;
}

/** The one gate: admit → send → report, for whatever the SDK sends, as near to the wire as a policy can be. */
export const watched = (watch: Watch): PipelinePolicy => ({
  name: 'setpointExchange',
  sendRequest: async (request, next) => {
    const exchange = current.getStore();
    if (exchange === undefined) throw new Error(`${request.method} ${request.url} was sent on nobody's behalf`);
    const asked = requestFor(watch.scope, request.method, request.url);
    prepare(request, exchange, watch.origin);
    await admitted(asked, exchange);
    const tell = (): void => (asked.mutating ? watch.onWrite() : undefined);
    tell();
    try {
      return await answered(asked, { exchange, scope: watch.scope, send: () => next(request) });
    } finally {
      tell();
    }
  },
});

const answerMs = 60_000;

function prepare(request: PipelineRequest, { call, body }: Exchange, origin: string): void {
  const url = new URL(request.url);
  if (url.origin !== origin)
    throw new Error(`the answer leads to ${url.origin}, and our token goes to ${origin} only; nothing was sent`);
  // why: the SDK's own timer holds the process for a minute after a connection was cut, and does not watch the body
  request.abortSignal = AbortSignal.any([call.signal, AbortSignal.timeout(answerMs)]);
  if (body !== undefined && request.method === 'PUT') request.body = body;
}

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
 * What it means that the SDK threw. Throws where the pass was stopped before anything was sent. Before a request there is
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

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock, Log } from '../../ports/clock-and-log.ts';
import type { Replies } from '../../ports/store.ts';
import { apiLimits } from '../limits.ts';
import { takesType } from '../negotiate.ts';
import type { Problem } from '../problem.ts';
import { noteAccess } from './access-log.ts';
import type { Admission } from './admission.ts';
import { type Answer, answerOf, type LongAnswer } from './answer.ts';
import { answeredOnce } from './answered-once.ts';
import { nobody } from './authenticate.ts';
import { etagOf, isNamed } from './etag.ts';
import type { LargeBodies } from './large-bodies.ts';
import { pathOf, restOf } from './path.ts';
import { readInput, type Sent } from './read-input.ts';
import { Refusal } from './refusal.ts';
import type { Asked, Asking, Caller, Route, Shape } from './route.ts';
import type { Streams } from './streams.ts';

/** What all routes are served with. */
export interface Counter {
  readonly admit: Admission;
  readonly large: LargeBodies;
  readonly streams: Streams;
  readonly replies: Replies;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Who asks, and whether they may ask such a thing at all, is settled before a body is read; then what came is checked, and
 * what is answered.
 */
export function serveRoute(api: FastifyInstance, route: Route, counter: Counter): void {
  const { admit, large, replies, log } = counter;
  const callers = new WeakMap<FastifyRequest, Caller>();
  api.route({
    method: route.method === 'GET' ? ['GET', 'HEAD'] : route.method,
    url: pathOf(route.path),
    bodyLimit: route.asks.bodyBytes ?? apiLimits.bodyBytes,
    onRequest: async (request, reply) => {
      stayOpen(request);
      const caller = await admit(route, request, reply);
      if (!isMet(route, request.headers.accept)) throw new Refusal(notAcceptable(route));
      callers.set(request, caller);
      large(route, caller, request, reply);
    },
    handler: async (request, reply) => {
      const caller = callers.get(request) ?? nobody;
      const input = readInput(route.asks, sentOf(route, request));
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      // why: the schemas of `asks` have parsed the input, and `route` keeps which type each has
      const asked = { ...input, by: circumstanceOf(request, { caller, gone, clock: counter.clock }) } as Asked<Asking>;
      const answer = await answeredOnce({ request, caller, replies }, async () =>
        answerOf(route, await route.handle(asked)),
      );
      return 'chunks' in answer ? sendLong(reply, { answer, gone, counter }) : send(reply, answer);
    },
    onResponse: async (request, reply) => noteAccess(log, route, reply, callers.get(request)),
  });
}

const typesOf = ({ says }: Route): readonly string[] => [...new Set(Object.values(says.answers).flatMap(typesOfShape))];

function typesOfShape({ schema, type, also = {} }: Shape): readonly string[] {
  const own = type ?? (schema === undefined ? undefined : 'application/json');
  return [...(own === undefined ? [] : [own]), ...Object.keys(also)];
}

/** A route that answers without content suits any Accept. */
function isMet(route: Route, accept: string | undefined): boolean {
  const types = typesOf(route);
  return types.length === 0 || types.some((type) => takesType(accept, type));
}

const notAcceptable = (route: Route): Problem => ({
  status: 406,
  title: 'Not Acceptable',
  detail: `This address answers with ${typesOf(route).join(' or ')}: name it in the header Accept, or leave that out.`,
});

/** The server is strict about slow senders; whoever has sent all waits for our answer. */
function stayOpen({ raw: { socket } }: FastifyRequest): void {
  if ('setTimeout' in socket) socket.setTimeout(apiLimits.stillMs);
}

/** What the router calls * has the name that the route gave it. */
function sentOf({ path }: Route, { params, url, body }: FastifyRequest): Sent {
  const name = restOf(path);
  if (name === undefined || typeof params !== 'object' || params === null || !('*' in params))
    return { params, url, body };
  const { '*': rest, ...others } = params;
  return { params: { ...others, [name]: rest }, url, body };
}

interface Around {
  readonly caller: Caller;
  readonly gone: AbortController;
  readonly clock: Clock;
}

const circumstanceOf = ({ headers }: FastifyRequest, { caller, gone, clock }: Around): Asked<Asking>['by'] => ({
  caller,
  now: clock.now(),
  signal: gone.signal,
  header: (name) => {
    const value = headers[name.toLowerCase()];
    return typeof value === 'string' ? value : undefined;
  },
});

function send(reply: FastifyReply, { status, headers, text, isKept }: Answer): FastifyReply {
  const { method, headers: asked } = reply.request;
  if (method !== 'GET' && method !== 'HEAD')
    return reply
      .code(status)
      .headers({ 'cache-control': isKept ? 'no-store' : 'no-store, no-transform', ...headers })
      .send(text);
  const etag = etagOf(text);
  reply.headers({ 'cache-control': 'private, no-cache', etag, ...headers });
  if (status === 200 && isNamed(etag, asked['if-none-match']))
    return reply.code(304).removeHeader('content-type').send();
  return reply.code(status).send(text);
}

interface Sending {
  readonly answer: LongAnswer;
  readonly gone: AbortController;
  readonly counter: Counter;
}

function sendLong(reply: FastifyReply, { answer, gone, counter: { streams } }: Sending): FastifyReply {
  reply.code(answer.status).headers({ 'cache-control': 'no-store', ...answer.headers });
  if (reply.request.method !== 'HEAD') return streams.send(reply, answer, gone);
  gone.abort();
  return reply.send();
}

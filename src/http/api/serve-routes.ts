import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock, Log } from '../../ports/clock-and-log.ts';
import { BeforeHistory } from '../../ports/inventory-rows.ts';
import { Declined } from '../../ports/queries.ts';
import type { IdempotentResponses } from '../../ports/store.ts';
import { credentialOf, type SessionCookie, sessionCookie } from '../auth/session-cookie.ts';
import { apiLimits, type CallerLimit } from '../limits.ts';
import { takesType } from '../negotiation.ts';
import { beforeHistoryProblem, declinedProblem, type Problem, ProblemError, sendProblem } from '../problem.ts';
import { sha256 } from '../sha256.ts';
import { type Admission, admission } from './admission.ts';
import {
  type Answer,
  answerOf,
  etagOf,
  type LongAnswer,
  matchesEtag,
  openStreams,
  type Streams,
  UndeclaredAnswer,
} from './answers.ts';
import { type LargeBodyLimit, largeBodyLimit, parseJsonBodies } from './bodies.ts';
import { documentRoutes } from './docs-page.ts';
import { answerOnce } from './idempotency.ts';
import { headerReader, readInput, type Sent } from './read-input.ts';
import {
  type Authenticate,
  anonymous,
  type Caller,
  type RequestContext,
  type RequestSchema,
  type Route,
  type RouteRequest,
  type RouteResponse,
} from './route.ts';

export interface ApiOptions {
  readonly routes: readonly Route[];
  readonly authenticate: Authenticate;
  /** Absent: that of a server without TLS. */
  readonly session?: SessionCookie;
  /** The kept answers for repeated Idempotency-Keys. */
  readonly idempotentResponses: IdempotentResponses;
  /** Absent: the usual one. */
  readonly callerLimit?: CallerLimit;
  readonly clock: Clock;
  readonly log: Log;
}

/** Serves the routes beside whatever else the server has: what is set up here holds for them alone. */
export function serveRoutes(app: FastifyInstance, options: ApiOptions): void {
  app.register((api, _, done) => {
    parseJsonBodies(api);
    api.setErrorHandler<FastifyError | ProblemError | Declined>((error, _, reply) =>
      sendProblem(reply, problemOf(error, options, reply)),
    );
    const streams = openStreams(options);
    api.addHook('preClose', async () => streams.close());
    const { session = sessionCookie(false) } = options;
    const dependencies: ServeDependencies = {
      ...options,
      session,
      streams,
      admit: admission({ ...options, session }),
      limitLargeBodies: largeBodyLimit(),
    };
    documentRoutes(api, options.routes);
    for (const route of options.routes) serveRoute(api, route, dependencies);
    for (const [path, routes] of Map.groupBy(options.routes, ({ path }) => path)) rejectOtherMethods(api, path, routes);
    done();
  });
}

const allMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** Answers a method that a path lacks with the methods that it has. */
function rejectOtherMethods(api: FastifyInstance, path: string, routes: readonly Route[]): void {
  const served = new Set<string>(routes.map(({ method }) => method));
  if (served.has('GET')) served.add('HEAD');
  const allow = [...served, 'OPTIONS'].join(', ');
  api.route({
    method: allMethods.filter((method) => !served.has(method)),
    url: routerPath(path),
    handler: async (request, reply) =>
      request.method === 'OPTIONS'
        ? reply.code(204).header('allow', allow).send()
        : sendProblem(reply, { ...wrongMethod, headers: { allow } }),
  });
}

const wrongMethod: Problem = {
  status: 405,
  title: 'Method Not Allowed',
  detail: 'This address takes other methods: the header Allow names them.',
};

function problemOf(error: FastifyError | ProblemError | Declined, { log }: ApiOptions, reply: FastifyReply): Problem {
  if (error instanceof ProblemError) return error.problem;
  // why: a store that takes too long for a question declines it, whichever route asked
  if (error instanceof Declined) return declinedProblem(error);
  if (error instanceof BeforeHistory) return beforeHistoryProblem(error);
  const { statusCode = 500, code } = error;
  if (statusCode === 413) return tooLarge;
  if (statusCode === 415) return unsupportedType;
  if (statusCode < 500) return { status: 400, title: 'Bad Request', detail: 'The request cannot be understood.' };
  // why: the message of an error may hold what was sent
  log.error('request failed', {
    code: code ?? error.name,
    route: reply.request.routeOptions.url ?? '',
    requestId: reply.request.id,
    ...(error instanceof UndeclaredAnswer ? { reason: error.message } : {}),
  });
  return internalError;
}

const tooLarge: Problem = {
  status: 413,
  title: 'Content Too Large',
  detail: 'The body is larger than this address takes: /openapi.json says how much that is.',
};

const unsupportedType: Problem = {
  status: 415,
  title: 'Unsupported Media Type',
  detail: 'A body is JSON: send it with content-type: application/json.',
};

const internalError: Problem = {
  status: 500,
  title: 'Internal Server Error',
  detail: "This is a defect of ours; the server's log has a line with the id in x-request-id.",
};

/** Shared by all routes. */
interface ServeDependencies {
  readonly admit: Admission;
  readonly limitLargeBodies: LargeBodyLimit;
  readonly streams: Streams;
  readonly idempotentResponses: IdempotentResponses;
  readonly session: SessionCookie;
  readonly clock: Clock;
  readonly log: Log;
}

/** Authenticates the caller and checks the permission before it reads a body; then checks the input and the answer. */
function serveRoute(api: FastifyInstance, route: Route, dependencies: ServeDependencies): void {
  const { admit, limitLargeBodies, streams, idempotentResponses, session, clock, log } = dependencies;
  const callers = new WeakMap<FastifyRequest, Caller>();
  api.route({
    method: route.method === 'GET' ? ['GET', 'HEAD'] : route.method,
    url: routerPath(route.path),
    bodyLimit: route.request.bodyBytes ?? apiLimits.bodyBytes,
    onRequest: async (request, reply) => {
      extendTimeout(request);
      const caller = await admit(route, request, reply);
      if (!isAcceptable(route, request.headers.accept)) throw new ProblemError(notAcceptable(route));
      callers.set(request, caller);
      limitLargeBodies(route, caller, request, reply);
    },
    handler: async (request, reply) => {
      const caller = callers.get(request) ?? anonymous;
      const input = readInput(route.request, sentOf(route, request));
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      // why: the schemas of `request` have parsed the input, and `route` keeps which type each has
      const asked = {
        ...input,
        context: requestContext(request, { caller, session, gone, clock }),
      } as RouteRequest<RequestSchema>;
      const answer = await answerOnce({ request, caller, idempotentResponses }, async () =>
        answerOf(route, await route.handle(asked)),
      );
      return 'chunks' in answer ? sendLong(reply, { answer, gone, streams }) : send(reply, answer);
    },
    onResponse: async (request, reply) => logAccess(log, route, reply, callers.get(request)),
  });
}

const typesOf = ({ operation }: Route): readonly string[] => [
  ...new Set(Object.values(operation.responses).flatMap(typesOfShape)),
];

function typesOfShape({ schema, type, also = {} }: RouteResponse): readonly string[] {
  const own = type ?? (schema === undefined ? undefined : 'application/json');
  return [...(own === undefined ? [] : [own]), ...Object.keys(also)];
}

/** A route that answers without content suits any Accept. */
function isAcceptable(route: Route, accept: string | undefined): boolean {
  const types = typesOf(route);
  return types.length === 0 || types.some((type) => takesType(accept, type));
}

const notAcceptable = (route: Route): Problem => ({
  status: 406,
  title: 'Not Acceptable',
  detail: `This address answers with ${typesOf(route).join(' or ')}: name it in the header Accept, or leave that out.`,
});

/** The server is strict about slow senders; whoever has sent all waits for our answer. */
function extendTimeout({ raw: { socket } }: FastifyRequest): void {
  if ('setTimeout' in socket) socket.setTimeout(apiLimits.stillMs);
}

/** Renames the router's parameter `*` to the route's own name. */
function sentOf({ path }: Route, { params, url, body }: FastifyRequest): Sent {
  const name = restParameter(path);
  if (name === undefined || typeof params !== 'object' || params === null || !('*' in params))
    return { params, url, body };
  const { '*': rest, ...others } = params;
  return { params: { ...others, [name]: rest }, url, body };
}

interface Connection {
  readonly caller: Caller;
  readonly session: SessionCookie;
  readonly gone: AbortController;
  readonly clock: Clock;
}

const requestContext = (request: FastifyRequest, { caller, session, gone, clock }: Connection): RequestContext => ({
  caller,
  authorization: credentialOf(request, session).authorization,
  now: clock.now(),
  signal: gone.signal,
  header: headerReader(request),
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
  if (status === 200 && matchesEtag(etag, asked['if-none-match']))
    return reply.code(304).removeHeader('content-type').send();
  return reply.code(status).send(text);
}

interface Sending {
  readonly answer: LongAnswer;
  readonly gone: AbortController;
  readonly streams: Streams;
}

function sendLong(reply: FastifyReply, { answer, gone, streams }: Sending): FastifyReply {
  reply.code(answer.status).headers({ 'cache-control': 'no-store', ...answer.headers });
  if (reply.request.method !== 'HEAD') return streams.send(reply, answer, gone);
  gone.abort();
  return reply.send();
}

/**
 * The path of a route as the router writes it: `/v1/targets/{name}` is `/v1/targets/:name`. `{+address}`, at the end, takes all
 * that follows: an address may be written with its slashes, or with them as %2F.
 */
const routerPath = (path: string): string => path.replace(/\{\+\w+\}$/, '*').replace(/\{(\w+)\}/g, ':$1');

/** The name of the parameter that takes all that follows; undefined where there is none. */
const restParameter = (path: string): string | undefined => /\{\+(\w+)\}$/.exec(path)?.[1];

/**
 * Logs one line for each request: the route, and never its parameters. Requests that only read have level debug, so that a
 * fleet that is watched does not fill its log. `caller`: a hash, the same for the same caller.
 */
function logAccess(log: Log, { method, path }: Route, reply: FastifyReply, caller: Caller | undefined): void {
  const { statusCode, elapsedTime, request } = reply;
  const level = statusCode < 400 && method === 'GET' ? 'debug' : 'info';
  log[level]('request', {
    route: `${method} ${path}`,
    code: statusCode,
    durationMs: Math.round(elapsedTime),
    requestId: request.id,
    ...(caller === undefined || caller.id === '' ? {} : { caller: shortHash(caller.id) }),
  });
}

const shortHash = (id: string): string => sha256(id).slice(0, 12);

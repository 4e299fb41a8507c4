import type { FastifyError, FastifyInstance, FastifyReply } from 'fastify';
import type { Clock, Log } from '../../ports/clock-and-log.ts';
import { Declined } from '../../ports/queries.ts';
import { BeforeHistory } from '../../ports/rows.ts';
import type { Replies } from '../../ports/store.ts';
import type { CallerLimit } from '../limits.ts';
import { type Problem, sendProblem } from '../problem.ts';
import { admission } from './admission.ts';
import { Undeclared } from './answer.ts';
import type { Authenticate } from './authenticate.ts';
import { beforeHistory } from './before-history.ts';
import { declinedProblem } from './declined.ts';
import { documentRoutes } from './document-routes.ts';
import { jsonBodies } from './json-bodies.ts';
import { largeBodies } from './large-bodies.ts';
import { pathOf } from './path.ts';
import { Refusal } from './refusal.ts';
import type { Route } from './route.ts';
import { type Counter, serveRoute } from './serve-route.ts';
import { openStreams } from './streams.ts';

export interface ApiOptions {
  readonly routes: readonly Route[];
  readonly authenticate: Authenticate;
  /** What those are answered who ask again by the same Idempotency-Key. */
  readonly replies: Replies;
  /** Absent: the usual one. */
  readonly callerLimit?: CallerLimit;
  readonly clock: Clock;
  readonly log: Log;
}

/** Serves the routes beside whatever else the server has: what is set up here holds for them alone. */
export function apiRoutes(app: FastifyInstance, options: ApiOptions): void {
  app.register((api, _, done) => {
    jsonBodies(api);
    api.setErrorHandler<FastifyError | Refusal | Declined>((error, _, reply) =>
      sendProblem(reply, problemOf(error, options, reply)),
    );
    const streams = openStreams(options);
    api.addHook('preClose', async () => streams.close());
    const counter: Counter = { ...options, streams, admit: admission(options), large: largeBodies() };
    documentRoutes(api, options.routes);
    for (const route of options.routes) serveRoute(api, route, counter);
    for (const [path, routes] of Map.groupBy(options.routes, ({ path }) => path)) refuseOthers(api, path, routes);
    done();
  });
}

const all = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** A method that a path does not have is told which it has. */
function refuseOthers(api: FastifyInstance, path: string, routes: readonly Route[]): void {
  const served = new Set<string>(routes.map(({ method }) => method));
  if (served.has('GET')) served.add('HEAD');
  const allow = [...served, 'OPTIONS'].join(', ');
  api.route({
    method: all.filter((method) => !served.has(method)),
    url: pathOf(path),
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

function problemOf(error: FastifyError | Refusal | Declined, { log }: ApiOptions, reply: FastifyReply): Problem {
  if (error instanceof Refusal) return error.problem;
  // why: a store that takes too long for a question declines it, whichever route asked
  if (error instanceof Declined) return declinedProblem(error);
  if (error instanceof BeforeHistory) return beforeHistory(error);
  const { statusCode = 500, code } = error;
  if (statusCode === 413) return tooLarge;
  if (statusCode === 415) return noMedia;
  if (statusCode < 500) return { status: 400, title: 'Bad Request', detail: 'The request cannot be understood.' };
  // why: the message of an error may hold what was sent
  log.error('a request could not be answered', {
    code: code ?? error.name,
    of: reply.request.routeOptions.url ?? '',
    requestId: reply.request.id,
    ...(error instanceof Undeclared ? { why: error.message } : {}),
  });
  return defect;
}

const tooLarge: Problem = {
  status: 413,
  title: 'Content Too Large',
  detail: 'The body is larger than this address takes: /openapi.json says how much that is.',
};

const noMedia: Problem = {
  status: 415,
  title: 'Unsupported Media Type',
  detail: 'A body is JSON: send it with content-type: application/json.',
};

const defect: Problem = {
  status: 500,
  title: 'Internal Server Error',
  detail: "This is a defect of ours; the server's log has a line with the id in x-request-id.",
};

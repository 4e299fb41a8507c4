import { randomUUID } from 'node:crypto';
import fastify, { type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify';
import type { Log } from '../ports/log.ts';
import type { Tls } from './door.ts';
import { httpServer } from './http-server.ts';
import { requestLimits } from './limits.ts';
import { type Problem, sendProblem } from './problem.ts';

/**
 * The server without its routes. Bodies come to them as bytes, and no further than the limits. Fastify's own words name the
 * address that was asked for, which may hold a secret: none of them is logged or answered with.
 */
export function openApp(log: Log, tls?: Tls): FastifyInstance {
  const app = fastify({
    logger: false,
    bodyLimit: requestLimits.bodyBytes,
    serverFactory: (handler) => httpServer(handler, tls),
    exposeHeadRoutes: false,
    return503OnClosing: true,
    forceCloseConnections: 'idle',
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: requestLimits.parameterCharacters },
    frameworkErrors: (_, __, reply) => void sendProblem(reply, notFound),
  });
  const guards = tls === undefined ? guarding : { ...guarding, ...onlyTls };
  app.addHook('onRequest', async (request, reply) => void reply.headers({ ...guards, 'x-request-id': request.id }));
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(taken, { parseAs: 'buffer' }, (_, body, done) => done(null, body));
  app.setNotFoundHandler((_, reply) => sendProblem(reply, notFound));
  app.setErrorHandler<FastifyError>((error, _, reply) => sendProblem(reply, problemOf(error, log, reply)));
  return app;
}

/** Of every answer: nothing here is a page that loads, frames or is framed, but the docs, which say otherwise for themselves. */
const guarding = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

const onlyTls = { 'strict-transport-security': 'max-age=31536000' } as const;

/** What events come as: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md */
const taken = ['application/json', 'application/cloudevents+json', 'application/cloudevents-batch+json'];

function problemOf({ statusCode = 500, code }: FastifyError, log: Log, reply: FastifyReply): Problem {
  const known = problems[statusCode];
  if (known !== undefined) return known;
  if (statusCode < 500) return { status: 400, title: 'Bad Request', detail: 'The request cannot be understood.' };
  // why: the message of an error may hold what was sent
  log.error('a request could not be answered', {
    code: code ?? 'unforeseen',
    of: reply.request.routeOptions.url ?? '',
    requestId: reply.request.id,
  });
  return {
    status: 500,
    title: 'Internal Server Error',
    detail: "This is a defect of ours; the server's log has a line.",
  };
}

const notFound: Problem = { status: 404, title: 'Not Found', detail: 'There is nothing at this address.' };

const problems: Readonly<Record<number, Problem>> = {
  413: {
    status: 413,
    title: 'Content Too Large',
    detail: `A body has at most ${requestLimits.bodyBytes} bytes: make the sender's batches smaller.`,
  },
  415: {
    status: 415,
    title: 'Unsupported Media Type',
    detail: `A body is JSON: choose ${taken[0]} where the sender is set up.`,
  },
};

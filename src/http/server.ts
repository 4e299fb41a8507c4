import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import fastify, {
  type ConnectionError,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import type { Clock, Log } from '../ports/clock-and-log.ts';
import { type ApiOptions, serveRoutes } from './api/serve-routes.ts';
import { consoleRoutes } from './console.ts';
import { requestLimits } from './limits.ts';
import { isLoopbackHost, type ListenAddress, type Tls } from './listen-address.ts';
import { compressAnswers } from './negotiation.ts';
import { type Problem, sendProblem } from './problem.ts';
import { openReceiver } from './webhooks/receiver.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import type { WebhookDependencies } from './webhooks/webhook.ts';

export interface HttpOptions extends ListenAddress, HttpDependencies {}

/** The dependencies of the server's routes. */
interface HttpDependencies {
  /** Absent: this server receives no webhooks. */
  readonly webhooks?: WebhookDependencies;
  readonly api?: Omit<ApiOptions, 'clock' | 'log'>;
  /** The folder of the built console. Absent: this server has none. */
  readonly consoleFolder?: string;
  readonly clock: Clock;
  readonly log: Log;
}

export interface HttpServer {
  readonly url: string;
  /** Answers running requests, delivers the accepted webhooks, and returns. */
  close(): Promise<void>;
}

/** Another program listens there. */
export class PortTaken extends Error {}

/** Listens. Throws where the port cannot be had (`PortTaken`), or where others than this machine could ask and listen in. */
export async function startHttp({ port, host = '127.0.0.1', tls, ...served }: HttpOptions): Promise<HttpServer> {
  if (!isLoopbackHost(host) && tls === undefined)
    throw new Error(
      `${host} is not this machine, and others could listen in: name a certificate with --tls-cert and --tls-key, or say --tls-by-proxy where a proxy before it has one.`,
    );
  const app = httpApp(served, tls === 'proxy' ? undefined : tls);
  try {
    await app.listen({ port, host });
    return { url: urlOf(app, host, tls), close: () => app.close() };
  } catch (cause) {
    await app.close();
    const isTaken = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
    if (!isTaken) throw new Error(`${cannotListen(host, port)}: ${String(cause)}. ${chooseAnother}`, { cause });
    throw new PortTaken(
      `${cannotListen(host, port)}: another program listens there, perhaps another worker. ${chooseAnother}`,
      {
        cause,
      },
    );
  }
}

const cannotListen = (host: string, port: number): string => `port ${port} of ${host} cannot be had`;
const chooseAnother = 'Choose another with --listen.';

/** Everything but the port: what tests put requests to. */
export function httpApp(
  { webhooks, api, consoleFolder, clock, log }: HttpDependencies,
  tls?: Exclude<ListenAddress['tls'], 'proxy'>,
): FastifyInstance {
  const app = openApp(log, tls);
  if (webhooks !== undefined) {
    const receiver = openReceiver(webhooks, { clock, log });
    webhookRoutes(app, receiver, clock);
    app.addHook('onClose', () => receiver.close());
  }
  if (api !== undefined) serveRoutes(app, { ...api, clock, log });
  if (consoleFolder !== undefined) consoleRoutes(app, consoleFolder);
  return app;
}

function urlOf(app: FastifyInstance, host: string, tls: ListenAddress['tls']): string {
  // why: it listens on a port, and not on a pipe
  const { port } = app.server.address() as AddressInfo;
  return `http${typeof tls === 'object' ? 's' : ''}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * The server without its routes. Bodies come to them as bytes, and no further than the limits. Fastify's own words name the
 * address that was asked for, which may hold a secret: none of them is logged or answered with.
 */
export function openApp(log: Log, tls?: Tls): FastifyInstance {
  const guards = tls === undefined ? securityHeaders : { ...securityHeaders, ...strictTransport };
  const app = fastify({
    logger: false,
    bodyLimit: requestLimits.bodyBytes,
    serverFactory: (handler) => createHttpServer(handler, tls),
    exposeHeadRoutes: false,
    // why: Fastify's own refusal is no problem of RFC 9457; ours is below
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: requestLimits.parameterCharacters },
    frameworkErrors: (_, __, reply) => void sendProblem(reply, notFound),
    clientErrorHandler: (error, socket) => answerParserError(error, socket, guards),
  });
  app.server.on('checkExpectation', (_: IncomingMessage, response: ServerResponse) => {
    const text = JSON.stringify(unknownExpectation);
    response.writeHead(417, { ...rawHeaders(guards), 'content-length': Buffer.byteLength(text) }).end(text);
  });
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ ...guards, 'x-request-id': request.id });
    const refused = isClosing ? stopping : headProblem(request);
    // why: a hook that answers returns the reply, and nothing after it runs
    return refused && sendProblem(reply, refused);
  });
  compressAnswers(app);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(acceptedTypes, { parseAs: 'buffer' }, (_, body, done) => done(null, body));
  app.setNotFoundHandler((_, reply) => sendProblem(reply, notFound));
  app.setErrorHandler<FastifyError>((error, _, reply) => sendProblem(reply, problemOf(error, log, reply)));
  return app;
}

/** The problem in a request's head that prevents reading it. */
function headProblem({ headers, raw }: FastifyRequest): Problem | undefined {
  if (headers.host === undefined && raw.httpVersion === '1.1') return noHost;
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(headers['content-type'] ?? '') ?? [];
  return /^utf-?8$/i.test(charset) ? undefined : otherCharset;
}

/** Answers an error of Node's parser. There is no request object, so this writes the raw response. */
function answerParserError(error: ConnectionError, socket: Socket, guards: Readonly<Record<string, string>>): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem = parserProblems[error.code] ?? { ...badRequest, detail: 'This is no request of HTTP/1.1.' };
  const text = JSON.stringify(problem);
  const headers = Object.entries({ ...rawHeaders(guards), 'content-length': String(Buffer.byteLength(text)) });
  const lines = [`HTTP/1.1 ${problem.status} ${problem.title}`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${text}`);
  socket.destroySoon();
}

const rawHeaders = (guards: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
  ...guards,
  'cache-control': 'no-store',
  'content-type': 'application/problem+json',
  connection: 'close',
});

/** Of every answer: nothing here is a page that loads, frames or is framed, but the docs, which say otherwise for themselves. */
const securityHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

const strictTransport = { 'strict-transport-security': 'max-age=31536000' } as const;

/** Content types of events: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md */
const acceptedTypes = ['application/json', 'application/cloudevents+json', 'application/cloudevents-batch+json'];

function problemOf({ statusCode = 500, code }: FastifyError, log: Log, reply: FastifyReply): Problem {
  const known = problems[statusCode];
  if (known !== undefined) return known;
  if (statusCode < 500) return badRequest;
  // why: the message of an error may hold what was sent
  log.error('request failed', {
    code: code ?? 'unforeseen',
    route: reply.request.routeOptions.url ?? '',
    requestId: reply.request.id,
  });
  return {
    status: 500,
    title: 'Internal Server Error',
    detail: "This is a defect of ours; the server's log has a line.",
  };
}

const badRequest: Problem = { status: 400, title: 'Bad Request', detail: 'The request cannot be understood.' };

const stopping: Problem = {
  status: 503,
  title: 'Service Unavailable',
  detail: 'This server is stopping: ask again, and another one answers.',
  headers: { 'retry-after': '1' },
};

const noHost: Problem = { ...badRequest, detail: 'A request of HTTP/1.1 has a header Host.' };

const otherCharset: Problem = {
  status: 415,
  title: 'Unsupported Media Type',
  detail: 'A body is in UTF-8: leave the charset out, or send utf-8.',
};

const unknownExpectation: Problem = {
  status: 417,
  title: 'Expectation Failed',
  detail: 'The header Expect may say 100-continue, and nothing else.',
};

/** By Node's codes: https://nodejs.org/docs/latest-v24.x/api/http.html#event-clienterror */
const parserProblems: Readonly<Record<string, Problem>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    title: 'Request Header Fields Too Large',
    detail: `The headers have at most ${requestLimits.headerBytes} bytes.`,
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    title: 'Content Too Large',
    detail: 'The extensions of its chunks are longer than is taken.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    title: 'Request Timeout',
    detail: `A request is sent within ${requestLimits.requestMs / 1000} s.`,
  },
};

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
    detail: `A body is JSON: choose ${acceptedTypes[0]} where the sender is set up.`,
  },
};

/** A server that holds its connections to our limits, with TLS or without. */
function createHttpServer(handler: RequestListener, tls: Tls | undefined): Server {
  const { headerBytes, headersMs, requestMs, idleMs, connections, checkMs } = requestLimits;
  const limits = {
    maxHeaderSize: headerBytes,
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: checkMs,
    // why: Node's own refusal is no problem of RFC 9457; ours is above
    requireHostHeader: false,
  };
  const server =
    tls === undefined
      ? createServer(limits, handler)
      : createTlsServer({ ...limits, ...tls, minVersion: 'TLSv1.2' }, handler);
  server.setTimeout(requestMs);
  server.maxConnections = connections;
  return server;
}

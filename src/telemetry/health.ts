import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { messageOf } from '../core/text.ts';
import type { Clock } from '../ports/clock-and-log.ts';
import type { RateLimitLevel } from '../ports/telemetry.ts';

interface HealthOptions {
  /** 0: any free one. */
  readonly port: number;
  /** Default 127.0.0.1: what is shown here is nobody else's business unless the user says so. */
  readonly host?: string;
  readonly state: WorkerState;
}

/** The state that a worker shows. */
export interface WorkerState {
  readonly reaches: readonly Reach[];
  /** Aborted: this worker takes no more, and ends what it has begun. */
  readonly stopping: AbortSignal;
  metrics(): Promise<{ readonly type: string; readonly text: string }>;
  rateLimits(): Promise<readonly RateLimitLevel[]>;
}

interface Health {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * The health of a worker, for operators, on a port of its own:
 *
 *   path      | answer
 *   ----------+---------------------------------------------------------------------------------------------
 *   /livez    | 200 whenever this process gets to answer at all; depends on nothing else
 *   /readyz   | 200, or 503: something is out of reach, or the worker is stopping; which, as JSON
 *   /metrics  | what Prometheus collects
 *   /rate-limits | the rate limits that this worker uses, as JSON: key, level (1: full), slowedUntil (ISO 8601)
 */
export async function startHealth({ port, host = '127.0.0.1', state }: HealthOptions): Promise<Health> {
  const server = createServer(limits, (request, response) => {
    answer(request, state, host)
      .catch(unforeseen)
      .then((reply) => send(response, reply))
      .catch(() => response.destroy());
  });
  server.maxConnections = 64;
  await listening(server, host, port);
  let closing: Promise<void> | undefined;
  return {
    url: urlOf(server),
    close: () => {
      closing ??= end(server);
      return closing;
    },
  };
}

async function end(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

/** Of a question of three words; Node's own limits are for the open internet. */
const limits = { maxHeaderSize: 8192, headersTimeout: 5000, requestTimeout: 5000, keepAliveTimeout: 5000 } as const;

interface Reply {
  readonly status: number;
  readonly type?: string;
  readonly body: string | object;
}

type Route = (state: WorkerState) => Reply | Promise<Reply>;

const routes: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['/livez', () => ({ status: 200, body: { live: true } })],
  ['/readyz', readiness],
  ['/metrics', metrics],
  ['/rate-limits', rateLimits],
]);

async function answer(
  { method, url = '', headers }: IncomingMessage,
  state: WorkerState,
  host: string,
): Promise<Reply> {
  if (isLoopback(host) && !isOwnName(headers.host ?? host, host))
    return { status: 421, body: { error: 'ask by an IP address, or as localhost' } };
  const route = routes.get(url.split('?', 1).join(''));
  if (!route) return { status: 404, body: { error: `there are only ${[...routes.keys()].join(', ')}` } };
  if (method !== 'GET') return { status: 405, body: { error: 'only GET' } };
  return route(state);
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\./.test(host);

/**
 * True if a header Host names this machine. A web page may have a name of its own lead to 127.0.0.1, and then read here what its visitor
 * may read; no page can have an IP address so. Who listens beyond loopback is asked by whatever name its network has.
 */
function isOwnName(given: string, host: string): boolean {
  const name = given
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
  return isIP(name) !== 0 || name === 'localhost' || name === host;
}

function readiness({ reaches, stopping }: WorkerState): Reply {
  const checks = [
    ...reaches.map(({ name, needed, look }) => ({ name, needed, ...look() })),
    {
      name: 'running',
      needed: true,
      ...(stopping.aborted ? { ok: false, reason: 'this worker is stopping' } : { ok: true }),
    },
  ];
  const ready = checks.every(({ ok, needed }) => ok || !needed);
  return { status: ready ? 200 : 503, body: { ready, checks } };
}

async function metrics(state: WorkerState): Promise<Reply> {
  const { type, text } = await state.metrics();
  return { status: 200, type, body: text };
}

async function rateLimits(state: WorkerState): Promise<Reply> {
  return { status: 200, body: { rateLimits: (await state.rateLimits()).map(shown) } };
}

const shown = ({ key, level, slowedUntil }: RateLimitLevel): object => ({
  key,
  level,
  ...(slowedUntil === undefined ? {} : { slowedUntil: new Date(slowedUntil).toISOString() }),
});

const unforeseen = (error: unknown): Reply => ({
  status: 500,
  body: { error: messageOf(error) },
});

function send(response: ServerResponse, { status, type = 'application/json', body }: Reply): void {
  const text = typeof body === 'string' ? body : `${JSON.stringify(body)}\n`;
  const allow = status === 405 ? { allow: 'GET' } : {};
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store', ...allow }).end(text);
}

async function listening(server: Server, host: string, port: number): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const taken = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
    const why = taken ? 'another program listens there, perhaps another worker' : String(cause);
    throw new Error(
      `the health port ${port} of ${host} cannot be had: ${why}. Choose another with --health-port, or 0 for any free one.`,
      { cause },
    );
  }
}

function urlOf(server: Server): string {
  const at = server.address();
  if (typeof at !== 'object' || at === null) throw new Error('the health server listens nowhere');
  return `http://${at.family === 'IPv6' ? `[${at.address}]` : at.address}:${at.port}`;
}

/** True if a required service of a worker has answered lately. */
export interface Reach {
  readonly name: string;
  /** False: it is reported, and the process is ready without it. */
  readonly needed: boolean;
  /** Asks nobody: how often this is read makes no load. */
  look(): Reachability;
  stop(): void;
}

/** `reason`: the last error and its beginning, for people. */
export type Reachability = { readonly ok: true } | { readonly ok: false; readonly reason: string };

interface Reaching {
  /** `database`, `queue`. */
  readonly name: string;
  /** Default true; see `Reach`. */
  readonly needed?: boolean;
  /** One small question. Rejects where there is no answer; one that comes late is none. */
  readonly ping: (signal: AbortSignal) => Promise<unknown>;
  readonly clock: Clock;
}

const everyMs = 2000;
const patienceMs = 3000;
/** A restart of a database is a matter of seconds, and reconciles wait for it: a worker that missed one question is still ready. */
const lateMs = 7000;

/** Asks every two seconds from now on, until stopped. */
export function watchReach({ name, needed = true, ping, clock }: Reaching): Reach {
  const stopped = new AbortController();
  const began = clock.now();
  let last: number | undefined;
  let why = 'not asked yet';

  const ask = async (): Promise<void> => {
    try {
      await answered(ping, clock, stopped.signal);
      last = clock.now();
    } catch (error) {
      why = messageOf(error);
    }
  };

  const watch = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      await ask();
      await clock.sleep(everyMs, stopped.signal).catch(() => undefined);
    }
  };
  void watch();

  return {
    name,
    needed,
    look: () => {
      const silentMs = clock.now() - (last ?? began);
      if (last !== undefined && silentMs <= lateMs) return { ok: true };
      const since = last === undefined ? 'never reached' : `last reached ${Math.round(silentMs / 1000)} s ago`;
      return { ok: false, reason: `${since}: ${why}` };
    },
    stop: () => stopped.abort(),
  };
}

async function answered(ping: Reaching['ping'], clock: Clock, stop: AbortSignal): Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([stop, over.signal]);
  const late = clock.sleep(patienceMs, signal).then(() => {
    throw new Error(`no answer within ${patienceMs / 1000} s`);
  });
  try {
    await Promise.race([ping(signal), late]);
  } finally {
    late.catch(() => undefined);
    over.abort();
  }
}

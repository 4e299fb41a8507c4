import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Clock, Log } from '../ports/clock-and-log.ts';
import { type ApiOptions, apiRoutes } from './api/api-routes.ts';
import { type Door, isLoopbackHost } from './door.ts';
import { openDesk } from './hooks/desk.ts';
import type { Hooks } from './hooks/hook.ts';
import { hookRoutes } from './hooks/routes.ts';
import { openApp } from './open-app.ts';

export interface HttpOptions extends Door, Served {}

/** What is answered there. */
interface Served {
  /** Webhooks and events are heard. */
  readonly hooks?: Hooks;
  readonly api?: Omit<ApiOptions, 'clock' | 'log'>;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Http {
  readonly url: string;
  /** Answers what has been asked, passes on what was taken, and returns. */
  close(): Promise<void>;
}

/** Another program listens there. */
export class PortTaken extends Error {}

/** Listens. Throws where the port cannot be had (`PortTaken`), or where others than this machine could ask and listen in. */
export async function startHttp({ port, host = '127.0.0.1', tls, ...served }: HttpOptions): Promise<Http> {
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
    if (!isTaken) throw new Error(`${refused(host, port)}: ${String(cause)}. ${elsewhere}`, { cause });
    throw new PortTaken(`${refused(host, port)}: another program listens there, perhaps another worker. ${elsewhere}`, {
      cause,
    });
  }
}

const refused = (host: string, port: number): string => `port ${port} of ${host} cannot be had`;
const elsewhere = 'Choose another with --listen.';

/** Everything but the port: what tests put requests to. */
export function httpApp({ hooks, api, clock, log }: Served, tls?: Exclude<Door['tls'], 'proxy'>): FastifyInstance {
  const app = openApp(log, tls);
  if (hooks !== undefined) {
    const desk = openDesk(hooks, { clock, log });
    hookRoutes(app, desk, clock);
    app.addHook('onClose', () => desk.close());
  }
  if (api !== undefined) apiRoutes(app, { ...api, clock, log });
  return app;
}

function urlOf(app: FastifyInstance, host: string, tls: Door['tls']): string {
  // why: it listens on a port, and not on a pipe
  const { port } = app.server.address() as AddressInfo;
  return `http${typeof tls === 'object' ? 's' : ''}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

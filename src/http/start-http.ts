import type { FastifyInstance } from 'fastify';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { openDesk } from './hooks/desk.ts';
import type { Hooks } from './hooks/hook.ts';
import { hookRoutes } from './hooks/routes.ts';
import { openApp } from './open-app.ts';

export interface HttpOptions {
  /** 0: any free one. */
  readonly port: number;
  /** Of this machine only; default 127.0.0.1. What is to be reached from outside stands behind a proxy with TLS. */
  readonly host?: string;
  readonly hooks: Hooks;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Http {
  readonly url: string;
  /** Answers what has been asked, passes on what was taken, and returns. */
  close(): Promise<void>;
}

/** Listens for webhooks and events. Throws where the port cannot be had, or the host is not this machine. */
export async function startHttp({ port, host = '127.0.0.1', ...around }: HttpOptions): Promise<Http> {
  if (!/^(127(\.\d{1,3}){3}|::1|localhost)$/.test(host))
    throw new Error(`${host} is not this machine: Setpoint listens on 127.0.0.1, and a proxy with TLS before it.`);
  const app = httpApp(around);
  try {
    return { url: await app.listen({ port, host }), close: () => app.close() };
  } catch (cause) {
    await app.close();
    const taken = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
    const why = taken ? 'another program listens there, perhaps another worker' : String(cause);
    throw new Error(`port ${port} of ${host} cannot be had: ${why}. Choose another with --listen.`, { cause });
  }
}

/** Everything but the port: what tests put requests to. */
export function httpApp({ hooks, clock, log }: Pick<HttpOptions, 'hooks' | 'clock' | 'log'>): FastifyInstance {
  const app = openApp(log);
  const desk = openDesk(hooks, { clock, log });
  hookRoutes(app, desk, clock);
  app.addHook('onClose', () => desk.close());
  return app;
}

import type { Listen } from '../cli/house.ts';
import type { Access } from '../core/access/access-document.ts';
import { isLoopbackHost } from '../http/door.ts';
import type { Hooks } from '../http/hooks/hook.ts';
import { type Http, PortTaken, startHttp } from '../http/start-http.ts';
import { readTls } from '../http/tls-files.ts';
import { readAccess } from './access.ts';
import { type ApiGround, apiOn } from './api.ts';
import { firstToken, hasToken } from './first-token.ts';
import { openReaches } from './reaches.ts';

/** What is opened where somebody may ask. */
export interface Front {
  readonly url?: string;
  /** Made because there was none: to be shown once. */
  readonly firstToken?: string;
  close(): Promise<void>;
}

export interface Behind {
  readonly ground: ApiGround;
  /** Absent: no webhooks are heard here. */
  readonly hooks?: Hooks;
  /** Whether database and process are one person's own, on this machine. */
  readonly isAlone: boolean;
}

/**
 * Opens the API, and webhooks beside it. Beyond this machine only with TLS, or a proxy that has it, and only where somebody can
 * prove who they are. A port that nobody asked for by name, and that is taken, is done without.
 */
export async function openFront(listen: Listen, behind: Behind): Promise<Front> {
  const { ground, isAlone } = behind;
  const access = listen.access === undefined ? undefined : await readAccess(listen.access);
  const isOpen = !isLoopbackHost(listen.host);
  if (isOpen && access === undefined && !(await hasToken(ground.store, ground.clock)))
    throw new Error(nobodyKnown(listen.host));
  const reaches = openReaches(ground, 'api');
  try {
    const http = await startHere(listen, { ...behind, reaches: reaches.all, access });
    const token = isAlone && !isOpen && access === undefined ? await firstToken(ground.store, ground.clock) : undefined;
    ground.log.info('the API is served', { url: http.url });
    return {
      url: http.url,
      ...(token === undefined ? {} : { firstToken: token }),
      close: () => http.close().finally(reaches.stop),
    };
  } catch (error) {
    reaches.stop();
    if (!(error instanceof PortTaken) || listen.isNamed) throw error;
    ground.log.warn('THE API IS NOT SERVED: its usual port is taken', { why: error.message });
    return { close: async () => {} };
  }
}

type Opening = Behind & {
  readonly access: Access | undefined;
  readonly reaches: Parameters<typeof apiOn>[1]['reaches'];
};

async function startHere({ host, port, tls }: Listen, { ground, hooks, ...around }: Opening): Promise<Http> {
  const { clock, log } = ground;
  return startHttp({
    host,
    port,
    ...(tls === undefined ? {} : { tls: tls === 'proxy' ? tls : await readTls(tls) }),
    ...(hooks === undefined ? {} : { hooks }),
    api: apiOn(ground, around),
    clock,
    log,
  });
}

const nobodyKnown = (host: string): string =>
  `${host} is not this machine, and nobody could prove who they are: make a token first (setpoint token make), or name whom to believe with --access.`;

import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';

/** Stands before a `setpoint serve` as a network that fails and is slow: it changes nothing of what passes. */
export interface Gateway {
  readonly url: string;
  /** Ends the event streams and refuses requests to the API, as a server that is away. */
  cut(): void;
  mend(): void;
  /** Answers the next requests to a path with this problem; undefined: as the API answers. */
  refuse(path: string, status: number | undefined): void;
  /** Holds answers of the API back for so long. */
  slow(ms: number): void;
  close(): Promise<void>;
}

export async function openGateway(api: string): Promise<Gateway> {
  const open = new Set<ServerResponse>();
  const refused = new Map<string, number>();
  const state = { isCut: false, delayMs: 0 };

  const toApi = (asked: IncomingMessage, answer: ServerResponse): void => {
    const { pathname } = new URL(asked.url ?? '/', api);
    const status = refused.get(pathname);
    if (state.isCut) asked.socket.destroy();
    else if (status !== undefined) problem(answer, status);
    else pass(asked, answer, api);
  };
  const server = createServer((asked, answer) => {
    open.add(answer);
    answer.on('close', () => open.delete(answer));
    if (!asked.url?.startsWith('/v1/')) pass(asked, answer, api);
    else if (state.delayMs === 0) toApi(asked, answer);
    else setTimeout(() => toApi(asked, answer), state.delayMs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the gateway has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    cut: () => {
      state.isCut = true;
      for (const one of open) one.destroy();
    },
    mend: () => {
      state.isCut = false;
    },
    refuse: (path, status) => void (status === undefined ? refused.delete(path) : refused.set(path, status)),
    slow: (ms) => {
      state.delayMs = ms;
    },
    close: async () => {
      for (const one of open) one.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function pass(asked: IncomingMessage, answer: ServerResponse, api: string): void {
  const upstream = request(
    new URL(asked.url ?? '/', api),
    { method: asked.method, headers: asked.headers },
    (found) => {
      answer.writeHead(found.statusCode ?? 502, found.headers);
      answer.flushHeaders();
      found.pipe(answer);
    },
  );
  upstream.on('error', () => answer.destroy());
  answer.on('close', () => upstream.destroy());
  asked.pipe(upstream);
}

function problem(answer: ServerResponse, status: number): void {
  const body = { status, title: `Refused with ${status}`, detail: 'The test asked for this' };
  answer.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify(body));
}

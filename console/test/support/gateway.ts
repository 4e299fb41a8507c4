import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';

/** Stands before a `setpoint serve` as a network that fails and is slow: it changes nothing of what passes. */
export interface Gateway {
  readonly url: string;
  /** Ends the event streams and refuses requests to the API, as a server that is away. */
  cut(): void;
  /** Undoes whatever a test did. */
  mend(): void;
  /** Ends the event streams once; the next ones pass. */
  drop(): void;
  /** Answers the next requests to a path with this problem; undefined: as the API answers. */
  refuse(path: string, status: number | undefined): void;
  /** The API carries out requests to a path, and all answers are lost. Chromium by itself sends one again on a connection in use. */
  loseAnswers(path: string): void;
  /** Holds requests to a path back until the returned function is called. */
  hold(path: string): () => void;
  /** The requests to a path until now. */
  count(path: string): number;
  close(): Promise<void>;
}

export async function openGateway(api: string): Promise<Gateway> {
  const open = new Set<ServerResponse>();
  const refused = new Map<string, number>();
  const held = new Map<string, (() => void)[]>();
  const counts = new Map<string, number>();
  const state: { isCut: boolean; lost?: string | undefined } = { isCut: false };

  const toApi = (asked: IncomingMessage, answer: ServerResponse): void => {
    const { pathname } = new URL(asked.url ?? '/', api);
    const status = refused.get(pathname);
    if (state.isCut) asked.socket.destroy();
    else if (status !== undefined) problem(answer, status);
    else if (state.lost === pathname) carryOut(asked, answer, api);
    else pass(asked, answer, api);
  };
  const server = createServer((asked, answer) => {
    open.add(answer);
    answer.on('close', () => open.delete(answer));
    const { pathname } = new URL(asked.url ?? '/', api);
    counts.set(pathname, (counts.get(pathname) ?? 0) + 1);
    const waiting = held.get(pathname);
    if (!pathname.startsWith('/v1/')) pass(asked, answer, api);
    else if (waiting === undefined) toApi(asked, answer);
    else waiting.push(() => toApi(asked, answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the gateway has no port');
  const release = (path: string): void => {
    const waiting = held.get(path) ?? [];
    held.delete(path);
    for (const go of waiting) go();
  };
  const drop = (): void => {
    for (const one of open) one.destroy();
  };
  return {
    url: `http://127.0.0.1:${address.port}`,
    cut: () => {
      state.isCut = true;
      drop();
    },
    mend: () => {
      state.isCut = false;
      state.lost = undefined;
      refused.clear();
      for (const path of held.keys()) release(path);
    },
    drop,
    refuse: (path, status) => void (status === undefined ? refused.delete(path) : refused.set(path, status)),
    loseAnswers: (path) => {
      state.lost = path;
    },
    hold: (path) => {
      held.set(path, []);
      return () => release(path);
    },
    count: (path) => counts.get(path) ?? 0,
    close: async () => {
      drop();
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

function carryOut(asked: IncomingMessage, answer: ServerResponse, api: string): void {
  const upstream = request(
    new URL(asked.url ?? '/', api),
    { method: asked.method, headers: asked.headers },
    (found) => {
      found.resume();
      found.on('end', () => answer.destroy());
    },
  );
  upstream.on('error', () => answer.destroy());
  asked.pipe(upstream);
}

function problem(answer: ServerResponse, status: number): void {
  const body = { status, title: `Refused with ${status}`, detail: 'The test asked for this' };
  answer.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify(body));
}

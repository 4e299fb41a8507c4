import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';

/**
 * The console's files and the API under one origin, with a session by cookie: the contract that the console is written
 * against. `api`: the address of a `setpoint serve`.
 */
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

const dist = join(import.meta.dirname, '../../dist');

export const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export async function openGateway(api: string): Promise<Gateway> {
  const open = new Set<ServerResponse>();
  const refused = new Map<string, number>();
  const state = { isCut: false, delayMs: 0 };

  const toApi = (asked: IncomingMessage, answer: ServerResponse): void => {
    const { pathname } = new URL(asked.url ?? '/', api);
    const status = refused.get(pathname);
    if (state.isCut) asked.socket.destroy();
    else if (status !== undefined) problem(answer, status);
    else if (pathname === '/v1/session') void session(asked, answer, api);
    else pass(asked, answer, api);
  };
  const server = createServer((asked, answer) => {
    open.add(answer);
    answer.on('close', () => open.delete(answer));
    if (!asked.url?.startsWith('/v1/')) void file(asked, answer);
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

/** The same request to the API, with the credential of the cookie. */
function pass(asked: IncomingMessage, answer: ServerResponse, api: string): void {
  const headers = { ...asked.headers, host: new URL(api).host, ...authorization(asked) };
  const upstream = request(new URL(asked.url ?? '/', api), { method: asked.method, headers }, (found) => {
    answer.writeHead(found.statusCode ?? 502, found.headers);
    answer.flushHeaders();
    found.pipe(answer);
  });
  upstream.on('error', () => answer.destroy());
  answer.on('close', () => upstream.destroy());
  asked.pipe(upstream);
}

async function file({ url = '/' }: IncomingMessage, answer: ServerResponse): Promise<void> {
  const path = normalize(new URL(url, 'http://localhost').pathname);
  const name = path.startsWith('/assets/') ? path : '/index.html';
  const body = await readFile(join(dist, name)).catch(() => undefined);
  if (body === undefined) return void answer.writeHead(404).end();
  answer.writeHead(200, { 'content-type': types[extname(name)], 'content-security-policy': policy }).end(body);
}

const cookieOf = ({ headers: { cookie = '' } }: IncomingMessage): string | undefined =>
  /(?:^|; )session=(\S+?)(?:;|$)/.exec(cookie)?.[1];

function authorization(asked: IncomingMessage): { readonly authorization?: string } {
  const token = cookieOf(asked);
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

async function session(asked: IncomingMessage, answer: ServerResponse, api: string): Promise<void> {
  const ended = 'session=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0';
  if (asked.headers['sec-fetch-site'] !== 'same-origin') return void problem(answer, 403);
  if (asked.method === 'DELETE') return void answer.writeHead(204, { 'set-cookie': ended }).end();
  let text = '';
  for await (const piece of asked) text += String(piece);
  const { token } = JSON.parse(text);
  const { status } = await fetch(`${api}/v1/whoami`, { headers: { authorization: `Bearer ${token}` } });
  if (status !== 200) return void problem(answer, 401);
  const cookie = `session=${token}; HttpOnly; SameSite=Strict; Path=/`;
  answer.writeHead(200, { 'set-cookie': cookie, 'content-type': 'application/json' }).end('{}');
}

function problem(answer: ServerResponse, status: number): void {
  const body = { status, title: `Refused with ${status}`, detail: 'The test asked for this' };
  answer.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify(body));
}

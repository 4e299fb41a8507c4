import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Outcome } from './exchange.ts';
import type { WireRequest } from './protocol.ts';

export interface Listening {
  readonly url: string;
  close(): Promise<void>;
}

export interface ServerOptions {
  readonly host?: string;
  readonly port?: number;
  readonly respond: (request: WireRequest) => Promise<Outcome>;
  /** Every answer ends its connection: what stands between holds on to none of a server that has been closed. */
  readonly onePerConnection?: boolean;
}

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);

const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Serves on loopback only. `'cut'` destroys the connection without an answer. */
export async function listen(options: ServerOptions): Promise<Listening> {
  const { host = '127.0.0.1', port = 0, respond, onePerConnection = false } = options;
  if (!LOOPBACK.has(host)) throw new Error(`the sandbox listens on loopback only, not on ${host}`);
  const server = createServer({ keepAliveTimeout: 60_000 }, (message, response) => {
    serve(respond, message, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' });
      response.end(`sandbox defect: ${error instanceof Error ? error.stack : String(error)}\n`);
    });
  });
  server.maxRequestsPerSocket = onePerConnection ? 1 : 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return { url: urlOf(server), close: () => closed(server) };
}

async function serve(
  respond: ServerOptions['respond'],
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const outcome = await respond(await read(message));
  if (outcome === 'cut') {
    message.socket.destroy();
    return;
  }
  response.writeHead(outcome.status, { ...outcome.headers, 'content-length': Buffer.byteLength(outcome.body) });
  response.end(outcome.body);
}

async function read(message: IncomingMessage): Promise<WireRequest> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message) {
    const bytes: Buffer = chunk;
    size += bytes.length;
    if (size > MAX_BODY_BYTES) throw new Error('request body over 64 MiB');
    chunks.push(bytes);
  }
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(message.headers))
    if (value !== undefined) headers[name] = [value].flat().join(',');
  return {
    method: message.method ?? 'GET',
    path: message.url ?? '/',
    headers,
    body: Buffer.concat(chunks).toString('utf8'),
    from: message.socket.remoteAddress,
  };
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo; // why: a listening TCP server has no other form
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()));
    server.closeAllConnections();
  });
}

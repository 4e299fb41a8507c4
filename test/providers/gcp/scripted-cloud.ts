import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gcp } from '../../../providers/gcp/index.ts';
import type { Clock } from '../../../src/ports/clock-and-log.ts';
import type { Access, Session } from '../../../src/ports/provider.ts';

/** One request as it came. */
export interface Asked {
  readonly method: string;
  /** Without the version and the project: `global/networks`. */
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

/** The answer to a request. `lost`: none, and the connection is cut; `never`: none at all. */
export type Scripted =
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body: string | object }
  | 'lost'
  | 'never';

/** A server that answers as a test says: where a sandbox would have to be faulty. */
export interface ScriptedCloud {
  readonly asked: readonly Asked[];
  /** 12:00:15.000 of some day, and standing still. */
  readonly clock: Clock & { readonly slept: readonly number[] };
  open(over?: Partial<Access>): Promise<Session>;
  close(): Promise<void>;
}

export async function scriptedCloud(answer: (asked: Asked) => Scripted): Promise<ScriptedCloud> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const one = await read(request);
    asked.push(one);
    const said = answer(one);
    if (said === 'never') return;
    if (said === 'lost') {
      request.socket.destroy();
      return;
    }
    const { status = 200, headers = {}, body } = said;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // why: it listens on a port, so its address is one
  const { port } = server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  const slept: number[] = [];
  const clock: ScriptedCloud['clock'] = {
    slept,
    now: () => Date.UTC(2026, 10, 21, 12, 0, 15),
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      slept.push(ms);
    },
  };
  return {
    asked,
    clock,
    open: (over = {}) =>
      gcp.open({ scope: 'gcp/acme', account: 'acme', region: 'europe-west1', endpoint, ...over }, clock),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function read(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const path = (request.url ?? '').replace('/compute/v1/projects/acme', '').replace(/^\/|\?.*$/g, '');
  return {
    method: request.method ?? '',
    path,
    authorization: request.headers.authorization,
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

/** The cloud's own form of a refusal. */
export const refusal = (status: number, reason: string, message = 'no'): Scripted => ({
  status,
  body: { error: { code: status, message, errors: [{ message, domain: 'global', reason }] } },
});

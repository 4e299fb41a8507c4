import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, makeClient } from '../../../providers/azure/client.ts';
import type { Clock } from '../../../src/ports/clock-and-log.ts';

export const account = 'aaaa0000-1111-2222-3333-444455556666';
export const scope = `azure/${account}/westeurope`;
export const at = (path: string): string => `/subscriptions/${account}/${path}`;
export const network = (path: string): string => at(`resourceGroups/rg/providers/Microsoft.Network/${path}`);

/** A received request, without the SDK's usual additions. `path` is without the query. */
export interface Came {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** `'reset'`: the connection is cut without an answer; `'hang'`: none ever comes. */
export type Reply =
  | 'reset'
  | 'hang'
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown };

/** A cloud that gives a test's answers, and records the requests. */
export interface ScriptedArm {
  readonly url: string;
  readonly came: Came[];
  readonly clock: Clock & { readonly slept: number[] };
  open(): Promise<Client>;
  close(): Promise<void>;
}

export async function scriptedArm(answer: (came: Came, nth: number) => Reply): Promise<ScriptedArm> {
  const came: Came[] = [];
  const server = createServer((request, response) => {
    void received(request).then((one) => {
      came.push(one);
      reply(answer(one, came.length), response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // why: a server that listens on a port has the address of one
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clock = sleepless();
  return {
    url,
    came,
    clock,
    open: () => makeClient({ scope, account, region: 'westeurope', endpoint: url }, clock),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function received(request: IncomingMessage): Promise<Came> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  const path = new URL(request.url ?? '', 'http://x').pathname;
  return { method: request.method ?? '', path, headers: request.headers, body };
}

function reply(given: Reply, response: ServerResponse): void {
  if (given === 'hang') return;
  if (given === 'reset') return void response.destroy();
  const { status = 200, headers = {}, body } = given;
  response.writeHead(status, { 'content-type': 'application/json', 'x-ms-request-id': 'req-1', ...headers });
  response.end(body === undefined ? '' : JSON.stringify(body));
}

/** Time that passes as soon as somebody waits for it. */
function sleepless(): ScriptedArm['clock'] {
  const slept: number[] = [];
  let now = 1_700_000_000_000;
  return {
    slept,
    now: () => now,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      slept.push(ms);
      now += ms;
    },
  };
}

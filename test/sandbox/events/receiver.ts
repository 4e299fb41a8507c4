import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  // biome-ignore lint/suspicious/noExplicitAny: events of three clouds, looked into by tests
  readonly body: any; // why: events of three clouds, looked into by tests
}

export interface Receiver {
  readonly url: string;
  /** All so far, oldest first. One that was taken and comes again, as its answer was late on a busy machine, is left out. */
  readonly received: readonly Received[];
  /** Statuses of the next answers; after those, 200. */
  readonly statuses: number[];
  /** The first `count`, when there are so many. */
  first(count: number): Promise<readonly Received[]>;
  /** One by its index, when it is there. */
  at(index: number): Promise<Received>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A server that hears events, and answers the handshake of Event Grid as one must. */
export async function receiver(): Promise<Receiver> {
  const received: Received[] = [];
  const statuses: number[] = [];
  const taken = new Set<string>();
  const server = createServer((message, response) => {
    read(message).then(
      (each) => {
        response.statusCode = statuses.shift() ?? 200;
        response.end(JSON.stringify({ validationResponse: each.body?.[0]?.data?.validationCode }));
        const id = idOf(each);
        if (taken.has(id)) return;
        if (response.statusCode === 200) taken.add(id);
        received.push(each);
        server.emit('received');
      },
      (error: unknown) => void server.emit('error', error),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // why: a listening TCP server has no other form
  const first = async (count: number): Promise<readonly Received[]> => {
    while (received.length < count) await once(server, 'received');
    return received.slice(0, count);
  };
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    statuses,
    first,
    at: async (index) => (await first(index + 1))[index] ?? assert.fail('nothing there'),
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

export interface Listened<B> {
  readonly made: B;
  readonly heard: Receiver;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A bench with a sandbox that sends to a receiver at `url`. */
export async function listening<B extends AsyncDisposable>(make: (url: string) => Promise<B>): Promise<Listened<B>> {
  const heard = await receiver();
  const made = await make(heard.url);
  return {
    made,
    heard,
    [Symbol.asyncDispose]: async () => {
      await made[Symbol.asyncDispose]();
      await heard[Symbol.asyncDispose]();
    },
  };
}

/** Of Pub/Sub, EventBridge and Event Grid, in this order. */
const idOf = ({ body }: Received): string =>
  String(body.message?.messageId ?? body.id ?? body[0]?.id ?? assert.fail('an event has an id'));

async function read(message: IncomingMessage): Promise<Received> {
  let text = '';
  for await (const chunk of message.setEncoding('utf8')) text += chunk;
  return { path: message.url ?? '', headers: message.headers, body: JSON.parse(text) };
}

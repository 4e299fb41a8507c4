import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { type RequestSchema, type RouteRequest, route } from '../../../src/http/api/route.ts';
import { startHttp } from '../../../src/http/server.ts';
import { silent } from '../../support/fleet-world.ts';
import { memoryDatabase } from '../../support/memory-store.ts';
import { virtualClock } from '../../support/virtual-clock.ts';
import { callerOf } from './support/api-world.ts';

type Make = (by: RouteRequest<RequestSchema>['context']) => AsyncIterable<string>;

/** A real server with one route. `make` produces its answer. */
async function serving(make: Make) {
  const clock = virtualClock();
  const long = route({
    method: 'GET',
    path: '/v1/long',
    operation: {
      id: 'readLong',
      tag: 'Long',
      summary: 'Long',
      responses: { 200: { description: 'It', type: 'text/plain' } },
    },
    permission: 'read',
    request: {},
    handle: async ({ context }) => ({ status: 200, chunks: make(context) }),
  });
  const { idempotentResponses } = memoryDatabase(clock).connect();
  const api = { routes: [long], authenticate: async () => callerOf('viewer'), idempotentResponses };
  const { log } = silent(() => {});
  const http = await startHttp({ port: 0, api, clock, log });
  const sockets: Socket[] = [];
  return {
    http,
    clock,
    ask: async () => {
      const socket = await asked(Number(new URL(http.url).port));
      sockets.push(socket);
      return socket;
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await http.close();
    },
  };
}

/** Asks, and reads nothing until somebody listens. */
async function asked(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.pause();
  socket.write('GET /v1/long HTTP/1.1\r\nhost: a\r\nauthorization: Bearer a\r\n\r\n');
  return socket;
}

/** The text that arrives from now on. */
function heard(socket: Socket): () => string {
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  socket.resume();
  return () => text;
}

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise(setImmediate);
};

describe('a long answer', () => {
  it('is made no faster than it is read, and no more once its reader has gone', { timeout: 120_000 }, async () => {
    let made = 0;
    let ended = false;
    let signal: AbortSignal | undefined;
    await using server = await serving(async function* ({ signal: gone }) {
      signal = gone;
      try {
        for (;;) {
          made += 1;
          yield 'x'.repeat(64 * 1024);
        }
      } finally {
        ended = true;
      }
    });
    const { ask } = server;
    const socket = await ask();
    let before = -1;
    await until(() => made > 0);
    // why: it stands still once the sockets of both sides are full
    while (before !== made) {
      before = made;
      for (let turns = 0; turns < 200; turns += 1) await new Promise(setImmediate);
    }
    assert.ok(made < 500, `${made} pieces of 64 KiB for somebody who reads none`);
    socket.destroy();
    await until(() => ended);
    assert.equal(signal?.aborted, true);
  });

  it('ends when the server stops: one that heeds the signal at once, others are cut off', {
    timeout: 120_000,
  }, async () => {
    const waits: (() => void)[] = [];
    await using server = await serving(async function* ({ signal }) {
      yield 'begun\n';
      const stubborn = waits.length > 0;
      await new Promise<void>((resolve) => {
        waits.push(resolve);
        if (!stubborn) signal.addEventListener('abort', () => resolve());
      });
      yield 'ended\n';
    });
    const { http, clock, ask } = server;
    const polite = await ask();
    const texts = [heard(polite)];
    await until(() => waits.length === 1);
    const stubborn = await ask();
    texts.push(heard(stubborn));
    await until(() => waits.length === 2);
    const cut = once(stubborn, 'close');
    const closed = http.close();
    await once(polite, 'close');
    assert.match(texts[0]?.() ?? '', /begun[\s\S]*ended[\s\S]*\r\n0\r\n\r\n$/);
    await clock.advance(2_000);
    await Promise.all([cut, closed]);
    assert.doesNotMatch(texts[1]?.() ?? '', /ended/);
    for (const wake of waits) wake();
  });
});

describe('many long answers', () => {
  it('are had by 300 at once, and there is room for others', { timeout: 120_000 }, async () => {
    let open = 0;
    await using server = await serving(async function* ({ signal }) {
      open += 1;
      yield 'begun\n';
      await once(signal, 'abort');
    });
    const { http, clock, ask } = server;
    for (let index = 0; index < 300; index += 1) {
      if (index % 100 === 0) await clock.advance(1_000);
      (await ask()).resume();
    }
    await until(() => open === 300);
    assert.equal((await fetch(`${http.url}/openapi.json`)).status, 200);
    await http.close();
  });
});

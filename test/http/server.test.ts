import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { startHttp } from '../../src/http/server.ts';
import { type Answer, frontOf, secret } from './support/front.ts';
import { eventgrid, github, gridEvent, gridValidation, type Sent } from './support/sent.ts';

const mebibyte = 1024 * 1024;

function assertProblem({ status, headers, text }: Answer, wanted: number): void {
  assert.equal(status, wanted);
  assert.match(String(headers['content-type']), /^application\/problem\+json/);
  const problem = JSON.parse(text);
  assert.equal(problem.status, wanted);
  assert.deepEqual(Object.keys(problem), ['status', 'title', 'detail']);
  assert.equal(headers['cache-control'], 'no-store');
}

describe('how much is read', () => {
  it('a body of 1 MiB', async () => {
    const body = `{"pad":"${'x'.repeat(mebibyte - 10)}"}`;
    assert.equal(body.length, mebibyte);
    assert.equal((await frontOf().send('github', github(secret, body))).status, 202);
  });

  it('not a byte more, however it is signed and whether the hook is there', async () => {
    const front = frontOf();
    const sent = github(secret, 'x'.repeat(mebibyte + 1));
    for (const hook of ['github', 'nobody']) assertProblem(await front.send(hook, sent), 413);
    assert.equal(front.counts.active, 0);
  });

  it('64 KiB of a handshake', async () => {
    const front = frontOf();
    const events = (pad: number) => JSON.stringify([{ ...gridEvent('g-1'), pad: 'x'.repeat(pad) }]);
    const { body, ...sent } = gridValidation(secret);
    assert.ok(body);
    assert.equal(
      (await front.send('eventgrid', { ...sent, body: `${body}${' '.repeat(65_536 - body.length)}` })).status,
      200,
    );
    for (const hook of ['eventgrid', 'nobody'])
      assertProblem(await front.send(hook, { ...sent, body: events(65_536) }), 413);
    const options = { method: 'OPTIONS', headers: eventgrid(secret).headers, body: events(65_536) } as const;
    assertProblem(await front.send('eventgrid', options), 413);
  });
});

describe('what is read', () => {
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/xml',
    'multipart/form-data; boundary=x',
  ])
    it(`no ${type}, whether the hook is there or not`, async () => {
      const front = frontOf();
      const sent = github(secret);
      for (const hook of ['github', 'nobody'])
        assertProblem(await front.send(hook, { ...sent, headers: { ...sent.headers, 'content-type': type } }), 415);
      assert.equal(front.counts.active, 0);
    });
});

describe('in which letters', () => {
  for (const [charset, status] of [
    ['utf-8', 202],
    ['"UTF-8"', 202],
    ['utf8', 202],
    ['iso-8859-1', 415],
    ['UTF-16', 415],
    ['', 415],
  ] as const)
    it(`charset=${charset}: ${status}`, async () => {
      const sent = github(secret);
      const type = `application/json; charset=${charset}`;
      const answer = await frontOf().send('github', { ...sent, headers: { ...sent.headers, 'content-type': type } });
      if (status === 415) assertProblem(answer, status);
      else assert.equal(answer.status, status);
    });
});

describe('what is answered', () => {
  const methods: readonly Sent['method'][] = ['GET', 'PUT', 'PATCH', 'DELETE'];
  for (const method of methods)
    it(`${method}: only POST, of any hook`, async () => {
      const front = frontOf();
      for (const hook of ['github', 'nobody']) {
        const answer = await front.send(hook, { method: method ?? 'GET', headers: {} });
        assertProblem(answer, 405);
        assert.equal(answer.headers['allow'], 'POST, OPTIONS');
      }
    });

  for (const address of [
    '/',
    '/v1/hooks',
    '/v1/hooks/acme',
    '/v1/hooks/acme/github/x',
    '/v1/hooks/acme/github/',
    '/v1/hooks/%zz/x',
    `/v1/hooks/acme/${'x'.repeat(101)}`,
  ])
    it(`${address.slice(0, 40)}: nothing there, and nothing of the address`, async () => {
      const answer = await frontOf().send('', { ...github(secret), address, query: '?code=k4nari' });
      assertProblem(answer, 404);
      assert.ok(!answer.text.includes('k4nari') && !answer.text.includes('hooks'));
    });

  it('the store is away: come again, and the delivery is not lost', async () => {
    let away = true;
    const front = frontOf({
      wired: {
        firstDeliveries: async (_estate, _hook, ids) => {
          if (away) throw new Error('connection refused');
          return ids.map(() => true);
        },
      },
    });
    const answer = await front.send('github', github(secret));
    assertProblem(answer, 503);
    assert.equal(answer.headers['retry-after'], '5');
    away = false;
    assert.deepEqual(JSON.parse((await front.send('github', github(secret))).text), { accepted: 1, repeated: 0 });
  });

  it('another worker has taken it: a replay', async () => {
    const front = frontOf({ wired: { firstDeliveries: async (_estate, _hook, ids) => ids.map(() => false) } });
    const answer = await front.send('github', github(secret));
    assert.deepEqual([answer.status, JSON.parse(answer.text)], [202, { accepted: 0, repeated: 1 }]);
    await front.settle();
    assert.deepEqual(front.counts.wakeUps, []);
  });

  it('nobody knows which hooks there are: come again', async () => {
    const front = frontOf({ wired: { activeWebhooks: () => Promise.reject(new Error('away')) } });
    assertProblem(await front.send('github', github(secret)), 503);
    assertProblem(await front.send('nobody', github(secret)), 503);
  });
});

describe('how much a hook may bring', () => {
  it('2,000 at once, then 10 a second; what was refused may come again', async () => {
    const front = frontOf();
    const bring = (index: number) => front.send('github', github(secret, `{"after":${index}}`));
    for (let i = 0; i < 2_000; i += 1) assert.equal((await bring(i)).status, 202);
    const refused = await bring(2_000);
    assertProblem(refused, 429);
    assert.equal(refused.headers['retry-after'], '1');
    await front.clock.advance(1_000);
    const statuses: number[] = [];
    for (let i = 2_000; i < 2_011; i += 1) statuses.push((await bring(i)).status);
    assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 202), 429]);
  });

  it('what is forged or repeated uses up nothing', async () => {
    const front = frontOf();
    for (let i = 0; i < 3_000; i += 1) {
      assert.equal((await front.send('github', github('another', `{"after":${i}}`))).status, 401);
      assert.equal((await front.send('github', github(secret))).status, 202);
    }
    assert.equal((await front.send('github', github(secret, '{"after":"new"}'))).status, 202);
    assert.equal(front.counts.firsts, 2);
  });

  it('a large one counts as several', async () => {
    const front = frontOf();
    const large = (index: number) => github(secret, `{"after":${index},"pad":"${'x'.repeat(mebibyte - 100)}"}`);
    const statuses: number[] = [];
    for (let i = 0; i < 33; i += 1) statuses.push((await front.send('github', large(i))).status);
    assert.deepEqual(statuses.filter((status) => status === 202).length, 31);
  });

  it('each hook for itself', async () => {
    const front = frontOf();
    for (let i = 0; i < 2_001; i += 1) await front.send('github', github(secret, `{"after":${i}}`));
    assert.equal((await front.send('eventgrid', eventgrid(secret))).status, 202);
  });
});

const webhooks = {
  allowOwnKeys: false,
  activeWebhooks: async () => [
    {
      estate: 'acme',
      scopes: [],
      webhooks: [{ name: 'github', from: 'github', secret: { env: 'SETPOINT_SECRET_X' } } as const],
    },
  ],
  resolveSecret: async () => secret,
  firstDeliveries: async (_estate: string, _hook: string, ids: readonly string[]) => ids.map(() => true),
  repositoryMoved: async () => {},
  handleEvents: async () => {},
};
const clock = { now: () => Date.now(), sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)) };
const silent = { debug() {}, info() {}, warn() {}, error() {}, with: () => silent };

describe('where it listens', () => {
  it('on this machine, until it is closed; what was taken is passed on first', async (t) => {
    const wakeUps: string[] = [];
    const http = await startHttp({
      port: 0,
      clock,
      log: silent,
      webhooks: { ...webhooks, repositoryMoved: async (estate) => void wakeUps.push(estate) },
    });
    t.after(http.close);
    assert.match(http.url, /^http:\/\/127\.0\.0\.1:\d+$/);
    const { headers, body = '' } = github(secret);
    const answer = await fetch(`${http.url}/v1/hooks/acme/github`, { method: 'POST', headers, body });
    assert.equal(answer.status, 202);
    await http.close();
    assert.deepEqual(wakeUps, ['acme']);
    await assert.rejects(fetch(`${http.url}/v1/hooks/acme/github`, { method: 'POST' }));
  });

  for (const host of ['0.0.0.0', '::', '10.0.0.1', 'example.com', '127.0.0.1.example.com'])
    it(`nowhere else: ${host}`, () =>
      assert.rejects(startHttp({ port: 0, host, clock, log: silent, webhooks }), { message: /is not this machine/ }));

  it('nowhere where the port is taken: what to do', async (t) => {
    const http = await startHttp({ port: 0, clock, log: silent, webhooks });
    t.after(http.close);
    const port = Number(new URL(http.url).port);
    await assert.rejects(startHttp({ port, clock, log: silent, webhooks }), {
      message: new RegExp(`port ${port} of 127.0.0.1 .*another worker.*--listen`),
    });
  });

  const unread: readonly (readonly [name: string, request: string, status: number])[] = [
    ['headers of more than 16 KiB', `GET / HTTP/1.1\r\nx: ${'k4nari'.repeat(3000)}\r\n\r\n`, 431],
    ['none that can be read', 'k4nari?code=k4nari\r\n\r\n', 400],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['a chunk without a length', 'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nk4nari\r\n\r\n', 400],
    ['a length that is none', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: k4nari\r\n\r\n', 400],
    ['no host', 'GET /k4nari HTTP/1.1\r\nconnection: close\r\n\r\n', 400],
    ['another expectation', 'GET / HTTP/1.1\r\nhost: x\r\nexpect: k4nari\r\n\r\n', 417],
    ['nothing there', 'GET /k4nari HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n', 404],
  ];
  for (const [name, request, status] of unread)
    it(`${name}: a problem, and no words of theirs come back`, async (t) => {
      const http = await startHttp({ port: 0, clock, log: silent, webhooks });
      t.after(http.close);
      const [answer = ''] = await told(http.url, (socket) => socket.end(request));
      assertProblem(answerIn(answer), status);
      assert.match(answer, /\r\nx-content-type-options: nosniff\r\n/i);
      assert.ok(!answer.includes('k4nari'), answer);
    });
});

/** All that comes until the connection ends, an answer each. */
async function told(url: string, send: (socket: Socket) => unknown): Promise<readonly string[]> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => {});
  const closed = once(socket, 'close');
  await send(socket);
  await closed;
  return Buffer.concat(chunks)
    .toString()
    .split(/(?=HTTP\/1\.1 \d{3} )/);
}

function answerIn(text: string): Answer {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { status: Number(first.split(' ')[1]), headers, text: body };
}

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { after, describe, it } from 'node:test';
import { type Reachability, startHealth, type WorkerState } from '../../src/telemetry/health.ts';

const fine: WorkerState = {
  reaches: [],
  stopping: new AbortController().signal,
  metrics: async () => ({ type: 'text/plain; version=0.0.4', text: 'setpoint_reconciles_total 1\n' }),
  rateLimits: async () => [],
};

async function healthOf(state: Partial<WorkerState> = {}): Promise<string> {
  const health = await startHealth({ port: 0, state: { ...fine, ...state } });
  after(() => health.close());
  return health.url;
}

const reach = (name: string, look: Reachability, needed = true) => ({
  name,
  needed,
  look: () => look,
  stop: () => undefined,
});

/** Status and JSON. */
async function asked(url: string) {
  const response = await fetch(url);
  return { status: response.status, body: JSON.parse(await response.text()) };
}

describe('whether a worker lives', () => {
  it('depends on nothing but itself', async () => {
    const url = await healthOf({
      reaches: [reach('database', { ok: false, reason: 'away' })],
      stopping: AbortSignal.abort(),
      rateLimits: () => Promise.reject(new Error('away')),
      metrics: () => Promise.reject(new Error('away')),
    });
    assert.deepEqual(await asked(`${url}/livez`), { status: 200, body: { live: true } });
  });
});

describe('whether a worker is ready', () => {
  const stopping = AbortSignal.abort();
  const away = { ok: false, reason: 'last reached 12 s ago: connect ECONNREFUSED 127.0.0.1:6379' } as const;
  const cases = [
    { name: 'all in reach', state: {}, status: 200, failing: [] },
    {
      name: 'a database out of reach: which, and why',
      state: { reaches: [reach('database', { ok: true }), reach('redis', away)] },
      status: 503,
      failing: [{ name: 'redis', needed: true, ...away }],
    },
    {
      name: 'without something that its role does not need: it is told all the same',
      state: { reaches: [reach('database', { ok: true }), reach('writes', away, false)] },
      status: 200,
      failing: [{ name: 'writes', needed: false, ...away }],
    },
    {
      name: 'stopping',
      state: { stopping, reaches: [reach('database', { ok: true })] },
      status: 503,
      failing: [{ name: 'running', needed: true, ok: false, reason: 'this worker is stopping' }],
    },
  ];
  for (const { name, state, status, failing } of cases)
    it(name, async () => {
      const answer = await asked(`${await healthOf(state)}/readyz`);
      assert.equal(answer.status, status);
      assert.equal(answer.body.ready, status === 200);
      assert.deepEqual(
        answer.body.checks.filter(({ ok }: Reachability) => !ok),
        failing,
      );
    });
});

describe('what a worker shows', () => {
  it('its metrics, as they are', async () => {
    const response = await fetch(`${await healthOf()}/metrics`);
    assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4');
    assert.equal(await response.text(), 'setpoint_reconciles_total 1\n');
  });

  it('its rate limits: key, level, and until when they are slowed', async () => {
    const rateLimits = [
      { key: 'aws/1/eu-west-1/RunInstances', level: 0.25, slowedUntil: Date.UTC(2026, 0, 1) },
      { key: 'gcp/acme/global_writes', level: 1 },
    ];
    const url = await healthOf({ rateLimits: async () => rateLimits });
    assert.deepEqual(await asked(`${url}/rate-limits?all`), {
      status: 200,
      body: {
        rateLimits: [
          { key: 'aws/1/eu-west-1/RunInstances', level: 0.25, slowedUntil: '2026-01-01T00:00:00.000Z' },
          { key: 'gcp/acme/global_writes', level: 1 },
        ],
      },
    });
  });

  it('what went wrong where it cannot show it', async () => {
    const url = await healthOf({ rateLimits: () => Promise.reject(new Error('the limiter is closed')) });
    assert.deepEqual(await asked(`${url}/rate-limits`), { status: 500, body: { error: 'the limiter is closed' } });
  });
});

describe('what a worker does not answer', () => {
  for (const method of ['POST', 'PUT', 'DELETE'])
    it(`${method}`, async () => {
      const response = await fetch(`${await healthOf()}/metrics`, { method });
      assert.equal(response.status, 405);
      assert.equal(response.headers.get('allow'), 'GET');
    });
  for (const path of ['/', '/livez/'])
    it(path, async () => {
      const { status, body } = await asked(`${await healthOf()}${path}`);
      assert.equal(status, 404);
      assert.match(body.error, /\/livez, \/readyz, \/metrics, \/rate-limits/);
    });
  it('headers of more than 8 KiB', async () => {
    const response = await fetch(`${await healthOf()}/livez`, { headers: { 'x-long': 'x'.repeat(9000) } });
    assert.equal(response.status, 431);
  });
});

describe('where a worker answers', () => {
  it('on loopback only, unless told otherwise', async () => assert.match(await healthOf(), /^http:\/\/127\.0\.0\.1:/));

  for (const [given, status] of [
    ['127.0.0.1:9464', 200],
    ['10.1.2.3', 200],
    ['[::1]:9464', 200],
    ['[fd00::1]', 200],
    ['localhost:9464', 200],
    ['LOCALHOST', 200],
    ['evil.example', 421],
    ['127.0.0.1.evil.example:9464', 421],
    ['[::1].evil.example', 421],
  ] as const)
    it(`on loopback by an address or as localhost: "${given}" gives ${status}`, async () => {
      const request = get(`${await healthOf()}/metrics`, { headers: { host: given } });
      const [response]: IncomingMessage[] = await once(request, 'response');
      response?.resume();
      assert.equal(response?.statusCode, status);
    });

  it('nowhere once it has closed, though somebody holds a connection', async () => {
    const health = await startHealth({ port: 0, state: fine });
    const holding = connect(Number(new URL(health.url).port), '127.0.0.1');
    after(() => holding.destroy());
    await once(holding, 'connect');
    await health.close();
    await assert.rejects(fetch(`${health.url}/livez`), { name: 'TypeError' });
  });

  it('nowhere where the port is taken: what to do', async () => {
    const port = Number(new URL(await healthOf()).port);
    await assert.rejects(startHealth({ port, state: fine }), {
      message: new RegExp(`health port ${port} of 127.0.0.1 .*another worker.*--health-port`),
    });
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toFailure as awsFailure } from '../../providers/aws/errors.ts';
import { failureOfAnswer } from '../../providers/azure/errors.ts';
import { Refusal } from '../../providers/memory/cloud/refusal.ts';
import { toFailure as memoryFailure } from '../../providers/memory/errors.ts';
import { type Failure, judge } from '../../src/core/failure.ts';
import { longestWaitMs, retryAfterOf } from '../../src/core/retry-after.ts';
import { callLog, callsOf } from '../../src/engine/calls.ts';
import { cancellationOn } from '../../src/engine/control.ts';
import { inProcessLimiter } from '../../src/engine/limiter.ts';
import { unsent } from '../../src/engine/ports.ts';
import { deliver } from '../../src/engine/retry.ts';
import type { Request } from '../../src/ports/limiter.ts';
import { creationOf, desiredOf, recordedCall } from '../support/fixtures.ts';
import { scriptedSession } from '../support/scripted-session.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { at, network as azureNetwork, type Came, type Reply, scriptedArm } from './azure/scripted-arm.ts';
import { type Asked, type Scripted, scriptedCloud } from './gcp/scripted-cloud.ts';

type Headers = Readonly<Record<string, string>>;

const said = Date.UTC(2026, 10, 22, 12, 0, 0);
const dated = (inMs: number): Headers => ({
  'retry-after': new Date(said + inMs).toUTCString(),
  date: new Date(said).toUTCString(),
});

/** Headers of an answer, and the wait they ask for. An hour is the bound. */
const asked: readonly { readonly headers: Headers; readonly want: number }[] = [
  ...[0, 1, 2, 7, 59, 61, 300, 1799, 3599, 3600].map((s) => ({ headers: { 'retry-after': `${s}` }, want: s * 1000 })),
  ...[1, 2, 90, 300, 3600].map((s) => ({ headers: dated(s * 1000), want: s * 1000 })),
  { headers: { 'retry-after': ' 17 ' }, want: 17_000 },
  { headers: { 'retry-after': 'Sunday, 22-Nov-26 12:05:00 GMT', date: dated(0)['date'] ?? '' }, want: 300_000 },
  { headers: dated(-5000), want: 0 },
  { headers: { 'retry-after': '3601' }, want: longestWaitMs },
  { headers: { 'retry-after': '99999999999' }, want: longestWaitMs },
  { headers: dated(30 * 24 * 3_600_000), want: longestWaitMs },
];

/** Nothing that anybody could wait for. */
const unsaid: readonly Headers[] = [
  {},
  { 'retry-after': '' },
  { 'retry-after': 'soon' },
  { 'retry-after': '-3' },
  { 'retry-after': '1.5' },
  { 'retry-after': '2026-11-22T12:00:00Z', date: dated(0)['date'] ?? '' },
  { 'retry-after': dated(5000)['retry-after'] ?? '' },
  { 'retry-after': dated(5000)['retry-after'] ?? '', date: 'some day' },
];

const body = (code: string): string => JSON.stringify({ error: { code, message: 'slower' } });

/** Each cloud's refusals that are waited out, as that cloud sends them. */
const refusals: readonly { readonly name: string; readonly fail: (headers: Headers) => Failure | Promise<Failure> }[] =
  [
    { name: 'AWS, throttled', fail: (headers) => awsAnswer('RequestLimitExceeded', headers) },
    { name: 'AWS, unavailable', fail: (headers) => awsAnswer('Unavailable', headers) },
    { name: 'AWS, a proxy', fail: (headers) => awsAnswer('Error', headers) },
    { name: 'Azure, throttled', fail: (headers) => azureAnswer(429, body('TooManyRequests'), headers) },
    { name: 'Azure, unavailable', fail: (headers) => azureAnswer(503, body('ServiceUnavailable'), headers) },
    {
      name: 'Azure, locked',
      fail: (headers) => azureAnswer(429, body('RetryableErrorDueToAnotherOperation'), headers),
    },
    { name: 'Azure, a proxy', fail: (headers) => azureAnswer(503, '<html>', headers) },
    { name: 'Google Cloud, throttled', fail: (headers) => googleAnswer(429, 'rateLimitExceeded', headers) },
    { name: 'Google Cloud, throttled with 403', fail: (headers) => googleAnswer(403, 'rateLimitExceeded', headers) },
    { name: 'Google Cloud, unavailable', fail: (headers) => googleAnswer(503, 'backendError', headers) },
  ];

const awsAnswer = (name: string, headers: Headers): Failure =>
  awsFailure(
    Object.assign(new Error('no'), {
      name,
      $metadata: { httpStatusCode: 503 },
      $response: { statusCode: 503, headers },
    }),
    { mutating: true },
  );

const azureAnswer = (status: number, text: string, headers: Headers): Failure =>
  failureOfAnswer({ status, headers: (name) => headers[name], body: text }, true);

/** Over the wire, because its SDK drops unknown fields. */
async function googleAnswer(status: number, reason: string, headers: Headers): Promise<Failure> {
  const error = { code: status, message: 'slower', errors: [{ message: 'slower', domain: 'global', reason }] };
  const cloud = await scriptedCloud(() => ({ status, headers, body: { error } }));
  try {
    const result = await (await cloud.open()).identify(recordedCall());
    assert.ok(!result.ok);
    return result.failure;
  } finally {
    await cloud.close();
  }
}

const waitOf = (failure: Failure): number | undefined => ('retryAfterMs' in failure ? failure.retryAfterMs : undefined);

describe('a wait that a cloud asks for is kept in full, up to an hour', () => {
  test('as the header says it, by the clock of the answer', () => {
    for (const { headers, want } of asked) assert.equal(retryAfterOf(headers['retry-after'], headers['date']), want);
    for (const headers of unsaid) assert.equal(retryAfterOf(headers['retry-after'], headers['date']), undefined);
  });

  for (const { name, fail } of refusals)
    test(name, async () => {
      for (const { headers, want } of asked) {
        const failure = await fail(headers);
        assert.ok(failure.kind === 'throttled' || failure.kind === 'retryable', failure.kind);
        assert.equal(waitOf(failure), want, JSON.stringify(headers));
      }
      // Google's windows begin with the minute, so a throttle of its always knows its end: Node adds `date` to its answers
      if (name.startsWith('Google')) return;
      for (const headers of unsaid) assert.equal(waitOf(await fail(headers)), undefined, JSON.stringify(headers));
    });

  test('the memory provider, whatever may be waited out', () => {
    for (const code of ['Throttled', 'ServiceUnavailable', 'InternalError'] as const)
      for (const [retryAfterMs, want] of [
        [0, 0],
        [1, 1],
        [2000, 2000],
        [300_000, 300_000],
        [longestWaitMs + 1, longestWaitMs],
      ])
        assert.equal(waitOf(memoryFailure(new Refusal(code, 'no', { retryAfterMs }), 'CreateGroup')), want);
  });

  test('no failure but one that is waited out carries it', () => {
    const headers = { 'retry-after': '7' };
    assert.equal(waitOf(awsAnswer('UnauthorizedOperation', headers)), undefined);
    assert.equal(waitOf(azureAnswer(409, body('Conflict'), headers)), undefined);
    const denied = new Refusal('Denied', 'no', { retryAfterMs: 7 });
    assert.equal(waitOf(memoryFailure(denied, 'CreateGroup')), undefined);
  });
});

const waits = [1, 999, 1000, 1001, 20_000, 60_001, 300_000, longestWaitMs];
const refused = (kind: 'throttled' | 'retryable', retryAfterMs: number): Failure => ({
  kind,
  code: 'Busy',
  message: 'slower',
  retryAfterMs,
});

describe('the engine waits as long as was asked', () => {
  test('in its verdict, whatever the attempt and the jitter', () => {
    for (const ms of waits)
      for (const attempt of [1, 5])
        for (const jitter of [0, 0.5, 0.999]) {
          const slow = judge(refused('throttled', ms), 'create', attempt, jitter);
          assert.deepEqual(slow, { do: 'slow-down', forMs: ms });
          const retry = judge(refused('retryable', ms), 'create', attempt, jitter);
          assert.ok(retry.do === 'retry' && retry.afterMs >= ms, JSON.stringify(retry));
          assert.ok(retry.afterMs <= Math.max(ms, 60_000));
        }
    assert.deepEqual(judge(refused('retryable', 5), 'create', 6, 0), { do: 'give-up' });
  });

  test('between two sendings', async () => {
    for (const ms of waits) {
      const clock = virtualClock();
      const sentAt: number[] = [];
      const outcomes = await clock.run(() =>
        deliver(
          {
            sent: 'update',
            repeatable: false,
            items: ['a'],
            call: async () => {
              sentAt.push(clock.now());
              return [
                sentAt.length === 1 ? { ok: false, failure: refused('retryable', ms) } : { ok: true, value: undefined },
              ];
            },
            before: () => unsent,
            requests: () => sentAt.length,
          },
          {
            ports: { clock, random: () => 0 },
            waits: new AbortController().signal,
            notify: undefined,
            quota: { refusal: undefined },
          },
        ),
      );
      assert.deepEqual([outcomes.map(({ as }) => as), (sentAt[1] ?? 0) - (sentAt[0] ?? 0)], [['done'], ms]);
    }
  });

  test('before the next request of the rate limit, in the limiter', async () => {
    for (const ms of waits) {
      const clock = virtualClock();
      const limiter = inProcessLimiter({ clock });
      const halt = cancellationOn({ signal: new AbortController().signal }, clock);
      const site = {
        session: scriptedSession({}),
        account: '',
        batches: {},
        holds: { fixedMarks: [], oneByName: [] },
        secret: async () => ({}),
      };
      const budget = { shape: 'bucket', capacity: 1000, perSecond: 1000, source: '' } as const;
      const request: Request = {
        action: 'List',
        mutating: false,
        costs: [{ rateLimit: { key: 'a', budget }, amount: 1 }],
      };
      const call = callsOf('shop', { site, ports: { limiter, clock }, cancellation: halt, notify: undefined }).reading(
        callLog(),
      );
      await clock.run(async () => {
        await call.admit(request);
        const from = clock.now();
        call.report(request, { durationMs: 1, failure: refused('throttled', ms) });
        const next = { ...request };
        await call.admit(next);
        const waited = clock.now() - from;
        assert.ok(waited >= ms && waited <= ms + 1000, `${waited} for ${ms}`);
      });
      halt.end();
    }
  });
});

const polled = at('providers/Microsoft.Network/locations/westeurope/operations/op-1');

describe('a poller waits as long as was asked', () => {
  for (const status of [200, 429, 503])
    test(`of Azure, after ${status}`, async () => {
      for (const { headers, want } of asked) {
        const replies: Reply[] = [
          { status, headers, body: status === 200 ? { status: 'InProgress' } : { error: { code: 'X' } } },
        ];
        const arm = await scriptedArm(({ method, path }: Came) => {
          if (method === 'PUT') return { status: 201, headers: { 'azure-asyncoperation': arm.url + polled }, body: {} };
          if (path === polled) return replies.shift() ?? { body: { status: 'Succeeded' } };
          return { body: { id: azureNetwork('virtualNetworks/v'), name: 'v' } };
        });
        try {
          const client = await arm.open();
          const put = await client.run(recordedCall(), (sdk) =>
            sdk.network.virtualNetworks.createOrUpdate('rg', 'v', {}),
          );
          assert.ok(put.ok, JSON.stringify(put));
          assert.equal(arm.clock.slept[1], want, JSON.stringify(headers));
        } finally {
          await arm.close();
        }
      }
    });

  for (const [status, reason] of [
    [429, 'rateLimitExceeded'],
    [503, 'backendError'],
  ] as const)
    test(`of Google Cloud, after ${status}`, async () => {
      const error = { code: status, message: 'no', errors: [{ message: 'no', domain: 'global', reason }] };
      for (const { headers, want } of asked)
        assert.equal(
          await firstPauseOnGoogle({ status, headers, body: { error } }),
          Math.max(want, 2000),
          JSON.stringify(headers),
        );
    });
});

/** Between the two polls of an operation, of which the first is refused. */
async function firstPauseOnGoogle(refusal: Scripted): Promise<number | undefined> {
  const operation = { kind: 'compute#operation', name: 'op-1', status: 'RUNNING' };
  const polls: Scripted[] = [refusal, { body: { ...operation, status: 'DONE' } }];
  const cloud = await scriptedCloud(({ method, path }: Asked): Scripted => {
    if (path.startsWith('global/operations')) return polls.shift() ?? 'lost';
    return method === 'POST' ? { body: operation } : { status: 404, body: { error: { code: 404, message: 'no' } } };
  });
  try {
    const attributes = { internet: true, labels: {} };
    const core = desiredOf('network', { address: 'gcp/acme/global/network/core', name: 'core', attributes });
    await (await cloud.open()).actuators.network.create([creationOf(core, 'intent-1')], recordedCall());
    return cloud.clock.slept[0];
  } finally {
    await cloud.close();
  }
}

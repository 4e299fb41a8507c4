import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ApiError } from '../../../src/cli/api-client/api-error.ts';
import { type ApiRequest, send } from '../../../src/cli/api-client/client.ts';
import { UserError } from '../../../src/cli/errors.ts';
import { virtualClock } from '../../support/virtual-clock.ts';

const url = 'https://setpoint.example';
const token = 'setpoint_s3cret';

/** Answers in this order, repeats the last one, and records the requests with their times. */
function line(answers: readonly (() => Response)[]) {
  const clock = virtualClock();
  const asked: { readonly at: number; readonly url: string; readonly init: RequestInit | undefined }[] = [];
  const fetching: typeof fetch = async (input, init) => {
    asked.push({ at: clock.now(), url: String(input), init });
    const answer = answers[Math.min(asked.length, answers.length) - 1];
    if (answer === undefined) throw new Error('no answer was prepared');
    return answer();
  };
  return { asked, clock, line: { url, token, fetch: fetching, clock, signal: new AbortController().signal } };
}

const problem =
  (status: number, more: object = {}, headers: Record<string, string> = {}) =>
  () =>
    new Response(JSON.stringify({ status, title: 'Title', detail: 'Detail.', ...more }), {
      status,
      headers: { 'content-type': 'application/problem+json', ...headers },
    });
const done = () => new Response('{}', { headers: { 'content-type': 'application/json' } });
const get: ApiRequest = { method: 'GET', path: '/v1/whoami' };

async function complaintOf(work: Promise<unknown>): Promise<UserError> {
  const ended = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(ended instanceof UserError, String(ended));
  assert.ok(!JSON.stringify([ended.message, ended.details, ended.stack]).includes('s3cret'));
  return ended;
}

describe('one request', () => {
  test('goes with the token, and follows no redirect', async () => {
    const { asked, line: at } = line([done]);
    await send({ method: 'POST', path: '/v1/pauses', body: { a: 1 }, key: 'k' }, at);
    const [{ url: to, init } = { url: '', init: {} }] = asked;
    assert.equal(to, 'https://setpoint.example/v1/pauses');
    assert.equal(init?.redirect, 'manual');
    assert.equal(init?.body, '{"a":1}');
    assert.deepEqual(init?.headers, {
      accept: 'application/json, application/x-ndjson, application/problem+json',
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': 'k',
    });
  });

  const kept = () => {
    throw failing('ECONNRESET');
  };
  for (const [what, request] of [
    ['a question', get],
    ['what has a key', { method: 'POST', path: '/v1/pauses', body: {}, key: 'k' }],
  ] as const)
    test(`${what} is sent once more where the server closes the connection that it was sent on`, async () => {
      const { asked, line: at } = line([kept, done]);
      assert.equal((await send(request, at)).status, 200);
      assert.deepEqual([asked.length, asked[0]?.init?.headers], [2, asked[1]?.init?.headers]);
      const { asked: both, line: never } = line([kept]);
      assert.match((await complaintOf(send(request, never))).message, /closed the connection/);
      assert.equal(both.length, 2);
    });

  test('what may have been done, and would be done twice, is not', async () => {
    const { asked, line: at } = line([kept, done]);
    await complaintOf(send({ method: 'DELETE', path: '/v1/tokens/a' }, at));
    assert.equal(asked.length, 1);
  });

  for (const location of ['https://evil.example/v1/whoami?token=s3cret', '/login', 'http://[bad'])
    test(`a redirect to ${location} is refused`, async () => {
      const { asked, line: at } = line([() => new Response(null, { status: 307, headers: { location } })]);
      const { message } = await complaintOf(send(get, at));
      assert.match(message, /redirects to (https:\/\/(evil|setpoint)\.example|another place)\.$/);
      assert.equal(asked.length, 1);
    });
});

/** The answers before the last, and after how many ms each was asked for. */
const waits: readonly (readonly [name: string, answers: readonly (() => Response)[], at: readonly number[]])[] = [
  ['as long as was asked for', [problem(429, {}, { 'retry-after': '3' }), done], [0, 3000]],
  ['longer each time where nothing was said', [problem(503), problem(503), done], [0, 1000, 3000]],
  ['a request that is being answered still', [problem(409, {}, { 'retry-after': '1' }), done], [0, 1000]],
  ['what is no time is a second', [problem(429, {}, { 'retry-after': 'soon' }), done], [0, 1000]],
];

describe('who is told to come again', () => {
  for (const [name, answers, at] of waits)
    test(`does: ${name}`, async () => {
      const { asked, clock, line: to } = line(answers);
      const start = clock.now();
      assert.equal((await clock.run(() => send(get, to))).status, 200);
      assert.deepEqual(
        asked.map((one) => one.at - start),
        at,
      );
    });

  test('a date is waited for', async () => {
    const clock0 = virtualClock().now();
    const date = new Date(Math.ceil(clock0 / 1000) * 1000 + 5000);
    const { asked, clock, line: to } = line([problem(503, {}, { 'retry-after': date.toUTCString() }), done]);
    await clock.run(() => send(get, to));
    assert.equal(asked[1]?.at, date.getTime());
  });

  test('does so three times and then says that it did', async () => {
    const { asked, clock, line: to } = line([problem(429, {}, { 'retry-after': '1' })]);
    const { message } = await clock.run(() => complaintOf(send(get, to)));
    assert.match(message, /too many requests, also after a wait/);
    assert.equal(asked.length, 4);
  });

  test('does not wait for longer than half a minute', async () => {
    const { asked, line: to } = line([problem(503, {}, { 'retry-after': '3600' })]);
    await complaintOf(send(get, to));
    assert.equal(asked.length, 1);
  });
});

/** A refusal's message, and the exit code of the run. */
const refusals: readonly (readonly [status: number, what: RegExp, code: number, next: string | undefined])[] = [
  [400, /rejected the request as invalid/, 1, undefined],
  [401, /could not authenticate you/, 1, `Log in: setpoint login ${url}`],
  [403, /does not permit that/, 1, undefined],
  [404, /no such resource, or you may not see it/, 1, undefined],
  [409, /the state has changed since/, 3, undefined],
  [412, /status 412/, 3, undefined],
  [500, /could not answer \(status 500\)/, 1, undefined],
];

describe('a refusal says what it is, with the words of the server', () => {
  for (const [status, what, code, next] of refusals)
    test(String(status), async () => {
      const complaint = await complaintOf(send(get, line([problem(status)]).line));
      assert.match(complaint.message, what);
      assert.deepEqual([complaint.details.why, complaint.details.next, complaint.code], ['Detail.', next, code]);
    });

  test('a token that expired, where the login knows it', async () => {
    const { line: to, clock } = line([problem(401)]);
    const ended = (agoMs: number) => new Date(clock.now() - agoMs).toISOString();
    const { message, details } = await complaintOf(send(get, { ...to, expires: ended(7_200_000) }));
    assert.equal(message, `Your token for ${url} expired 2 h ago.`);
    assert.equal(details.next, `Log in: setpoint login ${url}`);
    const live = await complaintOf(send(get, { ...to, expires: ended(-1000) }));
    assert.match(live.message, /could not authenticate you/);
  });

  test('which part of the input was wrong', async () => {
    const errors = [
      { in: 'query', at: 'limit', expected: 'a number' },
      { in: 'body', expected: 'an object' },
    ];
    const { details } = await complaintOf(send(get, line([problem(400, { errors })]).line));
    assert.deepEqual([details.why, details.next], ['query limit: a number\nbody: an object', undefined]);
  });

  test('how the estate is named, where a server has several', async () => {
    const errors = [{ in: 'query', at: 'estate', expected: 'the name of an estate, as you see more than one' }];
    const { details } = await complaintOf(send(get, line([problem(400, { errors })]).line));
    assert.equal(details.next, 'Name it: --estate NAME');
  });

  test('what would steer a terminal is escaped', async () => {
    const { details } = await complaintOf(
      send(get, line([problem(403, { detail: 'a\u001b[31mb\u009bc\u202ed' })]).line),
    );
    assert.equal(details.why, 'a\\u001b[31mb\\u009bc\\u202ed');
  });

  test('a page of a proxy is not shown', async () => {
    const page = () =>
      new Response('<html>Bad gateway</html>', { status: 502, headers: { 'content-type': 'text/html' } });
    const complaint = await complaintOf(send(get, line([page]).line));
    assert.ok(complaint instanceof ApiError);
    assert.deepEqual([complaint.message, complaint.details.why], [`${url} could not answer (status 502).`, undefined]);
  });

  test('one without end is not read to its end', async () => {
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += 1;
        controller.enqueue(new Uint8Array(64 * 1024));
      },
    });
    await complaintOf(send(get, line([() => new Response(endless, { status: 400 })]).line));
    assert.ok(sent < 40, `${sent} pieces were read`);
  });
});

const failing = (code: string) =>
  Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error(token), { code }) });

/** Errors of the network, and our messages for them. */
const networks: readonly (readonly [error: Error, says: RegExp, next: RegExp])[] = [
  [failing('ECONNREFUSED'), /nothing listens/, /setpoint serve/],
  [failing('ENOTFOUND'), /unknown host name/, /spelling/],
  [failing('ECONNRESET'), /closed the connection/, /again/],
  [failing('SELF_SIGNED_CERT_IN_CHAIN'), /has no valid certificate/, /NODE_EXTRA_CA_CERTS/],
  [failing('CERT_HAS_EXPIRED'), /has no valid certificate/, /NODE_EXTRA_CA_CERTS/],
  [failing('ERR_TLS_CERT_ALTNAME_INVALID'), /has no valid certificate/, /NODE_EXTRA_CA_CERTS/],
  [failing('ERR_SSL_WRONG_VERSION_NUMBER'), /does not speak TLS/, /port/],
  [new DOMException(token, 'TimeoutError'), /did not answer completely within 30 s/, /again/],
  [
    Object.assign(new TypeError('fetch failed'), { cause: new AggregateError([failing('ECONNREFUSED')]) }),
    /nothing listens/,
    /serve/,
  ],
  [failing('EWHATEVER'), /cannot be reached/, /again/],
];

describe('no answer', () => {
  for (const [error, says, next] of networks)
    test(String(says), async () => {
      const at = { ...line([]).line, fetch: () => Promise.reject(error) };
      const complaint = await complaintOf(send(get, at));
      assert.match(complaint.message, says);
      assert.match(complaint.details.next ?? '', next);
    });
});

import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { after, describe, test } from 'node:test';
import { apiClient } from '../../../src/cli/api-client/client.ts';
import { decode } from '../../../src/cli/api-client/decode.ts';
import { UserError } from '../../../src/cli/errors.ts';
import { until } from '../../support/until.ts';
import { contextOn } from '../support/context.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';

const token = 'setpoint_s3cret';

/** A real server that answers so. */
async function serverOf(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}

const answering =
  (text: string, type = 'application/json; charset=utf-8'): RequestListener =>
  (_, response) =>
    response.writeHead(200, { 'content-type': type }).end(text);

async function complaintOf(work: Promise<unknown>): Promise<UserError> {
  const ended = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(ended instanceof UserError, String(ended));
  assert.ok(!JSON.stringify([ended.message, ended.details]).includes('s3cret'));
  return ended;
}

const get = { method: 'GET', path: '/v1/thing' } as const;
const thing = decode.object({ name: decode.string, many: decode.list(decode.object({ at: decode.timestamp })) });

describe('what a real server answers', () => {
  test('is read as what was wanted, asked with the token', async () => {
    let bearer: string | undefined;
    const url = await serverOf((request, response) => {
      bearer = request.headers.authorization;
      answering('{"name":"a","many":[{"at":"2026-01-01T00:00:00.000Z","more":1}],"new":true}')(request, response);
    });
    const got = await apiClient({ url, token }, contextOn()).request(get, thing);
    assert.deepEqual(got, { name: 'a', many: [{ at: Date.UTC(2026, 0, 1) }] });
    assert.equal(bearer, `Bearer ${token}`);
  });

  test('a redirect is not followed: the other server never hears the token', async () => {
    let heard = 0;
    const other = await serverOf((_, response) => {
      heard += 1;
      response.end('{}');
    });
    const url = await serverOf((_, response) => response.writeHead(302, { location: other }).end());
    const complaint = await complaintOf(apiClient({ url, token }, contextOn()).request(get, thing));
    assert.equal(complaint.message, `${url} redirects to ${other}.`);
    assert.equal(heard, 0);
  });

  test('half an answer is none', async () => {
    const url = await serverOf((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"name"', () => response.destroy());
    });
    const complaint = await complaintOf(apiClient({ url, token }, contextOn()).request(get, thing));
    assert.match(complaint.message, /closed the connection/);
  });

  test('one that does not come in time is waited for no longer', async () => {
    const url = await serverOf(() => undefined);
    const slow = { ...get, atMostMs: 300 };
    const complaint = await complaintOf(apiClient({ url, token }, contextOn()).request(slow, thing));
    assert.match(complaint.message, /did not answer completely within 0.3 s/);
  });

  test('one that takes more than a second is waited for aloud', async () => {
    const terminal = fakeTerminal();
    const from = performance.now();
    let saidAfterMs = 0;
    const url = await serverOf(async (request, response) => {
      await until('it is waited for aloud', () => terminal.stderr() !== '');
      saidAfterMs = performance.now() - from;
      answering('{"name":"a","many":[]}')(request, response);
    });
    await apiClient({ url, token }, contextOn({ terminal })).request(get, thing);
    assert.match(terminal.stderr(), /^(waiting for http:\/\/127\.0\.0\.1:\d+ \([\d.]+ s\)\n)+$/);
    assert.ok(saidAfterMs >= 990, `${saidAfterMs} ms`);
    assert.equal(terminal.stdout(), '');
  });

  test('whoever stops is not kept waiting', async () => {
    const stop = new AbortController();
    const url = await serverOf(() => stop.abort(new Error('interrupted')));
    await assert.rejects(
      apiClient({ url, token }, contextOn({ signal: stop.signal })).request(get, thing),
      /interrupted/,
    );
  });
});

/** An answer, our message for it, and the reason. */
const strange: readonly (readonly [listener: RequestListener, says: RegExp, why: RegExp])[] = [
  [answering('{"name":"a","many":[{}]}'), /does not understand/, /In its answer it\.many\[0\]\.at should be a time/],
  [answering('{"name":7,"many":[]}'), /does not understand/, /it\.name should be a text/],
  [answering('[]'), /does not understand/, /it should be an object/],
  [answering('{"name":'), /not a Setpoint API/, /200/],
  [answering('<html>', 'text/html'), /not a Setpoint API/, /200/],
  [answering('{"name":"a","many":[]}', 'text/plain'), /not a Setpoint API/, /200/],
];

describe('what is no answer of ours', () => {
  for (const [listener, says, why] of strange)
    test(`that is not that: ${why.source}`, async () => {
      const url = await serverOf(listener);
      const complaint = await complaintOf(apiClient({ url, token }, contextOn()).request(get, thing));
      assert.match(complaint.message, says);
      assert.match(complaint.details.why ?? '', why);
    });
});

describe('a long answer comes line by line', () => {
  test('whole characters and lines, however it was cut', async () => {
    const text = Buffer.from('{"a":"é"}\n{"b":1}\n');
    const url = await serverOf((_, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.write(text.subarray(0, 7), () => response.end(text.subarray(7)));
    });
    const lines: string[] = [];
    for await (const line of apiClient({ url, token }, contextOn()).lines('/v1/x')) lines.push(line);
    assert.deepEqual(lines, ['{"a":"é"}', '{"b":1}']);
  });

  test('one that ends early is a complaint, and not a shorter answer', async () => {
    const url = await serverOf((_, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.write('{"a":1}\n', () => response.destroy());
    });
    const reading = async () => {
      for await (const line of apiClient({ url, token }, contextOn()).lines('/v1/x')) void line;
    };
    assert.match((await complaintOf(reading())).message, /closed the connection/);
  });
});

import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { httpApp } from '../../src/http/server.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { temporaryFolder } from '../cli/support/temporary-folder.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const page = '<!doctype html><title>Setpoint</title>';
const script = `export const words = ${JSON.stringify('word '.repeat(1000))};`;
const clock = virtualClock();
const log = createLog({ write: () => {} }, { form: 'json', level: 'info' });
const html = { accept: 'text/html,*/*;q=0.8' };

describe('the console', () => {
  const folder = temporaryFolder({
    'index.html': page,
    'assets/main-0a1b.js': script,
    'assets/.hidden': 'x',
    'secret.txt': 'x',
  });
  const app = httpApp({ consoleFolder: folder, clock, log });
  after(() => app.close());
  const get = (
    url: string,
    headers: Readonly<Record<string, string>> = html,
    method: 'GET' | 'HEAD' | 'POST' = 'GET',
  ) => app.inject({ method, url, headers });

  for (const url of ['/', '/inventory', '/inventory/aws/1/r/instance/web-0?tab=ledger', '/docsy'])
    it(`answers ${url} with its page, which loads nothing from elsewhere`, async () => {
      const { statusCode, headers, payload } = await get(url);
      assert.deepEqual([statusCode, payload], [200, page]);
      assert.match(String(headers['content-type']), /^text\/html/);
      assert.equal(headers['cache-control'], 'no-cache');
      const policy = String(headers['content-security-policy']);
      assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
      assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    });

  it('answers a HEAD, and that the page is unchanged', async () => {
    const { statusCode, payload, headers } = await get('/', html, 'HEAD');
    assert.deepEqual([statusCode, payload], [200, '']);
    assert.equal((await get('/', { ...html, 'if-none-match': String(headers['etag']) })).statusCode, 304);
  });

  it('lets browsers keep a file whose name has its hash, compressed where they ask', async () => {
    const plain = await get('/assets/main-0a1b.js', {});
    assert.deepEqual([plain.statusCode, plain.payload], [200, script]);
    assert.match(String(plain.headers['content-type']), /javascript/);
    assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable');
    const packed = await get('/assets/main-0a1b.js', { 'accept-encoding': 'br' });
    assert.equal(packed.headers['content-encoding'], 'br');
    assert.ok(packed.rawPayload.length < script.length / 10);
  });

  for (const url of ['/v1/nothing', '/v1', '/assets/none.js', '/assets/.hidden', '/assets/..%2fsecret.txt', '/assets/'])
    it(`has no page at ${url}`, async () => {
      const { statusCode, payload } = await get(url);
      assert.match(payload, /^\{"status":4/);
      assert.ok(statusCode >= 400 && statusCode < 500, `${statusCode}`);
    });

  it('has its page above its folder too, and no file of it', async () =>
    assert.equal((await get('/assets/../secret.txt')).payload, page));

  it('is no answer to programs, nor to anything but reading', async () => {
    const others = ['*/*', 'text/*', 'text/html;q=0, */*', 'application/json', '*/*;q=0, application/json', ''];
    for (const accept of others)
      for (const url of ['/', '/livez', '/inventroy'])
        assert.equal((await get(url, { accept })).statusCode, 404, `${url} ${accept}`);
    assert.equal((await get('/', { accept: 'application/xhtml+xml, TEXT/HTML;q=0.5' })).statusCode, 200);
    assert.equal((await get('/', {})).statusCode, 404);
    assert.equal((await get('/', html, 'POST')).statusCode, 404);
  });
});

it('a server without a built console has no page', async () => {
  const app = httpApp({ consoleFolder: temporaryFolder(), clock, log });
  const { statusCode } = await app.inject({ url: '/', headers: html });
  assert.equal(statusCode, 404);
  await app.close();
});

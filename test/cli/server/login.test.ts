import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Ran, spawned } from './support/spawned.ts';

const token = `setpoint_0123456789abcdef_${'s3cret'.padEnd(43, 'x')}`;

/** The real command line; with any result, a token is never shown. */
async function run(args: readonly string[], env: Readonly<Record<string, string>>, stdin = ''): Promise<Ran> {
  const ran = await spawned(args, { env, stdin });
  assert.ok(!`${ran.stdout}${ran.stderr}`.includes('s3cret'), 'a token was shown');
  return ran;
}

/** Knows one token. */
const server = createServer((request, response) => {
  const isKnown = request.headers.authorization === `Bearer ${token}`;
  const answer = isKnown
    ? { actor: 'ann', expiresAt: '2027-02-20T08:00:00.000Z', grants: [{ role: 'operator', estates: ['acme'] }] }
    : { status: 401, title: 'Unauthorized', detail: 'Send a token.' };
  const type = isKnown ? 'application/json' : 'application/problem+json';
  response.writeHead(isKnown ? 200 : 401, { 'content-type': type }).end(JSON.stringify(answer));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
after(() => {
  server.closeAllConnections();
  server.close();
});
const address = server.address();
const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;

const loginsIn = (home: string) => JSON.parse(readFileSync(join(home, 'setpoint/logins.json'), 'utf8'));

describe('login', () => {
  test('keeps a token from stdin for its owner, and says who that is; logout forgets it', async () => {
    const home = temporaryFolder();
    const env = { XDG_CONFIG_HOME: home };
    const login = await run(['login', `${url}/`, '--token-stdin'], env, `${token}\n`);
    assert.equal(login.code, 0, login.stderr);
    assert.equal(login.stdout, `Logged in: ${url} as ann · until 2027-02-20 08:00 UTC\n  operator on estates: acme\n`);
    assert.equal(statSync(join(home, 'setpoint/logins.json')).mode & 0o777, 0o600);
    assert.deepEqual(loginsIn(home), {
      last: url,
      servers: { [url]: { token, person: 'ann', expires: '2027-02-20T08:00:00.000Z' } },
    });
    const logout = await run(['logout'], env);
    assert.equal(logout.stdout.split('\n')[0], `Logged out: ${url}`);
    assert.deepEqual(loginsIn(home), { servers: {} });
    const again = await run(['logout', '--json'], env);
    assert.equal(again.code, 1);
    assert.equal(JSON.parse(again.stdout).error.next, 'You are not logged in to any server.');
  });

  test('takes SETPOINT_TOKEN, and answers with one object', async () => {
    const home = temporaryFolder();
    const { code, stdout } = await run(['login', url, '--json'], { XDG_CONFIG_HOME: home, SETPOINT_TOKEN: token });
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout), {
      server: url,
      actor: 'ann',
      expiresAt: '2027-02-20T08:00:00.000Z',
      grants: [{ role: 'operator', estates: ['acme'] }],
    });
  });

  /** The piped text, and the message. */
  const refused: readonly (readonly [stdin: string, says: RegExp])[] = [
    ['setpoint_wrong_s3cret\n', /could not authenticate you/],
    ['', /The input on stdin holds no token/],
    ['setpoint s3cret\n', /holds no token: it is too long or has invalid characters/],
    [`${token}\n${token}\n`, /holds no token/],
  ];
  for (const [stdin, says] of refused)
    test(`keeps nothing of what is no token there: ${says.source}`, async () => {
      const home = temporaryFolder();
      const { code, stdout, stderr } = await run(['login', url, '--token-stdin'], { XDG_CONFIG_HOME: home }, stdin);
      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, says);
      assert.equal(existsSync(join(home, 'setpoint')), false);
    });

  test('a token is not a word of the command line: nobody is asked without a terminal, and it says how', async () => {
    const { code, stderr } = await run(['login', url], { XDG_CONFIG_HOME: temporaryFolder() });
    assert.equal(code, 1);
    assert.match(stderr, /--token-stdin, or set SETPOINT_TOKEN/);
  });
});

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, test } from 'node:test';
import { freePort } from '../../scripts/demo/free-port.ts';
import { firstToken, openApiServer, readAccess } from '../../src/bootstrap/http-server.ts';
import type { ListenAddress } from '../../src/cli/context.ts';
import { authenticator } from '../../src/http/auth/authenticator.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { ownCertificate } from '../http/support/certificate.ts';
import { fleetWorld } from '../support/fleet-world.ts';
import { memoryDatabase } from '../support/memory-store.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const accessFolder = await mkdtemp(join(tmpdir(), 'setpoint-access-'));
after(() => rm(accessFolder, { recursive: true }));
const path = join(accessFolder, 'access.yaml');

test('a sound file is what it says', async () => {
  const issuer = '{ issuer: "https://a.example", audience: setpoint, algorithms: [RS256] }';
  await writeFile(path, `apiVersion: setpoint.dev/v1\nkind: Access\noidc: [${issuer}]\nbindings: []\n`);
  assert.equal((await readAccess(path)).oidc[0]?.issuer, 'https://a.example');
});

test('one that is not sound says every place that is wrong', async () => {
  await writeFile(path, 'apiVersion: setpoint.dev/v1\nkind: Acces\noidc: []\nbindings: x\n');
  await assert.rejects(readAccess(path), ({ message }: Error) => {
    for (const place of [`${path}:2:7`, `${path}:3:7`, `${path}:4:11`, 'did you mean: Access'])
      assert.ok(message.includes(place), `${place} in ${message}`);
    return true;
  });
});

test('one that is not there says what to do', () =>
  assert.rejects(readAccess(join(accessFolder, 'none')), /cannot be read: .*Name another with --access/));

test('the first token lets an admin in, and of several processes that ask at once one makes it', async () => {
  const clock = virtualClock();
  const database = memoryDatabase(clock);
  const ask = () => firstToken(database.connect(), clock);
  const [text, ...more] = (await Promise.all([ask(), ask(), ask()])).filter((one) => one !== undefined);
  assert.deepEqual(more, []);
  const { tokens } = database.connect();
  const caller = await authenticator({ apiTokens: { tokens, clock } })(`Bearer ${text}`);
  assert.deepEqual([caller?.person, caller?.grants], ['token first', [{ role: 'admin' }]]);
});

test('where a token was made before, though it ended, there is no first one', async () => {
  const clock = virtualClock();
  const store = memoryDatabase(clock).connect();
  const maker = { person: 'kim', identities: [] };
  const { token } = await store.tokens.make({ name: 'a', grants: [{ role: 'viewer' }], expiresAt: clock.now(), maker });
  await store.tokens.revoke(token.id, 'kim');
  assert.equal(await firstToken(store, clock), undefined);
});

const certificates = await mkdtemp(join(tmpdir(), 'front-'));
after(() => rm(certificates, { recursive: true }));

/** A process on a store of its own. */
function behind() {
  const lines: string[] = [];
  const log = createLog({ write: (line) => void lines.push(line) }, { form: 'text', level: 'info' });
  const { context, store } = fleetWorld();
  const clock = { now: Date.now, sleep: (ms: number, signal?: AbortSignal) => context.clock.sleep(ms, signal) };
  return {
    lines,
    store,
    ground: { store, outside: context.outside, clock, log },
    isAlone: false,
    callerLimit: { perSecond: 3, burst: 7 },
  };
}

/** Opens it until the test ends. */
const serverFor: typeof openApiServer = async (...options) => {
  const server = await openApiServer(...options);
  after(server.close);
  return server;
};

const here: ListenAddress = { host: '127.0.0.1', port: 0, isNamed: true };
const everywhere: ListenAddress = { ...here, host: '0.0.0.0' };
const draft = { name: 'ci', grants: [{ role: 'viewer' }], maker: { person: 'kim', identities: [] } } as const;

describe('who may be listened to', () => {
  it('this machine', async () => {
    const server = await serverFor(here, behind());
    assert.match(server.url ?? '', /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.deepEqual([server.firstToken, (await fetch(`${server.url}/livez`)).status], [undefined, 200]);
    assert.equal((await fetch(`${server.url}/v1/whoami`)).status, 401);
    await server.close();
    await assert.rejects(fetch(`${server.url}/livez`));
  });

  it('nothing after a failure: the server closes where the first token cannot be made', async () => {
    const { ground, lines, ...around } = behind();
    const tokens = { ...ground.store.tokens, makeFirst: () => Promise.reject(new Error('no database')) };
    const store = { ...ground.store, tokens };
    const port = await freePort();
    const opened = openApiServer({ ...here, port }, { ...around, ground: { ...ground, store }, isAlone: true });
    await assert.rejects(opened, { message: 'no database' });
    await assert.rejects(fetch(`http://127.0.0.1:${port}/livez`), 'the server is closed');
  });

  it('each caller, as often as somebody chose', async () => {
    const server = await serverFor(here, behind());
    const { headers } = await fetch(`${server.url}/livez`);
    assert.equal(headers.get('ratelimit-policy'), '"caller";q=7;w=3');
  });

  it('nobody else, where others could listen in or nobody could prove who they are', async () => {
    const without = behind();
    await assert.rejects(openApiServer({ ...everywhere, tls: 'proxy' }, without), /setpoint token make.*--access/);
    await without.store.tokens.make({ ...draft, expiresAt: Date.now() - 1 });
    await assert.rejects(
      openApiServer({ ...everywhere, tls: 'proxy' }, without),
      /setpoint token make/,
      'it has run out',
    );
    await without.store.tokens.make({ ...draft, expiresAt: Date.now() + 60_000 });
    await assert.rejects(openApiServer(everywhere, without), /--tls-cert and --tls-key.*--tls-by-proxy/);
    const server = await serverFor({ ...everywhere, tls: 'proxy' }, without);
    assert.match(server.url ?? '', /^http:\/\/0\.0\.0\.0:\d+$/);
  });

  it('whoever knows our certificate', async () => {
    const { cert, key } = ownCertificate();
    const tls = { cert: join(certificates, 'cert.pem'), key: join(certificates, 'key.pem') };
    await assert.rejects(openApiServer({ ...here, tls }, behind()), /cert\.pem of --tls-cert cannot be read/);
    await Promise.all([writeFile(tls.cert, cert), writeFile(tls.key, key)]);
    const server = await serverFor({ ...here, tls }, behind());
    const headers = await new Promise<NodeJS.Dict<unknown>>((resolve, reject) => {
      const asked = request(`${server.url}/livez`, { ca: cert }, (answer) => resolve(answer.resume().headers));
      asked.on('error', reject).end();
    });
    assert.match(String(headers['strict-transport-security']), /max-age=\d+/);
  });
});

describe('a process on its own database', () => {
  it('tells a first token, once, that lets an admin in', async () => {
    const alone = { ...behind(), isAlone: true };
    const server = await serverFor(here, alone);
    const headers = { authorization: `Bearer ${server.firstToken}` };
    assert.equal((await fetch(`${server.url}/v1/tokens`, { headers })).status, 200);
    await server.close();
    const again = await serverFor(here, alone);
    assert.equal(again.firstToken, undefined);
    assert.ok(!alone.lines.join('').includes('setpoint_'), 'the log is read by others');
  });
});

describe('a port that is taken', () => {
  it('is an error where it was named, and else is done without, loudly', async () => {
    const first = await serverFor(here, behind());
    const port = Number(new URL(first.url ?? '').port);
    await assert.rejects(openApiServer({ ...here, port }, behind()), new RegExp(`port ${port} .*--listen`));
    const second = behind();
    const server = await serverFor({ ...here, port, isNamed: false }, second);
    assert.equal(server.url, undefined);
    assert.match(second.lines.join(''), /warn API NOT STARTED/);
  });
});

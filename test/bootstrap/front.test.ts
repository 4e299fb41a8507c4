import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { openFront } from '../../src/bootstrap/http-server.ts';
import type { Listen } from '../../src/cli/house.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { ownCertificate } from '../http/support/certificate.ts';
import { fleetWorld } from '../support/fleet-world.ts';

const folder = await mkdtemp(join(tmpdir(), 'front-'));
after(() => rm(folder, { recursive: true }));

/** A process on a store of its own. */
function behind() {
  const lines: string[] = [];
  const log = createLog({ write: (line) => void lines.push(line) }, { form: 'text', level: 'info' });
  const { yard, store } = fleetWorld();
  const clock = { now: Date.now, sleep: (ms: number, signal?: AbortSignal) => yard.clock.sleep(ms, signal) };
  return {
    lines,
    store,
    ground: { store, outside: yard.outside, clock, log },
    isAlone: false,
    callerLimit: { perSecond: 3, burst: 7 },
  };
}

const here: Listen = { host: '127.0.0.1', port: 0, isNamed: true };
const everywhere: Listen = { ...here, host: '0.0.0.0' };
const draft = { name: 'ci', grants: [{ role: 'viewer' }], maker: { person: 'kim', identities: [] } } as const;

describe('who may be listened to', () => {
  it('this machine', async () => {
    const front = await openFront(here, behind());
    assert.match(front.url ?? '', /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.deepEqual([front.firstToken, (await fetch(`${front.url}/livez`)).status], [undefined, 200]);
    assert.equal((await fetch(`${front.url}/v1/whoami`)).status, 401);
    await front.close();
    await assert.rejects(fetch(`${front.url}/livez`));
  });

  it('each caller, as often as somebody chose', async () => {
    const front = await openFront(here, behind());
    const { headers } = await fetch(`${front.url}/livez`).finally(() => front.close());
    assert.equal(headers.get('ratelimit-policy'), '"caller";q=7;w=3');
  });

  it('nobody else, where others could listen in or nobody could prove who they are', async () => {
    const without = behind();
    await assert.rejects(openFront({ ...everywhere, tls: 'proxy' }, without), /setpoint token make.*--access/);
    await without.store.tokens.make({ ...draft, expiresAt: Date.now() - 1 });
    await assert.rejects(openFront({ ...everywhere, tls: 'proxy' }, without), /setpoint token make/, 'it has run out');
    await without.store.tokens.make({ ...draft, expiresAt: Date.now() + 60_000 });
    await assert.rejects(openFront(everywhere, without), /--tls-cert and --tls-key.*--tls-by-proxy/);
    const front = await openFront({ ...everywhere, tls: 'proxy' }, without);
    assert.match(front.url ?? '', /^http:\/\/0\.0\.0\.0:\d+$/);
    await front.close();
  });

  it('whoever knows our certificate', async () => {
    const { cert, key } = ownCertificate();
    const tls = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
    await assert.rejects(openFront({ ...here, tls }, behind()), /cert\.pem of --tls-cert cannot be read/);
    await Promise.all([writeFile(tls.cert, cert), writeFile(tls.key, key)]);
    const front = await openFront({ ...here, tls }, behind());
    const headers = await new Promise<NodeJS.Dict<unknown>>((resolve, reject) => {
      const asked = request(`${front.url}/livez`, { ca: cert }, (answer) => resolve(answer.resume().headers));
      asked.on('error', reject).end();
    });
    assert.match(String(headers['strict-transport-security']), /max-age=\d+/);
    await front.close();
  });
});

describe('a process on its own database', () => {
  it('tells a first token, once, that lets an admin in', async () => {
    const alone = { ...behind(), isAlone: true };
    const front = await openFront(here, alone);
    const headers = { authorization: `Bearer ${front.firstToken}` };
    assert.equal((await fetch(`${front.url}/v1/tokens`, { headers })).status, 200);
    await front.close();
    const again = await openFront(here, alone);
    assert.equal(again.firstToken, undefined);
    await again.close();
    assert.ok(!alone.lines.join('').includes('setpoint_'), 'the log is read by others');
  });
});

describe('a port that is taken', () => {
  it('is an error where it was named, and else is done without, loudly', async () => {
    const first = await openFront(here, behind());
    const port = Number(new URL(first.url ?? '').port);
    await assert.rejects(openFront({ ...here, port }, behind()), new RegExp(`port ${port} .*--listen`));
    const second = behind();
    const front = await openFront({ ...here, port, isNamed: false }, second);
    assert.equal(front.url, undefined);
    assert.match(second.lines.join(''), /warn THE API IS NOT SERVED/);
    await front.close();
    await first.close();
  });
});

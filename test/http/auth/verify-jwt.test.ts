import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { claimsAt, goodHead, issuer, jwt, keys } from '../../../bench/hostile-tokens/world.ts';
import type { Access, Issuer } from '../../../src/core/access/access-document.ts';
import { authenticateIssuerToken } from '../../../src/http/auth/authenticator.ts';
import { fetchJson } from '../../../src/http/auth/fetch-json.ts';
import { ProblemError } from '../../../src/http/problem.ts';
import type { Log } from '../../../src/ports/clock-and-log.ts';
import { virtualClock } from '../../support/virtual-clock.ts';

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, with: () => silent };
const clock = virtualClock();
const seconds = Math.floor(clock.now() / 1_000);
const lasting = `${issuer.issuer}#248289761001`;
const shown = { ...keys.main.publicKey.export({ format: 'jwk' }), kid: 'main' };

function front(said: Partial<Issuer> = {}, bindings: Access['bindings'] = []) {
  const access: Access = {
    apiVersion: 'setpoint.dev/v1',
    kind: 'Access',
    oidc: [{ ...issuer, jwks: 'https://login.acme.example/keys', ...said }],
    bindings,
  };
  const ask = authenticateIssuerToken({ access, clock, log: silent, fetchJson: async () => ({ keys: [shown] }) });
  return (claims: object = {}, head: object = {}) =>
    ask(jwt({ ...goodHead, ...head }, { ...claimsAt(clock.now()), ...claims }));
}

describe('whom a token of an issuer lets in', () => {
  it('a person with a verified e-mail is known by it, and by what never changes', async () => {
    assert.deepEqual(await front()(), {
      id: `oidc:${lasting}`,
      person: 'ann@acme.example',
      identities: ['ann@acme.example', lasting],
      grants: [],
      expiresAt: (seconds + 3_600) * 1_000,
    });
  });

  for (const [name, claims] of [
    ['one that is not verified', { email_verified: false }],
    ['one of which nothing is said', { email_verified: undefined }],
    ['none', { email: undefined }],
  ] as const)
    it(`an e-mail counts where it is verified: ${name} does not`, async () => {
      const caller = await front({}, [{ who: { person: 'ann@acme.example' }, role: 'admin' }])(claims);
      assert.deepEqual([caller?.person, caller?.identities, caller?.grants], [lasting, [lasting], []]);
    });

  it('by the claim that the access file names, and by a verified e-mail too', async () => {
    const caller = await front({ claims: { person: 'upn' } })({ upn: 'ann' });
    assert.deepEqual([caller?.person, caller?.identities], ['ann', ['ann@acme.example', 'ann', lasting]]);
  });

  it('a claim of another name is not looked at', async () => {
    const ask = front({ claims: { person: 'upn', groups: 'roles' } }, [{ who: { group: 'team-net' }, role: 'admin' }]);
    assert.deepEqual((await ask({ email: undefined }))?.person, lasting);
    assert.deepEqual((await ask())?.grants, []);
    assert.deepEqual((await ask({ roles: ['team-net'] }))?.grants, [{ role: 'admin' }]);
  });

  it('what is good for other parties as well is for us where we are the party', async () => {
    assert.ok(await front()({ aud: ['setpoint', 'grafana'], azp: 'setpoint' }));
  });

  it('an access token by its type, and one without a type where the access file says so', async () => {
    assert.ok(await front()({}, { typ: 'at+jwt' }));
    assert.ok(await front()({}, { typ: 'application/at+JWT' }));
    assert.ok(await front({ untyped: true })({}, { typ: undefined }));
    assert.equal(await front({ untyped: true })({}, { typ: 'logout+jwt' }), undefined);
  });

  it('clocks may differ by a minute', async () => {
    assert.ok(await front()({ iat: seconds + 60, nbf: seconds + 60 }));
    assert.equal(await front()({ iat: seconds + 61 }), undefined);
    assert.equal(await front()({ nbf: seconds + 61 }), undefined);
  });

  it('a token lasts a day at most', async () => {
    assert.ok(await front()({ exp: seconds + 86_400 }));
    assert.equal(await front()({ exp: seconds + 86_401 }), undefined);
  });
});

describe('the issuer itself', () => {
  it('on this machine is asked for its keys over the wire, where the access file says so', async (t) => {
    const server = createServer((request, response) => {
      const isKeys = request.url === '/keys';
      response.end(JSON.stringify(isKeys ? { keys: [shown] } : { issuer: here, jwks_uri: `${here}/keys` }));
    }).listen(0, '127.0.0.1');
    t.after(() => {
      server.close();
      server.closeAllConnections();
    });
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // why: it listens on a port
    const here = `http://127.0.0.1:${port}`;
    const local = { ...issuer, issuer: here, allowLocal: true };
    const access = { apiVersion: 'setpoint.dev/v1', kind: 'Access', oidc: [local], bindings: [] } as const;
    const ask = authenticateIssuerToken({ access, clock, log: silent, fetchJson });
    const claims = { ...claimsAt(clock.now()), iss: here };
    assert.equal((await ask(jwt(goodHead, claims)))?.person, 'ann@acme.example');
    assert.equal(await ask(jwt(goodHead, claims, { key: keys.nobodys.privateKey })), undefined);
  });

  it('is away: come again, and nobody is let in', async () => {
    const access = { apiVersion: 'setpoint.dev/v1', kind: 'Access', oidc: [issuer], bindings: [] } as const;
    const gone = () => Promise.reject(new Error('gone'));
    const ask = authenticateIssuerToken({ access, clock, log: silent, fetchJson: gone });
    const text = jwt(goodHead, claimsAt(clock.now()));
    await assert.rejects(ask(text), (error) => error instanceof ProblemError && error.problem.status === 503);
    assert.equal(await ask(jwt(goodHead, claimsAt(clock.now() - 7_200_000))), undefined, 'an expired one needs no key');
  });
});

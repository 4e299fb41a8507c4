import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Webhook } from '../../../../src/http/webhooks/webhook.ts';
import { type Front, frontOf, push } from '../../support/front.ts';
import { type Google, goodClaims, goodHead, kid, rsa, startGoogle, token } from '../../support/google.ts';
import { logEntry, pubsub } from '../../support/sent.ts';

const start = Date.UTC(2026, 0, 1);
const seconds = Math.floor(start / 1000);
let google: Google;
before(async () => {
  google = await startGoogle();
});
after(() => google.close());

const hook = (url: string): Webhook => ({ name: 'pubsub', from: 'pubsub', ...push, keys: url });
const frontTo = (url = google.url): Front => frontOf({ more: [hook(url)] });
const claims = goodClaims(start);
const signed = (head: object, said: object | string): string => token(head, said, { key: google.pair.privateKey });
const good = (): string => signed(goodHead, claims);

describe('a message that Google pushes', () => {
  it('is passed on as the entry of the audit log, once', async () => {
    const front = frontTo();
    assert.deepEqual(JSON.parse((await front.send('pubsub', pubsub(good()))).text), { accepted: 1, repeated: 0 });
    assert.deepEqual(JSON.parse((await front.send('pubsub', pubsub(good()))).text), { accepted: 0, repeated: 1 });
    await front.settle();
    assert.deepEqual(front.counts.touched, [{ estate: 'acme', cloud: 'gcp', events: [logEntry] }]);
  });

  it('that holds no entry is taken and passed over: a refusal would be repeated for days', async () => {
    const front = frontTo();
    const { status, text } = await front.send('pubsub', pubsub(good(), { entry: 'no object' }));
    assert.deepEqual([status, JSON.parse(text)], [202, { accepted: 0, repeated: 0 }]);
    await front.settle();
    assert.deepEqual(front.counts.touched, []);
  });

  it('without an id is none', async () => {
    const { headers } = pubsub(good());
    assert.equal((await frontTo().send('pubsub', { headers, body: '{"message":{}}' })).status, 400);
  });

  it('costs no fetch of the keys while they are known', async () => {
    const own = await startGoogle();
    after(own.close);
    const front = frontTo(own.url);
    const jwt = token(goodHead, claims, { key: own.pair.privateKey });
    for (let i = 0; i < 20; i += 1) assert.equal((await front.send('pubsub', pubsub(jwt, { id: `${i}` }))).status, 202);
    for (let i = 0; i < 20; i += 1)
      await front.send('pubsub', pubsub(token({ ...goodHead, kid: `k${i}` }, claims, { key: own.pair.privateKey })));
    assert.equal(own.fetched(), 1);
  });
});

const others = rsa();
const without = (name: string): object => Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));
const pem = (): string => google.pair.publicKey.export({ format: 'pem', type: 'spki' }).toString();
const jwk = () => others.publicKey.export({ format: 'jwk' });
const [head, body, signature] = [0, 1, 2].map((index) => () => good().split('.')[index] ?? '');

/** Made when it is needed: the keys are. */
const bad: readonly (readonly [name: string, jwt: () => string])[] = [
  ['none at all', () => ''],
  ['no JWT', () => 'a.b.c'],
  ['only two parts', () => `${head?.()}.${body?.()}`],
  ['four parts', () => `${good()}.x`],
  ['alg none, not signed', () => token({ ...goodHead, alg: 'none' }, claims)],
  ['alg none with a signature', () => token({ ...goodHead, alg: 'none' }, claims, { key: google.pair.privateKey })],
  ['alg None', () => token({ ...goodHead, alg: 'None' }, claims, { key: google.pair.privateKey })],
  ['RS256 with its signature cut off', () => `${head?.()}.${body?.()}.`],
  ['HS256 with the public key in PEM', () => token({ ...goodHead, alg: 'HS256' }, claims, { key: pem() })],
  [
    'HS256 with the public key in DER',
    () =>
      token({ ...goodHead, alg: 'HS256' }, claims, {
        key: google.pair.publicKey.export({ format: 'der', type: 'spki' }),
      }),
  ],
  ['HS256 with an empty key', () => token({ ...goodHead, alg: 'HS256' }, claims, { key: '' })],
  [
    'RS512, of the right key',
    () => token({ ...goodHead, alg: 'RS512' }, claims, { key: google.pair.privateKey, digest: 'sha512' }),
  ],
  ['PS256', () => signed({ ...goodHead, alg: 'PS256' }, claims)],
  [
    'RS256 in the head, SHA-1 in the signature',
    () => token(goodHead, claims, { key: google.pair.privateKey, digest: 'sha1' }),
  ],
  ['no alg', () => signed({ kid, typ: 'JWT' }, claims)],
  ["another's key under the kid of Google's", () => token(goodHead, claims, { key: others.privateKey })],
  ['an unknown kid', () => signed({ ...goodHead, kid: 'unknown' }, claims)],
  ['no kid', () => signed({ alg: 'RS256', typ: 'JWT' }, claims)],
  ['a kid that is a path', () => signed({ ...goodHead, kid: '../../../dev/null' }, claims)],
  ['a kid that is SQL', () => signed({ ...goodHead, kid: "x' OR '1'='1" }, claims)],
  [
    "jku: another's keys",
    () => token({ ...goodHead, kid: 'x', jku: 'http://127.0.0.1:1/jwks' }, claims, { key: others.privateKey }),
  ],
  [
    "x5u: another's certificate",
    () => token({ ...goodHead, kid: 'x', x5u: 'http://127.0.0.1:1/x' }, claims, { key: others.privateKey }),
  ],
  ["jwk: another's key in the head", () => token({ ...goodHead, jwk: jwk() }, claims, { key: others.privateKey })],
  ['a critical extension', () => signed({ ...goodHead, crit: ['exp2'], exp2: 1 }, claims)],
  ['b64 false', () => signed({ ...goodHead, crit: ['b64'], b64: false }, claims)],
  ['of another kind of token', () => signed({ ...goodHead, typ: 'at+jwt' }, claims)],
  [
    'another body under the signature',
    () => `${head?.()}.${Buffer.from(JSON.stringify({ ...claims, sub: '1' })).toString('base64url')}.${signature?.()}`,
  ],
  ['a body that is no object', () => signed(goodHead, '"claims"')],
  ['a body that is a list', () => signed(goodHead, '[]')],
  ['another audience', () => signed(goodHead, { ...claims, aud: 'https://other.example' })],
  ['an audience that begins as ours', () => signed(goodHead, { ...claims, aud: `${push.audience}/x` })],
  ['no audience', () => signed(goodHead, without('aud'))],
  ['several audiences', () => signed(goodHead, { ...claims, aud: [push.audience, 'https://other.example'] })],
  ['another issuer', () => signed(goodHead, { ...claims, iss: 'https://accounts.google.com.evil.example' })],
  ['the issuer without its scheme', () => signed(goodHead, { ...claims, iss: 'accounts.google.com' })],
  ['no issuer', () => signed(goodHead, without('iss'))],
  ["another's service account", () => signed(goodHead, { ...claims, email: 'push@other.iam.gserviceaccount.com' })],
  [
    'the service account in other letters',
    () => signed(goodHead, { ...claims, email: push.serviceAccount.toUpperCase() }),
  ],
  ['no e-mail', () => signed(goodHead, without('email'))],
  ['an e-mail that is not verified', () => signed(goodHead, { ...claims, email_verified: false })],
  ['an e-mail that is verified in words', () => signed(goodHead, { ...claims, email_verified: 'true' })],
  ['expired', () => signed(goodHead, { ...claims, iat: seconds - 7200, exp: seconds - 3600 })],
  ['no expiry', () => signed(goodHead, without('exp'))],
  ['an expiry in words', () => signed(goodHead, { ...claims, exp: String(seconds + 3600) })],
  [
    'good for years, made long ago',
    () => signed(goodHead, { ...claims, iat: seconds - 86_400, exp: seconds + 86_400 * 365 }),
  ],
  ['made in the future', () => signed(goodHead, { ...claims, iat: seconds + 600, exp: seconds + 4200 })],
  ['not good yet', () => signed(goodHead, { ...claims, nbf: seconds + 600 })],
  ['of no moment', () => signed(goodHead, without('iat'))],
  ['of nobody', () => signed(goodHead, without('sub'))],
  ['of more than 4 KiB', () => signed(goodHead, { ...claims, pad: 'x'.repeat(4096) })],
];

describe('a token that is not', () => {
  for (const [name, jwt] of bad)
    it(`${name}: refused`, async () => {
      const front = frontTo();
      assert.equal((await front.send('pubsub', pubsub(jwt()))).status, 401);
      await front.settle();
      assert.deepEqual([front.counts.touched, front.counts.firsts], [[], 0]);
    });

  it('where the good one is taken', async () => {
    assert.equal((await frontTo().send('pubsub', pubsub(good()))).status, 202);
  });

  for (const authorization of ['', 'Basic dXNlcjpwYXNz', 'Bearer', 'bearer  x.y.z'])
    it(`authorization: "${authorization}": refused`, async () => {
      const sent = pubsub('');
      const answer = await frontTo().send('pubsub', { ...sent, headers: { ...sent.headers, authorization } });
      assert.equal(answer.status, 401);
    });
});

describe('keys that cannot be had', () => {
  it('at an address that nobody allowed: refused, and nothing is fetched', async () => {
    const before = google.fetched();
    const front = frontOf({ more: [hook(google.url)], wired: { allowOwnKeys: false } });
    assert.equal((await front.send('pubsub', pubsub(good()))).status, 401);
    assert.equal(google.fetched(), before);
    assert.ok(front.lines.some((line) => line.includes('its keys are not allowed')));
  });

  it('at an address that is not this machine: refused, though allowed', async () => {
    const front = frontTo('https://keys.example/certs');
    assert.equal((await front.send('pubsub', pubsub(good()))).status, 401);
    assert.ok(front.lines.some((line) => line.includes('its keys are not allowed')));
  });

  it('as they are away: refused, and the log says so', async () => {
    const broken = await startGoogle({ status: 500 });
    after(broken.close);
    const front = frontTo(broken.url);
    assert.equal((await front.send('pubsub', pubsub(good()))).status, 401);
    assert.ok(front.lines.some((line) => line.includes('its proof is out of reach')));
  });
});

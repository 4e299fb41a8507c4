import { createHmac } from 'node:crypto';
import type { Figure } from './figure.ts';
import {
  claimsAt,
  type Guards,
  goodHead,
  type HostileWorld,
  hostileWorld,
  issuer,
  jwt,
  keys,
  without,
  withSignature,
} from './hostile-tokens/world.ts';

/** A token that was not refused. `taken`: it was accepted. `broke`: another error ended the attempt. */
export interface Breach extends Pick<Row, 'of' | 'what'> {
  readonly how: 'taken' | 'broke';
}

/** Those of the rows that are not refused. Each is put to a front of its own, as the first that it is asked. */
export async function breachesIn(
  world: HostileWorld,
  some: readonly Row[],
  guards: Partial<Guards> = {},
): Promise<readonly Breach[]> {
  const breaches: Breach[] = [];
  for (const { of, what, header } of some) {
    const how = await world
      .front(guards)(header(world))
      .then(
        (caller) => (caller === undefined ? undefined : 'taken'),
        () => 'broke' as const,
      );
    if (how !== undefined) breaches.push({ of, what, how });
  }
  return breaches;
}

/** Credentials that are forged, stale or not for us. The value is how many are not refused; asked: none. */
export async function hostileTokens(guards: Partial<Guards> = {}): Promise<readonly Figure[]> {
  const world = await hostileWorld();
  for (const good of [world.tokens.good.text, jwt(goodHead, claimsAt(world.now))])
    if ((await world.front(guards)(`Bearer ${good}`)) === undefined) throw new Error('what is genuine is refused');
  const breaches = await breachesIn(world, rows, guards);
  for (const breach of breaches) console.error(JSON.stringify(breach));
  return [{ name: 'tokens', value: breaches.length, unit: `not refused, of ${rows.length} bad JWTs and tokens` }];
}

/** A credential that must let nobody in. `of`: the check that it is for; `header`: of Authorization. */
export interface Row {
  readonly of: string;
  readonly what: string;
  header(world: HostileWorld): string;
}

type Said = Readonly<Record<string, unknown>>;
type Made = (claims: Said, world: HostileWorld) => string;

const jwts = (of: string, rows: Readonly<Record<string, Made>>): readonly Row[] =>
  Object.entries(rows).map(([what, made]) => ({
    of,
    what,
    header: (world) => `Bearer ${made(claimsAt(world.now), world)}`,
  }));

/** Signed by the issuer, and so worth as much as what it says. */
const headed = (of: string, heads: Readonly<Record<string, Said>>): readonly Row[] =>
  jwts(of, Object.fromEntries(Object.entries(heads).map(([what, head]) => [what, (claims) => jwt(head, claims)])));

const saying = (
  of: string,
  rows: Readonly<Record<string, (claims: Said, seconds: number) => object | string>>,
): readonly Row[] =>
  jwts(
    of,
    Object.fromEntries(
      Object.entries(rows).map(([what, change]) => [
        what,
        (claims, { now }) => jwt(goodHead, change(claims, Math.floor(now / 1_000))),
      ]),
    ),
  );

const pem = (): string => keys.main.publicKey.export({ format: 'pem', type: 'spki' }).toString();
const jwk = () => keys.nobodys.publicKey.export({ format: 'jwk' });
const nobodys = { key: keys.nobodys.privateKey };

function byHmac(head: Said, claims: Said, secret: string): string {
  const text = withSignature(head, claims, Buffer.from('x')).split('.').slice(0, 2).join('.');
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

/** The same bytes, written with bits that mean nothing. */
function rewritten(text: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = letters.indexOf(text.at(-1) ?? 'A');
  return `${text.slice(0, -1)}${letters[last ^ 1]}`;
}

const day = 24 * 3600;

const forms: readonly Row[] = [
  ...jwts('size', { 'of more than 8 KiB': (claims) => jwt(goodHead, { ...claims, pad: 'x'.repeat(8_192) }) }),
  ...jwts('canonical', { 'written in another way': (claims) => rewritten(jwt(goodHead, claims)) }),
  ...jwts('signature', {
    'no signature': (claims) => withSignature(goodHead, claims, Buffer.alloc(0)),
    'two parts': (claims) => jwt(goodHead, claims).split('.').slice(0, 2).join('.'),
    'four parts': (claims) => `${jwt(goodHead, claims)}.x`,
    'encrypted, in five parts': (claims) => `${jwt(goodHead, claims)}.x.x`,
    'a head that is no JSON': (claims) => jwt('{', claims),
    'a head that is a list': (claims) => jwt('[]', claims),
    'claims that are a text': () => jwt(goodHead, '"claims"'),
    'claims that are null': () => jwt(goodHead, 'null'),
    'no token at all': () => 'x',
  }),
];

const heads: readonly Row[] = [
  ...headed('algorithm', {
    'an algorithm of the same key that is not pinned': { ...goodHead, alg: 'PS256' },
    'no algorithm': without(goodHead, 'alg'),
    'an algorithm in small letters': { ...goodHead, alg: 'rs256' },
    'a list of algorithms': { ...goodHead, alg: ['RS256'] },
  }),
  ...jwts('algorithm', {
    'alg none, unsigned': (claims) => withSignature({ ...goodHead, alg: 'none' }, claims, Buffer.alloc(0)),
    'alg none, with a signature': (claims) => jwt({ ...goodHead, alg: 'none' }, claims),
    'alg None': (claims) => withSignature({ ...goodHead, alg: 'None' }, claims, Buffer.from('x')),
    'HS256 by the public key': (claims) => byHmac({ ...goodHead, alg: 'HS256' }, claims, pem()),
    'HS256 by the modulus': (claims) => byHmac({ ...goodHead, alg: 'HS256' }, claims, String(jwkOf().n)),
    'HS256 by an empty secret': (claims) => byHmac({ ...goodHead, alg: 'HS256' }, claims, ''),
    'RS512, which is not pinned': (claims) => jwt({ ...goodHead, alg: 'RS512' }, claims, { hash: 'sha512' }),
  }),
  ...headed('typ', {
    'a token for logging out': { ...goodHead, typ: 'logout+jwt' },
    'a proof of a key': { ...goodHead, typ: 'dpop+jwt' },
    'no typ': without(goodHead, 'typ'),
    'a typ that is a number': { ...goodHead, typ: 1 },
  }),
  ...headed('crit', {
    'a critical extension that we do not know': { ...goodHead, crit: ['exp2'], exp2: 1 },
    'a critical extension that the library knows': { ...goodHead, crit: ['b64'], b64: true },
    'a body that is not base64': { ...goodHead, crit: ['b64'], b64: false },
    'an empty list of critical extensions': { ...goodHead, crit: [] },
  }),
  ...headed('own-keys', {
    'jku beside what is genuine': { ...goodHead, jku: 'https://evil.example/keys' },
    'x5u beside what is genuine': { ...goodHead, x5u: 'https://evil.example/x' },
    'jwk beside what is genuine': { ...goodHead, jwk: jwk() },
  }),
  ...jwts('signature', {
    "jku: another's keys": (claims) => jwt({ ...goodHead, jku: 'https://evil.example/keys' }, claims, nobodys),
    "jku, under a kid of another's": (claims) =>
      jwt({ ...goodHead, kid: 'x', jku: 'https://evil.example/keys' }, claims, nobodys),
    "x5u: another's certificate": (claims) => jwt({ ...goodHead, x5u: 'https://evil.example/x' }, claims, nobodys),
    "jwk: another's key in the head": (claims) => jwt({ ...goodHead, jwk: jwk() }, claims, nobodys),
  }),
  ...jwts('kid', {
    'no kid, by a key without one': (claims) => jwt(without(goodHead, 'kid'), claims, { key: keys.unnamed.privateKey }),
    'no kid': (claims) => jwt(without(goodHead, 'kid'), claims),
    'a kid that is a number': (claims) => jwt({ ...goodHead, kid: 1 }, claims),
    'a kid that is a path': (claims) => jwt({ ...goodHead, kid: '../../../../dev/null' }, claims),
    'a kid that is SQL': (claims) => jwt({ ...goodHead, kid: "x' UNION SELECT 'key" }, claims),
    'a kid that is an address': (claims) => jwt({ ...goodHead, kid: 'https://evil.example/key' }, claims),
    'a kid of thousands of letters': (claims) => jwt({ ...goodHead, kid: 'k'.repeat(2_000) }, claims),
    'an unknown kid': (claims) => jwt({ ...goodHead, kid: 'unknown' }, claims),
    "the kid of another issuer's key": (claims) =>
      jwt({ ...goodHead, kid: 'other' }, claims, { key: keys.other.privateKey }),
    __proto__: (claims) => jwt({ ...goodHead, kid: '__proto__' }, claims),
  }),
];

const jwkOf = () => keys.main.publicKey.export({ format: 'jwk' });

const signatures: readonly Row[] = [
  ...jwts('signature', {
    "nobody's key under the issuer's kid": (claims) => jwt(goodHead, claims, nobodys),
    'other claims under a genuine signature': (claims) => {
      const [head, , signature] = jwt(goodHead, claims).split('.');
      return `${head}.${Buffer.from(JSON.stringify({ ...claims, email: 'eve@acme.example' })).toString('base64url')}.${signature}`;
    },
    'SHA-1 in the signature': (claims) => jwt(goodHead, claims, { hash: 'sha1' }),
    'an ECDSA signature of zeros': (claims) =>
      withSignature({ ...goodHead, alg: 'ES256', kid: 'curve' }, claims, Buffer.alloc(64)),
    'an RSA signature under the kid of a curve': (claims) => jwt({ ...goodHead, kid: 'curve' }, claims),
    'a signature by a key of another issuer': (claims) => jwt(goodHead, claims, { key: keys.other.privateKey }),
  }),
  ...jwts('use', {
    'a key that is for encryption': (claims) =>
      jwt({ ...goodHead, kid: 'encrypting' }, claims, { key: keys.encrypting.privateKey }),
  }),
  ...jwts('key-algorithm', {
    'a key that is for another algorithm': (claims) =>
      jwt({ ...goodHead, kid: 'longer' }, claims, { key: keys.longer.privateKey }),
  }),
];

const claims: readonly Row[] = [
  ...saying('issuer', {
    'another issuer': (said) => ({ ...said, iss: 'https://evil.example' }),
    'the issuer with a slash more': (said) => ({ ...said, iss: `${issuer.issuer}/` }),
    'the issuer as the beginning of another': (said) => ({ ...said, iss: `${issuer.issuer}.evil.example` }),
    'the issuer without its scheme': (said) => ({ ...said, iss: 'login.acme.example' }),
    'the issuer in capitals': (said) => ({ ...said, iss: issuer.issuer.toUpperCase() }),
    'no issuer': (said) => without(said, 'iss'),
    'a list of issuers': (said) => ({ ...said, iss: [issuer.issuer] }),
  }),
  ...saying('audience', {
    'another audience': (said) => ({ ...said, aud: 'grafana' }),
    'an audience that begins as ours': (said) => ({ ...said, aud: 'setpoint-dev' }),
    'the audience in capitals': (said) => ({ ...said, aud: 'SETPOINT' }),
    'several, and not ours': (said) => ({ ...said, aud: ['grafana', 'argo'] }),
  }),
  ...saying('azp', {
    'several audiences, for another party': (said) => ({ ...said, aud: ['setpoint', 'grafana'], azp: 'grafana' }),
    'several audiences, for nobody says whom': (said) => ({ ...said, aud: ['setpoint', 'grafana'] }),
  }),
  ...saying('expired', {
    expired: (said, now) => ({ ...said, iat: now - 7_200, exp: now - 3_600 }),
    'expired this second': (said, now) => ({ ...said, exp: now }),
  }),
  ...saying('lifetime', {
    'good for years': (said, now) => ({ ...said, exp: now + 3_650 * day }),
    'good for a day and a second': (said, now) => ({ ...said, exp: now + day + 1 }),
    'made long ago, good for years': (said, now) => ({ ...said, iat: 1, exp: now + day }),
  }),
  ...saying('future', { 'made in the future': (said, now) => ({ ...said, iat: now + 600 }) }),
  ...saying('early', { 'not good yet': (said, now) => ({ ...said, nbf: now + 600 }) }),
  ...saying('event', {
    'a token for logging out, as any other': (said) => ({
      ...said,
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    }),
  }),
  ...saying('bound', { 'worth something with a proof only': (said) => ({ ...said, cnf: { jkt: 'x' } }) }),
  ...saying('types', {
    'no audience': (said) => without(said, 'aud'),
    'an audience in a map': (said) => ({ ...said, aud: { setpoint: true } }),
    'no expiry': (said) => without(said, 'exp'),
    'an expiry in words': (said, now) => ({ ...said, exp: String(now + 3_600) }),
    'an expiry that is null': (said) => ({ ...said, exp: null }),
    'an expiry beyond numbers': (said) => ({ ...said, exp: 1e300 }),
    'of no moment': (said) => without(said, 'iat'),
    'a moment in words': (said, now) => ({ ...said, iat: String(now) }),
    'of nobody': (said) => without(said, 'sub'),
    'of an empty name': (said) => ({ ...said, sub: '' }),
    'of a number': (said) => ({ ...said, sub: 7 }),
    'a name with a line break': (said) => ({ ...said, sub: 'ann\nbob' }),
    'a name that reads from right to left': (said) => ({ ...said, sub: 'ann\u202e' }),
    'a name of thousands of letters': (said) => ({ ...said, sub: 'a'.repeat(2_000) }),
    'an e-mail that is a list': (said) => ({ ...said, email: ['ann@acme.example'] }),
    'an e-mail that is verified in words': (said) => ({ ...said, email_verified: 'true' }),
    'groups in one text': (said) => ({ ...said, groups: 'admins' }),
    'a group that is a map': (said) => ({ ...said, groups: [{ name: 'admins' }] }),
    'not before, in words': (said) => ({ ...said, nbf: 'now' }),
  }),
];

const bearer = (of: string, rows: Readonly<Record<string, (world: HostileWorld) => string>>): readonly Row[] =>
  Object.entries(rows).map(([what, header]) => ({ of, what, header }));

const ours: readonly Row[] = [
  ...bearer('secret', {
    'a token with another secret': ({ tokens: { good } }) => `Bearer setpoint_${good.token.id}_${'A'.repeat(43)}`,
    'a token with the secret of another': ({ tokens: { good, revoked } }) =>
      `Bearer setpoint_${good.token.id}_${revoked.text.slice(-43)}`,
    'an id that there is not': ({ tokens: { good } }) => `Bearer setpoint_${'0'.repeat(16)}_${good.text.slice(-43)}`,
    'a token without its last letter': ({ tokens: { good } }) => `Bearer ${good.text.slice(0, -1)}`,
    'a token with a letter more': ({ tokens: { good } }) => `Bearer ${good.text}A`,
    'a token without its secret': ({ tokens: { good } }) => `Bearer setpoint_${good.token.id}_`,
    'an id that is SQL': () => `Bearer setpoint_'or'1_${'A'.repeat(43)}`,
  }),
  ...bearer('token-expired', { 'an expired token': ({ tokens: { expired } }) => `Bearer ${expired.text}` }),
  ...bearer('token-revoked', { 'a revoked token': ({ tokens: { revoked } }) => `Bearer ${revoked.text}` }),
  ...bearer('scheme', {
    'a good token by Basic': ({ tokens: { good } }) => `Basic ${Buffer.from(`x:${good.text}`).toString('base64')}`,
    'a good token by another scheme': ({ tokens: { good } }) => `Token ${good.text}`,
    'a good token without a scheme': ({ tokens: { good } }) => good.text,
    'two blanks': ({ tokens: { good } }) => `Bearer  ${good.text}`,
    'two tokens in one header': ({ tokens: { good } }) => `Bearer x, Bearer ${good.text}`,
    nothing: () => '',
    'Bearer alone': () => 'Bearer',
  }),
];

/** Tokens to be refused, each by the check it belongs to. */
export const rows: readonly Row[] = [...forms, ...heads, ...signatures, ...claims, ...ours];

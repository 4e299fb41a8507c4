import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { route } from '../../../src/http/api/route.ts';
import { notFound, ProblemError } from '../../../src/http/problem.ts';
import { Declined } from '../../../src/ports/queries.ts';
import { until } from '../../support/until.ts';
import { apiWorld, callerOf } from './support/api-world.ts';

const thing = route({
  method: 'GET',
  path: '/v1/things/{+name}',
  operation: {
    id: 'readThing',
    tag: 'Things',
    summary: 'One thing',
    responses: { 200: { description: 'It', schema: z.object({ name: z.string(), by: z.string() }) } },
  },
  permission: 'read',
  request: {
    params: z.strictObject({ name: z.string().max(20) }),
    query: z.strictObject({ size: z.enum(['s', 'l']).optional() }),
  },
  handle: async ({ params: { name }, context: { caller } }) => {
    if (name === 'none') throw new ProblemError(notFound);
    return { status: 200, body: { name, by: caller.person, secret: 'hush' } };
  },
});

const made: unknown[] = [];
const make = route({
  method: 'POST',
  path: '/v1/things',
  operation: { id: 'makeThing', tag: 'Things', summary: 'Makes one', responses: { 204: { description: 'Made' } } },
  permission: 'operate',
  request: { body: z.strictObject({ name: z.string() }), bodyBytes: 100 },
  handle: async ({ body }) => {
    made.push(body);
    return { status: 204, body: undefined };
  },
});

const much: unknown[] = [];
const begun: (() => void)[] = [];
const takeMuch = route({
  method: 'POST',
  path: '/v1/much',
  operation: {
    id: 'takeMuch',
    tag: 'Things',
    summary: 'Takes large bodies',
    responses: { 204: { description: 'Taken' } },
  },
  permission: 'operate',
  maySendLargeBody: ({ grants }) => grants.every(({ owners }) => owners === undefined),
  request: { body: z.strictObject({ texts: z.array(z.string()) }), bodyBytes: 8 * 1024 * 1024 },
  handle: async ({ body }) => {
    much.push(body.texts.length);
    await new Promise<void>((go) => begun.push(go));
    return { status: 204, body: undefined };
  },
});
const large = { texts: ['a'.repeat(70_000)] };

const broken = route({
  method: 'GET',
  path: '/v1/broken',
  operation: {
    id: 'readBroken',
    tag: 'Things',
    summary: 'Answers what it does not declare',
    responses: { 200: { description: 'It', schema: z.object({ count: z.number() }) } },
  },
  request: {},
  handle: async () => ({ status: 200, body: { count: 'k4narie' } }),
});

const late = route({
  method: 'GET',
  path: '/v1/late',
  operation: {
    id: 'readLate',
    tag: 'Things',
    summary: 'Asks a store that declines',
    responses: { 200: { description: 'It', schema: z.object({}) } },
  },
  request: {},
  handle: async () => {
    throw new Declined('too-many', 'It took too long.', { cause: new Error('hush') });
  },
});

const cases: readonly [name: string, who: string, what: string, status: number, part: string][] = [
  [
    'what is declared is answered, and nothing else',
    'viewer',
    'GET /v1/things/a',
    200,
    '{"name":"a","by":"viewer of acme"}',
  ],
  ['an address keeps its slashes', 'viewer', 'GET /v1/things/a/b%2Fc', 200, '"name":"a/b/c"'],
  ['without a credential', '', 'GET /v1/things/a', 401, '"status":401'],
  ['with one that nobody has', 'mallory', 'GET /v1/things/a', 401, '"status":401'],
  ['what is not there', 'viewer', 'GET /v1/things/none', 404, 'does not exist, or your grants do not cover it'],
  [
    'a query key that there is none of',
    'viewer',
    'GET /v1/things/a?sort=x',
    400,
    '"at":"sort","expected":"nothing of this name"',
  ],
  ['a query key twice', 'viewer', 'GET /v1/things/a?size=s&size=l', 400, '"at":"size","expected":"once"'],
  ['a value that is none of those', 'viewer', 'GET /v1/things/a?size=xyzzy', 400, '"at":"size","expected":"s or l"'],
  ['a path that is too long', 'viewer', `GET /v1/things/${'a'.repeat(21)}`, 400, '"expected":"at most 20 characters"'],
  ['who may do it nowhere', 'viewer', 'POST /v1/things', 403, '"permission":"operate"'],
  ['no body where one is needed', 'operator', 'POST /v1/things', 400, '"in":"body"'],
  ['a method that the path has not', 'operator', 'DELETE /v1/things', 405, 'Allow'],
  ['a method that nobody has', 'operator', 'PUT /v1/things/a', 405, 'Allow'],
  ['what its schema does not declare', '', 'GET /v1/broken', 500, 'defect'],
  ['what a store declines', '', 'GET /v1/late', 429, 'It took too long.'],
  ['a bad credential where none is needed', 'mallory', 'GET /v1/broken', 401, '"status":401'],
];

describe('the frame of the API', () => {
  for (const [name, who, what, status, part] of cases)
    it(name, async () => {
      const api = apiWorld({ routes: [thing, make, broken, late] });
      const answer = await api.ask(who, what);
      assert.equal(answer.status, status, answer.text);
      assert.ok(answer.text.includes(part), answer.text);
      assert.ok(!/hush|xyzzy|k4narie/.test(answer.text + api.lines.join('')), answer.text);
      await api.close();
    });

  it('hands over a body that fits, and refuses the others', async () => {
    const api = apiWorld({ routes: [make] });
    const bodies: readonly [body: unknown, status: number][] = [
      [{ name: 'a' }, 204],
      [{ name: 'a', more: 1 }, 400],
      [Buffer.from('{"name":"a"'), 400],
      [Buffer.from('{"name":"a","__proto__":{}}'), 400],
      [Buffer.from('['.repeat(40) + ']'.repeat(40)), 400],
      [{ name: 'a'.repeat(100) }, 413],
    ];
    for (const [body, status] of bodies) {
      const answer = await api.ask('operator', 'POST /v1/things', { body });
      assert.equal(answer.status, status, answer.text);
    }
    const text = await api.ask('operator', 'POST /v1/things', {
      body: { name: 'a' },
      headers: { 'content-type': 'text/plain' },
    });
    assert.equal(text.status, 415);
    assert.deepEqual(made, [{ name: 'a' }]);
    await api.close();
  });

  it('refuses a large body of who may send none, before it is read', async () => {
    const bounded = callerOf('operator', { grants: [{ role: 'operator', estates: ['acme'], owners: ['web'] }] });
    const api = apiWorld({ routes: [takeMuch], callers: { bounded } });
    const answer = await api.ask('bounded', 'POST /v1/much', { body: Buffer.from('['.repeat(70_000)) });
    assert.equal(answer.status, 403, answer.text);
    await api.close();
  });

  it('takes one large body of a caller at a time, and none of more parts than it says', async () => {
    const api = apiWorld({ routes: [takeMuch], callers: { other: callerOf('operator', { id: 'other' }) } });
    much.length = 0;
    const first = api.ask('operator', 'POST /v1/much', { body: large });
    const others = api.ask('other', 'POST /v1/much', { body: large });
    await until('both bodies are read', () => much.length === 2);
    const second = await api.ask('operator', 'POST /v1/much', { body: large });
    assert.deepEqual([second.status, second.headers['retry-after']], [429, '1'], second.text);
    for (const go of begun.splice(0)) go();
    assert.deepEqual([(await first).status, (await others).status], [204, 204]);
    const full = await api.ask('operator', 'POST /v1/much', {
      body: { texts: Array.from({ length: 60_000 }, String) },
    });
    assert.equal(full.status, 400, full.text);
    assert.match(full.text, /more than 40000 keys/);
    await api.close();
  });

  it('says which methods there are', async () => {
    const api = apiWorld({ routes: [thing, make] });
    const { status, headers } = await api.ask('', 'OPTIONS /v1/things');
    assert.deepEqual([status, headers['allow']], [204, 'POST, OPTIONS']);
    assert.equal((await api.ask('viewer', 'HEAD /v1/things/a')).text, '');
    await api.close();
  });
});

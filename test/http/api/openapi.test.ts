import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { z } from 'zod';
import { type OpenApiDocument, openApiDocument } from '../../../src/http/api/openapi.ts';
import { route } from '../../../src/http/api/route.ts';
import { eventSchema } from '../../../src/http/api/schemas/event.ts';
import { apiWorld } from './support/api-world.ts';
import { documentCheck } from './support/document-check.ts';
import { everyRoute } from './support/every-route.ts';

const evil = '<script src=https://evil.example/x.js></script>';
const strange = route({
  method: 'POST',
  path: '/v1/strange/{name}',
  operation: {
    id: 'doStrange',
    tag: evil,
    summary: evil,
    description: evil,
    responses: { 200: { description: evil, schema: z.object({ name: z.string() }).meta({ id: 'Strange' }) } },
  },
  permission: 'operate',
  request: {
    params: z.strictObject({ name: z.string().meta({ description: evil }) }),
    body: z.strictObject({ limit: z.number().max(3) }).meta({ description: evil }),
  },
  handle: async () => ({ status: 200, body: { name: 'a' } }),
});

describe('the document of the API', () => {
  it('is OpenAPI 3.1, as its own schema has it', async () => {
    const result = await new Validator().validate({ ...openApiDocument([...everyRoute, strange]) });
    assert.deepEqual(result, { valid: true });
  });

  it('names each operation once, what it needs, and what it takes', () => {
    const { paths = {} } = openApiDocument([...everyRoute, strange]);
    const operations = Object.values(paths).flatMap(({ get, post, delete: remove }) =>
      [get, post, remove].filter((one) => one !== undefined),
    );
    const ids = operations.map(({ operationId }) => operationId);
    assert.deepEqual(ids, [...new Set(ids)]);
    assert.equal(ids.length, everyRoute.length + 2, 'the routes, the strange one, and the address of webhooks');
    const operation = paths['/v1/strange/{name}']?.post;
    assert.equal(operation && Reflect.get(operation, 'x-setpoint-permission'), 'operate');
    assert.deepEqual(operation?.security, [{ bearer: [] }, { session: [] }]);
    const statuses = '200 400 401 403 404 406 409 413 415 422 429 500 503 default'.split(' ');
    assert.deepEqual(Object.keys(operation?.responses ?? {}), statuses);
    const reads = '200 304 400 401 403 404 406 429 500 503 default'.split(' ');
    assert.deepEqual(Object.keys(paths['/v1/inventory']?.get?.responses ?? {}), reads);
    assert.deepEqual(Object.keys(paths['/livez']?.get?.responses ?? {}), '200 304 406 429 500 503 default'.split(' '));
    assert.match(
      JSON.stringify(operation?.parameters),
      /"in":"path","name":"name".*"in":"header","name":"idempotency-key"/,
    );
    for (const one of [paths['/v1/session']?.post, paths['/v1/session']?.delete])
      assert.deepEqual(one && (one.parameters ?? []), [], 'a request without a caller has no such key');
  });
});

describe('webhooks in the document', () => {
  const { post, options } = openApiDocument(everyRoute).paths?.['/v1/hooks/{estate}/{hook}'] ?? {};

  it('are answered with each status that docs/events.md names, and no other', async () => {
    const text = await readFile(new URL('../../../docs/events.md', import.meta.url), 'utf8');
    const table = text.slice(text.indexOf('## Answers'), text.indexOf('Refusals are problems'));
    const named = [...table.matchAll(/^\| (\d{3}[^|]*)\|/gm)].flatMap(
      ([, cell = '']) => cell.match(/\b\d{3}\b/g) ?? [],
    );
    const said = [post, options].flatMap((one) => Object.keys(one?.responses ?? {}));
    assert.deepEqual([...new Set(said)].sort(), [...new Set(named)].sort());
  });

  it('say what is sent, and that no token of the API is asked for', () => {
    const sent = Object.keys(Object(Reflect.get(Object(post?.requestBody), 'content')));
    assert.deepEqual(sent, ['application/json', 'application/cloudevents+json', 'application/cloudevents-batch+json']);
    assert.deepEqual([post?.security, options?.security], [[], []]);
    const { schema, example } = Object(Reflect.get(Object(post?.responses?.['202']), 'content'))['application/json'];
    assert.deepEqual([schema.$ref, example], ['#/components/schemas/Accepted', { accepted: 1, repeated: 0 }]);
  });
});

interface Example {
  readonly method: string;
  readonly path: string;
  readonly status: string;
  readonly type: string;
  readonly example: unknown;
}

const operationsOf = ({ paths = {} }: OpenApiDocument) =>
  Object.entries(paths).flatMap(([path, { get, post, delete: remove }]) =>
    Object.entries({ GET: get, POST: post, DELETE: remove }).map(([method, operation]) => ({
      method,
      path,
      operation,
    })),
  );

const examplesOf = (document: OpenApiDocument): readonly Example[] =>
  operationsOf(document).flatMap(({ method, path, operation }) =>
    Object.entries(operation?.responses ?? {}).flatMap(([status, { content = {} }]) =>
      Object.entries(content).flatMap(([type, media]) => {
        const example: unknown = Reflect.get(Object(media), 'example');
        return example === undefined ? [] : [{ method, path, status, type, example }];
      }),
    ),
  );

describe('examples', () => {
  it('are as their schemas say, with the status that they stand for', () => {
    const check = documentCheck([...everyRoute, strange]);
    const examples = examplesOf(openApiDocument([...everyRoute, strange]));
    for (const { method, path, status, type, example } of examples) {
      const isText = !['application/json', 'application/problem+json'].includes(type);
      const text = isText ? String(example) : JSON.stringify(example);
      const sent = { status: Number(status), type, text };
      assert.deepEqual(check(method, path.replace(/[{}]/g, ''), sent), [], `${method} ${path} ${status}`);
      if (type === 'application/problem+json') assert.equal(Reflect.get(Object(example), 'status'), Number(status));
    }
    assert.ok(examples.length > 5 * everyRoute.length, `${examples.length}`);
  });

  it('stand beside each answer that goes well, one for each type that it comes as', () => {
    const document = openApiDocument(everyRoute);
    const has = new Set(
      examplesOf(document).map(({ method, path, status, type }) => [method, path, status, type].join(' ')),
    );
    const wanted = operationsOf(document).flatMap(({ method, path, operation }) =>
      Object.entries(operation?.responses ?? {}).flatMap(([status, { content = {} }]) =>
        /^2/.test(status) ? Object.keys(content).map((type) => [method, path, status, type].join(' ')) : [],
      ),
    );
    assert.ok(wanted.length > everyRoute.length, `${wanted.length}`);
    assert.deepEqual(
      wanted.filter((one) => !has.has(one)),
      [],
    );
  });

  it('of a stream are events as they are sent, and of a table lines as they are written', () => {
    const { paths = {} } = openApiDocument(everyRoute);
    const contentOf = (path: string): object => Object(paths[path]?.get?.responses?.['200']).content;
    const textOf = (path: string, type: string): string => Reflect.get(contentOf(path), type).example;
    const data = [...textOf('/v1/events', 'text/event-stream').matchAll(/^data: (.*)$/gm)].map(([, text = '']) => text);
    assert.equal(data.length, 1);
    for (const text of data) assert.deepEqual(eventSchema.parse(JSON.parse(text)), JSON.parse(text));
    const [head = '', line = '', rest] = textOf('/v1/inventory', 'text/csv').split('\r\n');
    assert.deepEqual(
      [head.split(',')[0], line.split(',').length >= head.split(',').length, rest],
      ['address', true, ''],
    );
  });
});

type Part = Readonly<Record<string, unknown>>;

/** Objects in a body, to its depth, that would let a field pass which they do not name. */
function openIn(schema: unknown, named: Part, seen = new Set()): readonly unknown[] {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return [];
  seen.add(schema);
  const { $ref, properties, additionalProperties, ...rest }: Part = { ...schema };
  const at = typeof $ref === 'string' ? named[$ref.replace(/^.*\//, '')] : undefined;
  const open = properties !== undefined && additionalProperties !== false ? [properties] : [];
  const below = [at, properties, ...Object.values(rest)];
  return [...open, ...below.flatMap((part) => openIn(part, named, seen))];
}

describe('bodies', () => {
  it('take no field that they do not name, at any depth', () => {
    const { paths = {}, components } = openApiDocument(everyRoute);
    const bodies = Object.values(paths).flatMap(({ post }) => (post?.requestBody ? [post.requestBody] : []));
    assert.ok(bodies.length > 5);
    assert.deepEqual(openIn(bodies, { ...components?.schemas }), []);
  });
});

describe('what the document is used for', () => {
  it('finds what an answer holds and does not declare', () => {
    const check = documentCheck([strange]);
    const json = { status: 200, type: 'application/json; charset=utf-8' };
    assert.deepEqual(check('POST', '/v1/strange/a', { ...json, text: '{"name":"a"}' }), []);
    assert.deepEqual(check('POST', '/v1/strange/a', { ...json, text: '{"name":"a","more":1}' }), [
      '200 : must NOT have additional properties',
    ]);
    assert.deepEqual(check('POST', '/v1/strange/a', { ...json, text: '{"name":1}' }), ['200 /name: must be string']);
    assert.deepEqual(check('POST', '/v1/strange/a', { ...json, type: 'text/csv', text: 'a' }), [
      '200 is text/csv, which is not declared',
    ]);
    assert.deepEqual(check('POST', '/v1/strange/a', { ...json, status: 418, text: '{}' }), [
      '418 is application/json; charset=utf-8, which is not declared',
    ]);
  });

  it('is served to anybody, with a page that loads nothing from elsewhere and runs nothing', async () => {
    const api = apiWorld({ routes: [...everyRoute, strange] });
    const document = await api.ask('', 'GET /openapi.json');
    assert.deepEqual(
      [document.status, document.body],
      [200, JSON.parse(JSON.stringify(openApiDocument([...everyRoute, strange])))],
    );
    const page = await api.ask('', 'GET /docs');
    assert.equal(
      page.headers['content-security-policy'],
      "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    assert.ok(page.text.includes('/v1/strange/{name}'));
    assert.ok(!/<script|<iframe|<img|\s(?:style|on\w+)=/i.test(page.text), 'no script, and nothing inline');
    const loaded = [...page.text.matchAll(/(?:src|href|action)="([^"]*)"/g)]
      .map(([, url = '']) => url)
      .filter((url) => !url.startsWith('#'));
    assert.deepEqual([...new Set(loaded)].sort(), ['/docs/style.css', '/openapi.json']);
    const style = await api.ask('', 'GET /docs/style.css');
    assert.deepEqual([style.status, /url\(|@import|http/.test(style.text)], [200, false]);
    assert.equal(
      (await api.ask('', 'GET /docs', { headers: { 'if-none-match': String(page.headers['etag']) } })).status,
      304,
    );
    await api.close();
  });
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { type OpenApiDocument, openApiDocument } from '../../src/http/api/openapi.ts';
import { everyRoute } from '../http/api/support/every-route.ts';
import renamed from './renamed.json' with { type: 'json' };

/** The words of the API in version 0.1, in the order of their letters. */
const before = readFileSync(join(import.meta.dirname, 'api-before.txt'), 'utf8')
  .trimEnd()
  .split('\n');

/** Words that came after version 0.1, in the order of their letters: nothing is renamed or dropped by them. */
const added = readFileSync(join(import.meta.dirname, 'api-added.txt'), 'utf8')
  .trimEnd()
  .split('\n');

const schemas = new Map([...Object.entries(renamed.apiSchemas), ...Object.entries(renamed.apiOperations)]);
/** The longest first: `Row.observed.at` goes before `Row.observed`. Renamed to nothing: its fields stand one level higher. */
const fields = Object.entries(renamed.apiFields).toSorted(([a], [b]) => b.length - a.length);

/** `Row.since` as it is today: its schema or operation first, then the field, or the fields above it. */
function today(word: string): string {
  const [, title = '', operation = ''] = /^([A-Z]+ \S+ )(\w+)$/.exec(word) ?? [];
  if (title !== '') return `${todaysPath(title)}${schemas.get(operation) ?? operation}`;
  const [head = ''] = /^\w+/.exec(word) ?? [];
  const named = `${schemas.get(head) ?? head}${word.slice(head.length)}`;
  const [from, to] = fields.find(([from]) => named === from || isBelow(named, from)) ?? [named, named];
  return to + named.slice(from.length);
}

const paths = Object.entries(renamed.apiPaths);
const todaysPath = (title: string): string =>
  paths.reduce((text, [from, to]) => text.replace(` ${from} `, ` ${to} `), title);

const isBelow = (word: string, field: string): boolean =>
  word.startsWith(`${field}.`) || word.startsWith(`${field} = `);

it('the API of version 0.1 is the API of today, once its words are renamed', () => {
  const expected = [...new Set([...before.map(today), ...added])].filter((word) => word !== '').sort();
  assert.deepEqual(vocabularyOf(openApiDocument(everyRoute)), expected);
});

it('every renamed word of the API was a word of version 0.1', () => {
  const heads = new Set(before.map((word) => /^\w+$/.exec(word)?.[0]).filter((head) => head !== undefined));
  assert.deepEqual(
    Object.keys(renamed.apiSchemas).filter((schema) => !heads.has(schema)),
    [],
  );
  const turned = before.map(today);
  for (const [, to] of fields)
    assert.ok(
      turned.some((word) => word === to || isBelow(word, to)),
      to,
    );
});

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Every word of the API that a program can rely on, one a line, sorted: `GET /v1/pauses listPauses`, `query estate`,
 * `Pause`, `Pause.reason`, `Pause.mode = healing`. Fields of an object without a name stand below their parent:
 * `Row.observed.at`. Bodies without a name stand below their operation: `pause.body.until`.
 */
function vocabularyOf(document: OpenApiDocument): readonly string[] {
  const words = new Set<string>();
  const { paths = {}, components } = document;
  for (const [path, operations] of Object.entries(paths))
    for (const [method, operation] of Object.entries(isObject(operations) ? operations : {}))
      if (isObject(operation)) addOperation(words, `${method.toUpperCase()} ${path}`, operation);
  for (const [name, schema] of Object.entries(components?.schemas ?? {})) {
    if (name.startsWith('__')) continue;
    words.add(name);
    addSchema(words, name, schema);
  }
  return [...words].sort();
}

function addOperation(words: Set<string>, title: string, operation: Json): void {
  const id = String(operation['operationId']);
  words.add(`${title} ${id}`);
  for (const parameter of Array.isArray(operation['parameters']) ? operation['parameters'] : []) {
    words.add(`${parameter.in} ${parameter.name}`);
    addSchema(words, `${parameter.in} ${parameter.name}`, parameter.schema);
  }
  addContent(words, `${id}.body`, operation['requestBody']);
  const responses = isObject(operation['responses']) ? operation['responses'] : {};
  for (const response of Object.values(responses)) addContent(words, `${id}.answer`, response);
}

function addContent(words: Set<string>, place: string, holder: unknown): void {
  const content = isObject(holder) && isObject(holder['content']) ? holder['content'] : {};
  for (const media of Object.values(content)) if (isObject(media)) addSchema(words, place, media['schema']);
}

function addSchema(words: Set<string>, place: string, schema: unknown): void {
  if (!isObject(schema) || '$ref' in schema) return;
  for (const part of ['oneOf', 'anyOf', 'allOf'])
    for (const one of Array.isArray(schema[part]) ? schema[part] : []) addSchema(words, place, one);
  for (const value of valuesOf(schema)) words.add(`${place} = ${value}`);
  for (const part of ['items', 'additionalProperties', 'propertyNames']) addSchema(words, place, schema[part]);
  for (const [name, field] of Object.entries(isObject(schema['properties']) ? schema['properties'] : {})) {
    words.add(`${place}.${name}`);
    addSchema(words, `${place}.${name}`, field);
  }
}

const valuesOf = (schema: Json): readonly unknown[] => {
  if ('const' in schema) return [schema['const']];
  return Array.isArray(schema['enum']) ? schema['enum'] : [];
};

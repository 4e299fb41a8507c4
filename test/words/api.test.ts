import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { openApiDocument } from '../../src/http/api/openapi.ts';
import { everyRoute } from '../http/api/support/every-route.ts';
import { vocabularyOf } from './api-vocabulary.ts';
import renamed from './renamed.json' with { type: 'json' };

/** The words of the API in version 0.1, in the order of their letters. */
const before = readFileSync(join(import.meta.dirname, 'api-before.txt'), 'utf8')
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
  const expected = [...new Set(before.map(today))].filter((word) => word !== '').sort();
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

import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type JsonSchemaDialect, jsonSchema } from '../../../src/core/documents/json-schema.ts';

const root = join(import.meta.dirname, '../../..');

const files: readonly { dialect: JsonSchemaDialect; file: string; key: string }[] = [
  { dialect: 'draft-07', file: 'specs/schema.json', key: 'definitions' },
  { dialect: '2020-12', file: 'specs/schema.2020-12.json', key: '$defs' },
];

for (const { dialect, file, key } of files) {
  test(`${file} is what the schemas say in ${dialect} (GOLDEN=write writes it, and fails once)`, () => {
    const path = join(root, file);
    const wanted = `${JSON.stringify(jsonSchema(dialect), null, 2)}\n`;
    const got = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
    if (process.env['GOLDEN'] === 'write' && got !== wanted) writeFileSync(path, wanted);
    assert.equal(got, wanted);
  });

  test(`every field has a description in ${dialect}`, () => {
    const silent = fieldsIn(jsonSchema(dialect)[key], key).filter(({ field }) => !described(field));
    assert.deepEqual(
      silent.map(({ path }) => path),
      [],
    );
  });
}

interface Field {
  readonly path: string;
  readonly field: unknown;
}

/** Every property of every object, by its path; apiVersion and kind are described where a document is chosen. */
function fieldsIn(schema: unknown, path: string): readonly Field[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) => [
    ...(path.endsWith('.properties') && !['apiVersion', 'kind', 'metadata', 'spec'].includes(key)
      ? [{ path: `${path}.${key}`, field: value }]
      : []),
    ...fieldsIn(value, `${path}.${key}`),
  ]);
}

const described = (field: unknown): boolean =>
  typeof field === 'object' && field !== null && 'description' in field && typeof field.description === 'string';

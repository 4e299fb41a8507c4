import { z } from 'zod';
import { schemas } from './document.ts';

export type JsonSchemaDialect = 'draft-07' | '2020-12';

/**
 * The spec language as a JSON Schema, for editors. It says what one document may hold; what documents mean together
 * (references, address space, what a cloud can do) only `validate` knows. Plain data, always the same.
 */
export function jsonSchema(dialect: JsonSchemaDialect): Readonly<Record<string, unknown>> {
  const { $schema, key } = DIALECTS[dialect];
  const kinds = Object.keys(schemas);
  return {
    $schema,
    title: 'Setpoint specs',
    type: 'object',
    required: ['apiVersion', 'kind', 'metadata', 'spec'],
    properties: {
      apiVersion: { const: 'setpoint.dev/v1', description: 'The version of this language.' },
      kind: { enum: kinds, description: 'The kind of the document.' },
    },
    // why: with if and then an editor complains about the kind that is meant; with oneOf about all of them.
    allOf: kinds.map((kind) => ({
      if: { properties: { kind: { const: kind } }, required: ['kind'] },
      // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema.
      then: { $ref: `#/${key}/${kind}` },
    })),
    [key]: Object.fromEntries(Object.entries(schemas).map(([kind, schema]) => [kind, definition(schema, dialect)])),
  };
}

const DIALECTS = {
  'draft-07': { $schema: 'http://json-schema.org/draft-07/schema#', key: 'definitions', target: 'draft-7' },
  '2020-12': { $schema: 'https://json-schema.org/draft/2020-12/schema', key: '$defs', target: 'draft-2020-12' },
} as const;

function definition(schema: z.ZodType, dialect: JsonSchemaDialect): Readonly<Record<string, unknown>> {
  const { $schema: _, properties, ...rest } = z.toJSONSchema(schema, { target: DIALECTS[dialect].target, io: 'input' });
  return { ...rest, properties: { $schema: { type: 'string', description: 'For editors only.' }, ...properties } };
}

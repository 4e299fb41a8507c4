import type { OpenApiDocument } from '../../src/http/api/openapi.ts';

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Every word of the API that a program can rely on, one a line, sorted: `GET /v1/pauses listPauses`, `query estate`,
 * `Pause`, `Pause.reason`, `Pause.mode = healing`. Fields of an object without a name stand below their parent:
 * `Row.observed.at`. Bodies without a name stand below their operation: `pause.body.until`.
 */
export function vocabularyOf(document: OpenApiDocument): readonly string[] {
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

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { type OpenApiDocument, openApiDocument } from '../../../../src/http/api/openapi.ts';
import type { Route } from '../../../../src/http/api/route.ts';

/** An answer as it came over the wire. `type`: its content type, '' where it has none. */
export interface Sent {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** The undeclared parts of an answer: a status, a type, or a field. */
export type DocumentCheck = (method: string, url: string, sent: Sent) => readonly string[];

/** By the document of these routes, and by another program than the one that checked the answer before it left. */
export function documentCheck(routes: readonly Route[]): DocumentCheck {
  const document = openApiDocument(routes);
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'api', ...document });
  const compiled = new Map<string, ValidateFunction>();
  const validator = (at: readonly string[]): ValidateFunction => {
    const $ref = `api#/${at.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
    const known = compiled.get($ref) ?? ajv.compile({ $ref });
    compiled.set($ref, known);
    return known;
  };
  return (method, url, { status, type, text }) => {
    const place = placeOf(document, method, url);
    if (place === undefined) return [];
    const responses = valueAt(document, [...place, 'responses']);
    const declared = valueAt(responses, [String(status)]) === undefined ? 'default' : String(status);
    const media = type.split(';')[0] ?? '';
    const content = valueAt(responses, [declared, 'content']);
    if (content === undefined) return text === '' ? [] : [`${status} has a body, and none is declared`];
    if (valueAt(content, [media]) === undefined) return [`${status} is ${type}, which is not declared`];
    if (!media.endsWith('json')) return [];
    const validate = validator([...place, 'responses', declared, 'content', media, 'schema']);
    return valuesIn(media, text).flatMap((value) => {
      validate(value);
      return (validate.errors ?? []).map(({ instancePath, message = '' }) => `${declared} ${instancePath}: ${message}`);
    });
  };
}

/** Of lines of JSON each is one, and the schema is of one line. */
const valuesIn = (media: string, text: string): readonly unknown[] =>
  media.endsWith('ndjson')
    ? text.split('\n').flatMap((line) => (line === '' ? [] : JSON.parse(line)))
    : [JSON.parse(text)];

/** The place of the operation in the document; undefined: none. An answer to HEAD has no body. */
function placeOf({ paths = {} }: OpenApiDocument, method: string, url: string): readonly string[] | undefined {
  const { pathname } = new URL(url, 'http://api');
  const verb = method.toLowerCase();
  const fitting = Object.keys(paths).filter((path) => matcherOf(path).test(pathname));
  const path = fitting.toSorted((a, b) => a.split('{').length - b.split('{').length)[0];
  return path === undefined || valueAt(paths, [path, verb]) === undefined ? undefined : ['paths', path, verb];
}

/** A hole at the end takes slashes too: an address may be written with them. */
const matcherOf = (path: string): RegExp =>
  new RegExp(`^${path.replace(/\{\w+\}$/, '.+').replace(/\{\w+\}/g, '[^/]+')}$`);

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((within, step) => (within === undefined ? undefined : Reflect.get(Object(within), step)), value);

import { openApiDocument } from '../../../../src/http/api/openapi.ts';
import type { Route } from '../../../../src/http/api/route.ts';
import { everyQuestion, type Question } from './every-question.ts';
import { type Part, partOf, textsInSchema } from './texts-in-schema.ts';
import type { Place } from './two-estates.ts';

/** One place of an operation in which any text may be sent: `listLedger query address`, `pause body .of.name`. */
export interface TextPlace {
  readonly name: string;
  /** The operation, about a place, with another text there; once with all that is usual beside it, and once with what must be. */
  ask(text: string, place: Place): readonly { readonly what: string; readonly body?: unknown }[];
}

/** Every text that /openapi.json lets one send in a path, a query or a body. */
export function everyText(routes: readonly Route[]): readonly TextPlace[] {
  const { paths = {}, components } = openApiDocument(routes);
  return everyQuestion(routes).flatMap((question) => {
    const operation = partOf(partOf(paths[question.path])[question.method.toLowerCase()]);
    return [...inAddress(question, operation), ...inBody(question, operation, partOf(components?.schemas))];
  });
}

function inAddress(question: Question, { parameters = [] }: Part): readonly TextPlace[] {
  const all = Array.isArray(parameters) ? parameters.map(partOf) : [];
  return all.flatMap(({ in: where, name: named, schema }) => {
    const name = String(named);
    if ((where !== 'path' && where !== 'query') || textsInSchema(schema, {}).length === 0) return [];
    const filled = where === 'path' ? withPath : withQuery;
    return [
      {
        name: `${question.id} ${where} ${name}`,
        ask: (text: string, place: Place) => [filled(question, { name, text }, place)],
      },
    ];
  });
}

interface Hole {
  readonly name: string;
  readonly text: string;
}

function withPath({ path, ask }: Question, { name, text }: Hole, place: Place) {
  const { what, ...rest } = ask(place);
  return { ...rest, what: what.replace(/ [^?]*/, () => ` ${path.replace(`{${name}}`, () => escaped(text))}`) };
}

function withQuery({ ask }: Question, { name, text }: Hole, place: Place) {
  const { what, ...rest } = ask(place);
  const [address = '', query = ''] = what.split('?');
  const others = query.split('&').filter((pair) => pair !== '' && !pair.startsWith(`${name}=`));
  return { ...rest, what: `${address}?${[...others, `${name}=${escaped(text)}`].join('&')}` };
}

/** Half a surrogate pair as the bytes that some programs make of it. */
const escaped = (text: string): string =>
  Array.from(text, (one) => (one.isWellFormed() ? encodeURIComponent(one) : '%ED%A0%80')).join('');

function inBody({ id, ask }: Question, { requestBody }: Part, named: Part): readonly TextPlace[] {
  const schema = partOf(partOf(partOf(partOf(requestBody)['content'])['application/json'])['schema']);
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  return Object.entries(partOf(schema['properties'])).flatMap(([field, property]) =>
    textsInSchema(property, named).map(({ at, put }) => ({
      name: `${id} body .${field}${at}`,
      ask: (text: string, place: Place) => {
        const { what, body } = ask(place);
        const usual = Object.entries(partOf(body));
        const needed = usual.filter(([name]) => required.includes(name));
        return [usual, needed].map((base) => ({ what, body: { ...Object.fromEntries(base), [field]: put(text) } }));
      },
    })),
  );
}

import { openApiDocument } from '../../src/http/api/openapi.ts';
import { type RouteDependencies, routesOn } from '../../src/http/api/routes/index.ts';

/** The questions that the console asks. It gets types for these alone: those of the whole API are five times as long. */
const asked: readonly string[] = [
  '/v1/whoami',
  '/v1/targets',
  '/v1/slo',
  '/v1/approvals',
  '/v1/pauses',
  '/v1/inventory',
  '/v1/inventory/{address}',
  '/v1/explanations/{resource}',
  '/v1/ledger',
];

type Json = Readonly<Record<string, unknown>>;

const problem = {
  description: 'A problem',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

/**
 * The OpenAPI document of the API, cut down to the reads of the console. Every refusal is a Problem there; examples and
 * descriptions stay at /docs.
 */
export function consoleDocument(): Json {
  const document = bare(JSON.parse(JSON.stringify(openApiDocument(routesOn(anything)))));
  if (!isRecord(document)) throw new Error('the OpenAPI document of the API is no object');
  const paths = Object.fromEntries(asked.map((path) => [path, { get: readOf(document, path) }]));
  const all = at(document, 'components', 'schemas');
  const kept = reached(paths, all);
  const schemas = Object.fromEntries(Object.entries(all).filter(([name]) => kept.has(name)));
  return { ...document, paths, components: { schemas } };
}

// why: the declaration of a route does not use its dependencies; whatever is asked of this, it is another such thing
const anything = new Proxy(() => anything, { get: () => anything }) as unknown as RouteDependencies;

function readOf(document: Json, path: string): Json {
  const { security: _, ...get } = at(document, 'paths', path, 'get');
  return { ...get, responses: { 200: at(get, 'responses', '200'), default: problem } };
}

function at(from: Json, ...names: readonly string[]): Json {
  let found: unknown = from;
  for (const name of names) found = isRecord(found) ? found[name] : undefined;
  if (!isRecord(found)) throw new Error(`the OpenAPI document of the API has no ${names.join(' ')}: mend \`asked\``);
  return found;
}

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const prose: ReadonlySet<string> = new Set(['example', 'examples', 'headers']);

/** Without examples, headers, and descriptions. A field may be named `description` too: its value is no text. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(
    ([name, one]) => !prose.has(name) && !(name === 'description' && typeof one === 'string'),
  );
  return Object.fromEntries(kept.map(([name, one]) => [name, bare(one)]));
}

function reached(from: unknown, schemas: Json, found: Set<string> = new Set()): ReadonlySet<string> {
  if (Array.isArray(from)) for (const one of from) reached(one, schemas, found);
  if (!isRecord(from)) return found;
  for (const [name, value] of Object.entries(from)) {
    if (name !== '$ref' || typeof value !== 'string') reached(value, schemas, found);
    else {
      const of = value.replace('#/components/schemas/', '');
      if (found.has(of)) continue;
      found.add(of);
      reached(schemas[of], schemas, found);
    }
  }
  return found;
}

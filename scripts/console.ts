// npm run console:build | console:test | console:types | console:api. The console is a package of its own, so that nobody needs its
// tool chain to run Setpoint; each of these installs it first, if something is missing.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openApiDocument } from '../src/http/api/openapi.ts';
import { type RouteDependencies, routesOn } from '../src/http/api/routes/index.ts';
import { ensureInstalled } from './install.mjs';
import { missingPackages } from './installed.mjs';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'console');

const tsc = 'node_modules/typescript/bin/tsc';

const works: Readonly<Record<string, (args: readonly string[]) => number>> = {
  build: () => node(['node_modules/vite/bin/vite.js', 'build'], folder),
  types: () => Math.max(...['console', 'console/test'].map((one) => node([tsc, '--noEmit', '-p', one], root))),
  api: ([out = 'src/api.d.ts']) => writeTypes(out),
  test: (args) => {
    const built = node(['node_modules/vite/bin/vite.js', 'build'], folder);
    const files = args.length > 0 ? args : ['console/test/**/*.test.ts'];
    return built === 0 ? node(['--test', '--test-concurrency=1', ...files], root) : built;
  },
};

/** From the OpenAPI document that the API itself serves. */
function writeTypes(out: string): number {
  const made = mkdtempSync(join(tmpdir(), 'setpoint-console-'));
  try {
    const document = join(made, 'openapi.json');
    writeFileSync(document, JSON.stringify(consoleDocument()));
    const flags = ['--root-types', '--root-types-no-schema-prefix'];
    return node(['node_modules/openapi-typescript/bin/cli.js', document, '--output', out, ...flags], folder);
  } finally {
    rmSync(made, { recursive: true });
  }
}

/** The operations that the console calls. It gets types for these alone: those of the whole API are five times as long. */
const called: Readonly<Record<string, readonly ('get' | 'post')[]>> = {
  '/v1/whoami': ['get'],
  '/v1/targets': ['get'],
  '/v1/targets/{name}/reconcile': ['post'],
  '/v1/slo': ['get'],
  '/v1/slo/history': ['get'],
  '/v1/approvals': ['get', 'post'],
  '/v1/approvals/refuse': ['post'],
  '/v1/approvals/withdraw': ['post'],
  '/v1/assignments': ['post'],
  '/v1/assignments/end': ['post'],
  '/v1/comments': ['post'],
  '/v1/drift': ['get'],
  '/v1/pauses': ['get', 'post'],
  '/v1/pauses/end': ['post'],
  '/v1/patches': ['get', 'post'],
  '/v1/patches/end': ['post'],
  '/v1/reconciles': ['get'],
  '/v1/reconciles/{id}': ['get'],
  '/v1/inventory': ['get'],
  '/v1/inventory-counts': ['get'],
  '/v1/inventory/{address}': ['get'],
  '/v1/explanations/{resource}': ['get'],
  '/v1/map': ['get'],
  '/v1/reach': ['get'],
  '/v1/ledger': ['get'],
  '/v1/ledger/signatures': ['get'],
  '/v1/fleet': ['get'],
  '/v1/scopes': ['get'],
};

type Json = Readonly<Record<string, unknown>>;

const problem = {
  description: 'A problem',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

/**
 * The OpenAPI document of the API, cut down to the operations of the console. Every refusal is a Problem there; examples and
 * descriptions stay at /docs.
 */
function consoleDocument(): Json {
  const document = bare(JSON.parse(JSON.stringify(openApiDocument(routesOn(anything)))));
  if (!isRecord(document)) throw new Error('the OpenAPI document of the API is no object');
  const paths = Object.fromEntries(
    Object.entries(called).map(([path, methods]) => [
      path,
      Object.fromEntries(methods.map((method) => [method, operationOf(document, path, method)])),
    ]),
  );
  const all = at(document, 'components', 'schemas');
  const kept = reached(paths, all);
  const schemas = Object.fromEntries(Object.entries(all).filter(([name]) => kept.has(name)));
  return { ...document, paths, components: { schemas } };
}

// why: the declaration of a route does not use its dependencies; whatever is asked of this, it is another such thing
const anything = new Proxy(() => anything, { get: () => anything }) as unknown as RouteDependencies;

function operationOf(document: Json, path: string, method: string): Json {
  const { security: _, ...operation } = at(document, 'paths', path, method);
  const done = Object.entries(at(operation, 'responses')).filter(([status]) => status.startsWith('2'));
  return { ...operation, responses: { ...Object.fromEntries(done), default: problem } };
}

function at(from: Json, ...names: readonly string[]): Json {
  let found: unknown = from;
  for (const name of names) found = isRecord(found) ? found[name] : undefined;
  if (!isRecord(found)) throw new Error(`the OpenAPI document of the API has no ${names.join(' ')}: mend \`called\``);
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

const node = (args: readonly string[], cwd: string): number =>
  spawnSync(process.execPath, args, { cwd, stdio: 'inherit' }).status ?? 1;

const [, , work = '', ...args] = process.argv;
const run = works[work];
if (run === undefined) failed(`the console has ${Object.keys(works).join(', ')}, and no "${work}"`);
else
  try {
    if (isIncomplete()) await ensureInstalled(folder);
    process.exitCode = run(args);
  } catch (error) {
    failed(error instanceof Error ? error.message : String(error));
  }

function failed(reason: string): void {
  process.stderr.write(`setpoint: ${reason}\n`);
  process.exitCode = 1;
}

/** npm leaves out optional packages of other machines, also some whose entries in the lock do not say so. */
function isIncomplete(): boolean {
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  return missingPackages(folder).some((path) => lock.packages[path].optional !== true);
}

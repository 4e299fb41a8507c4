// npm run console:build | console:test | console:types | console:api. The console is a package of its own, so that nobody needs its
// tool chain to run Setpoint; each of these installs it first, if something is missing.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { consoleDocument } from './console/api-types.ts';
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

const node = (args: readonly string[], cwd: string): number =>
  spawnSync(process.execPath, args, { cwd, stdio: 'inherit' }).status ?? 1;

const [, , work = '', ...args] = process.argv;
if (isIncomplete()) await ensureInstalled(folder);
const run = works[work];
if (run === undefined) console.error(`setpoint: the console has ${Object.keys(works).join(', ')}, and no "${work}"`);
process.exitCode = run?.(args) ?? 1;

/** npm leaves out optional packages of other machines, also some whose entries in the lock do not say so. */
function isIncomplete(): boolean {
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  return missingPackages(folder).some((path) => lock.packages[path].optional !== true);
}

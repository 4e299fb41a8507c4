import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryFolder } from './support/temporary-folder.ts';

const run = promisify(execFile);

const specs = `apiVersion: setpoint.dev/v1
kind: Estate
metadata: { name: acme }
spec: {}
---
apiVersion: setpoint.dev/v1
kind: Target
metadata: { name: prod }
spec: { provider: memory, account: acme, region: here }
`;

const tellLoaded = `data:text/javascript,
import { createRequire, registerHooks } from 'node:module';
const loaded = new Set();
registerHooks({ load: (url, context, next) => (loaded.add(url), next(url, context)) });
process.once('exit', () => process.stderr.write(JSON.stringify([...loaded])));`;

/** The files that a command line has loaded by its end. */
async function loadedBy(...args: readonly string[]): Promise<readonly string[]> {
  const program = fileURLToPath(new URL('../../src/bootstrap/cli.ts', import.meta.url));
  const cwd = temporaryFolder({ 'specs/estate.yaml': specs });
  const { DATABASE_URL: _, ...env } = process.env;
  const { stderr } = await run(process.execPath, [`--import=${tellLoaded}`, program, ...args], { cwd, env });
  const found: unknown = JSON.parse(stderr.slice(stderr.lastIndexOf('["')));
  assert.ok(Array.isArray(found));
  return found.map(String);
}

test('a plan without a store loads no library of databases, no other verb and no other cloud', async () => {
  const loaded = await loadedBy('plan');
  assert.ok(loaded.some((file) => file.endsWith('/cli/commands/plan.ts')));
  assert.ok(loaded.some((file) => file.endsWith('/providers/memory/index.ts')));
  const needless =
    /node_modules\/(?:kysely|pg|@aws-sdk|@google-cloud|@azure)\/|\/cli\/commands\/(?!plan|index)|\/providers\/(?:aws|gcp|azure)\//;
  assert.deepEqual(
    loaded.filter((file) => needless.test(file)),
    [],
  );
});

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs these lines in a process of their own, and answers which files of packages it had loaded by then. */
async function loadedBy(lines: string): Promise<readonly string[]> {
  const script = `
    import { createRequire, registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    ${lines}
    loaded.push(...Object.keys(createRequire(import.meta.url).cache));
    console.log(JSON.stringify(loaded.filter((file) => file.includes('node_modules'))));`;
  const cwd = new URL('../../../', import.meta.url);
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { cwd });
  const found: unknown = JSON.parse(stdout);
  assert.ok(Array.isArray(found));
  return found.map(String);
}

const clock = '{ now: () => 0, sleep: async () => {} }';

describe('what is loaded when', () => {
  test('nothing of any package, to plan', async () => {
    const loaded = await loadedBy(`
      await import('./providers/gcp/index.ts');
      await import('./providers/gcp/dialect.ts');
      await import('./providers/gcp/rate-limits.ts');`);
    assert.deepEqual(
      loaded.filter((file) => !file.includes('/zod/')),
      [],
    );
  });

  test('nothing is said of what is sent, though the SDK is told to say all', async () => {
    const script = `
      const { gcp } = await import('./providers/gcp/index.ts');
      const session = await gcp.open({ scope: 'gcp/acme', account: 'tell-tale', region: 'r', endpoint: 'http://127.0.0.1:9' }, ${clock});
      const call = { signal: new AbortController().signal, admit: async () => {}, report: () => {}, secret: async () => ({}) };
      await session.identify(call);
      await session.actuators.network.read(['projects/tell-tale/global/networks/core#1'], call);`;
    const cwd = new URL('../../../', import.meta.url);
    const env = { ...process.env, GOOGLE_SDK_NODE_LOGGING: '*' };
    const said = await run(process.execPath, ['--input-type=module', '--eval', script], { cwd, env });
    assert.doesNotMatch(said.stdout + said.stderr, /tell-tale/);
  });

  test('clients one by one when a session opens, and never the index or its protos', async () => {
    const loaded = await loadedBy(`
      const { gcp } = await import('./providers/gcp/index.ts');
      const session = await gcp.open({ scope: 'gcp/acme', account: 'acme', region: 'r', endpoint: 'http://127.0.0.1:9' }, ${clock});
      await session.identify({ signal: new AbortController().signal, admit: async () => {}, report: () => {}, secret: async () => ({}) });`);
    const own = loaded.filter((file) => file.includes('@google-cloud/compute'));
    assert.ok(own.some((file) => file.endsWith('/v1/networks_client.js')));
    assert.deepEqual(
      own.filter((file) =>
        /build\/src\/(?:v1\/)?index\.js$|build\/protos\/protos\.js$|\/addresses_client\.js$/.test(file),
      ),
      [],
    );
  });
});

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);
const accounts = { aws: '111122223333', gcp: 'acme', azure: '0b1f6471-1bf0-4dda-aec3-cb9272f09590' };

/** Files of packages that are loaded by `load`, and those that a session loads after it. */
async function loadedBy(cloud: string, account: string): Promise<{ readonly first: number; readonly then: string[] }> {
  const script = `
    import { createRequire, registerHooks } from 'node:module';
    const imported = [];
    registerHooks({ load: (url, context, next) => (imported.push(url), next(url, context)) });
    const loaded = () => [...imported, ...Object.keys(createRequire(import.meta.url).cache)].filter((file) => file.includes('node_modules'));
    const { loadProvider } = await import('./providers/index.ts');
    const provider = await loadProvider('${cloud}');
    await provider.load();
    const first = new Set(loaded());
    const access = { scope: '${cloud}/${account}/r', account: '${account}', region: 'r', endpoint: 'http://127.0.0.1:9' };
    const session = await provider.open(access, { now: () => 0, sleep: async () => {} });
    await session.close();
    console.log(JSON.stringify({ first: first.size, then: loaded().filter((file) => !first.has(file)) }));`;
  const cwd = new URL('../../', import.meta.url);
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { cwd });
  return JSON.parse(stdout);
}

for (const [cloud, account] of Object.entries(accounts))
  test(`${cloud}: once its SDK is loaded, a session loads nothing more`, async () => {
    const { first, then } = await loadedBy(cloud, account);
    assert.ok(first > 50, `${first} files`);
    assert.deepEqual(then, []);
  });

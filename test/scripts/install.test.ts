import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ensureInstalled } from '../../scripts/install.mjs';
import { temporaryFolder } from './temporary-folder.ts';

const LOCK = JSON.stringify({ packages: { 'node_modules/zod': { version: '4.6.7', integrity: 'sha512-a' } } });

/** A fake npm: notes its arguments, and leaves npm's files. */
const NPM = `#!/bin/sh
echo "$@" >> calls
mkdir -p node_modules && cp package-lock.json node_modules/.package-lock.json
`;

describe('installing what is missing', () => {
  it('runs npm ci in a fresh checkout, once', async (t) => {
    const root = temporaryFolder(t, { 'package-lock.json': LOCK, npm: NPM });
    const said: string[] = [];
    const options = { npm: join(root, 'npm'), say: (line: string) => void said.push(line) };
    assert.equal(await ensureInstalled(root, options), 'installed');
    assert.equal(await ensureInstalled(root, options), 'present');
    assert.match(readFileSync(join(root, 'calls'), 'utf8'), /^ci --include=dev --include=optional [^\n]*\n$/);
    assert.match(said.join('\n'), /^installing 1 packages \(npm ci\)…\ninstalled in \d+ s$/);
  });

  it('runs it once where two begin at the same time', async (t) => {
    const root = temporaryFolder(t, { 'package-lock.json': LOCK, npm: NPM });
    const options = { npm: join(root, 'npm'), say: () => {} };
    const both = await Promise.all([ensureInstalled(root, options), ensureInstalled(root, options)]);
    assert.deepEqual(both.sort(), ['installed', 'present']);
    assert.ok(!existsSync(join(root, '.install.lock')));
  });

  it('says so when npm fails', async (t) => {
    const root = temporaryFolder(t, { 'package-lock.json': LOCK, npm: '#!/bin/sh\nexit 7\n' });
    await assert.rejects(ensureInstalled(root, { npm: join(root, 'npm'), say: () => {} }), /exit code 7/);
  });
});

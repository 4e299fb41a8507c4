import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');

test('the types of the API are those of its document: if not, run npm run console:api', () => {
  const made = mkdtempSync(join(tmpdir(), 'setpoint-console-types-'));
  try {
    const out = join(made, 'api.d.ts');
    const { status, stderr } = spawnSync(process.execPath, ['scripts/console.ts', 'api', out], { cwd: root });
    assert.equal(status, 0, String(stderr));
    const isFresh = readFileSync(join(root, 'console/src/api.d.ts'), 'utf8') === readFileSync(out, 'utf8');
    assert.ok(isFresh, 'console/src/api.d.ts is stale: run npm run console:api');
  } finally {
    rmSync(made, { recursive: true });
  }
});

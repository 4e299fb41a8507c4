import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { firstScripts } from './support/first-load.ts';

const root = join(import.meta.dirname, '../..');
const dist = join(import.meta.dirname, '../dist');
const packages = join(import.meta.dirname, '../node_modules');
const assets = readdirSync(join(dist, 'assets'));
const most = 300 * 1024;

test('the first load has at most 300 KiB of script, as gzip', () => {
  const sizes = [...firstScripts()].map((name) => gzipSync(readFileSync(join(dist, 'assets', name))).length);
  const size = sizes.reduce((sum, one) => sum + one, 0);
  process.stderr.write(`console-js: ${Math.ceil(size / 1024)} KiB\n`);
  assert.ok(size > 0 && size <= most, `${size} bytes`);
});

test('the map and its layout are loaded with the map alone', () => {
  const first = firstScripts();
  const map = assets.filter((name) => /^(?:screen|elk-worker)/.test(name) && name.endsWith('.js'));
  assert.ok(map.length >= 2, assets.join());
  assert.deepEqual(
    map.filter((name) => first.has(name)),
    [],
  );
});

test('the page has no script or style inside, no address elsewhere, and there are no source maps', () => {
  const page = readFileSync(join(dist, 'index.html'), 'utf8');
  assert.doesNotMatch(page, /<style|style=|<script(?![^>]* src=)|https?:|data:/);
  assert.deepEqual(
    assets.filter((name) => name.endsWith('.map')),
    [],
  );
  for (const name of assets.filter((one) => one.endsWith('.css')))
    assert.doesNotMatch(readFileSync(join(dist, 'assets', name), 'utf8'), /https?:|data:|@import/);
});

test('LICENSES.md has the licence and the source of each bundled package', async () => {
  const text = readFileSync(join(dist, 'LICENSES.md'), 'utf8');
  const parts = new Map(
    text.split(/^## (?=\S+ - \d\S* \(.+\)$)/m).map((part) => [part.slice(0, part.indexOf('\n')), part] as const),
  );
  const names = await bundledPackages();
  assert.ok(names.size > 20 && names.has('elkjs') && names.has('react-dom'), [...names].join());
  for (const name of names) {
    const { version, license } = JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8'));
    const part = parts.get(`${name} - ${version} (${license})`);
    assert.match(
      part ?? '',
      /\n\nSource: https:\/\/github\.com\/[\w.-]+\/[\w.-]+\n\n[\s\S]{400}/,
      `${name} ${version}`,
    );
  }
  assert.match(
    parts.get([...parts.keys()].find((one) => one.startsWith('elkjs ')) ?? '') ?? '',
    /Eclipse Public License/,
  );
});

/** The packages of the modules that another build reads. */
async function bundledPackages(): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  await build({
    ...{ root: join(root, 'console'), logLevel: 'silent' },
    build: { write: false },
    plugins: [
      {
        name: 'packages',
        generateBundle(_, bundle) {
          for (const one of Object.values(bundle))
            for (const path of one.type === 'chunk' ? one.moduleIds : one.originalFileNames) {
              const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
              if (name !== undefined) names.add(name);
            }
        },
      },
    ],
  });
  return names;
}

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

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readSecretFile } from '../../src/secrets/file.ts';
import { mostBytes } from '../../src/secrets/secret-text.ts';
import { assertHidden, canary } from '../support/canary.ts';

const base = mkdtempSync(join(tmpdir(), 'setpoint-secrets-'));
after(() => rmSync(base, { recursive: true, force: true }));

const folder = join(base, 'secrets');
mkdirSync(join(folder, '..2026_11_21'), { recursive: true });
mkdirSync(join(folder, 'sub'));
mkdirSync(join(base, 'secrets-of-others'));
writeFileSync(join(folder, 'plain'), canary);
writeFileSync(join(folder, 'sub', 'deep.json'), canary);
writeFileSync(join(folder, 'large'), canary.padEnd(mostBytes * 2, 'x'));
writeFileSync(join(folder, '..2026_11_21', 'mounted'), canary);
writeFileSync(join(base, 'outside'), canary);
writeFileSync(join(base, 'secrets-of-others', 'near'), canary);
symlinkSync('..2026_11_21', join(folder, '..data'));
symlinkSync('..data/mounted', join(folder, 'mounted'));
symlinkSync('../outside', join(folder, 'leading-out'));
symlinkSync(base, join(folder, 'folder-out'));
symlinkSync('circle', join(folder, 'circle'));
execFileSync('mkfifo', [join(folder, 'fifo')]);

const cases: readonly {
  name: string;
  path: string;
  want: 'read' | 'secret-missing' | 'secret-refused' | 'secret-malformed';
}[] = [
  { name: 'a plain file', path: 'plain', want: 'read' },
  { name: 'a file in a folder', path: 'sub/deep.json', want: 'read' },
  { name: 'a file as kubelet mounts it, behind two links inside', path: 'mounted', want: 'read' },
  { name: 'nothing', path: 'nothing', want: 'secret-missing' },
  { name: 'nothing behind a file', path: 'plain/x', want: 'secret-missing' },
  { name: 'a link that leads out', path: 'leading-out', want: 'secret-refused' },
  { name: 'a folder that leads out', path: 'folder-out/outside', want: 'secret-refused' },
  { name: 'a way up', path: '../outside', want: 'secret-refused' },
  { name: 'a folder beside with a longer name', path: '../secrets-of-others/near', want: 'secret-refused' },
  { name: 'a way from the root', path: join('..', '..', '..', '..', base, 'outside'), want: 'secret-refused' },
  { name: 'the folder itself', path: '.', want: 'secret-refused' },
  { name: 'links in a circle', path: 'circle', want: 'secret-refused' },
  { name: 'a folder', path: 'sub', want: 'secret-malformed' },
  { name: 'a FIFO, without waiting for who writes', path: 'fifo', want: 'secret-malformed' },
];

for (const { name, path, want } of cases)
  test(`${name}: ${want}`, async () => {
    const held = await readSecretFile(path, folder);
    if (held.ok) assert.deepEqual([want, Buffer.from(held.value).toString()], ['read', canary]);
    else {
      assert.equal(held.failure.code, want);
      assertHidden(held);
    }
  });

test('of a large file only so much is read that it is known to be too large', async () => {
  const held = await readSecretFile('large', folder);
  assert.equal(held.ok && held.value.byteLength, mostBytes + 1);
});

test('a folder that is itself behind a link is the folder', async () => {
  symlinkSync(folder, join(base, 'linked'));
  assert.equal((await readSecretFile('plain', join(base, 'linked'))).ok, true);
});

for (const [name, given] of [
  ['not set', undefined],
  ['empty', ''],
] as const)
  test(`without a folder nothing is read: ${name}`, async () => {
    const held = await readSecretFile('plain', given);
    assert.match(held.ok ? 'read' : held.failure.message, /SETPOINT_SECRETS_DIR is not set/);
  });

test('what may not be read is refused', { skip: process.getuid?.() === 0 && 'root may read all' }, async () => {
  writeFileSync(join(folder, 'closed'), canary);
  chmodSync(join(folder, 'closed'), 0o000);
  const held = await readSecretFile('closed', folder);
  assert.match(held.ok ? 'read' : held.failure.message, /may not read it/);
});

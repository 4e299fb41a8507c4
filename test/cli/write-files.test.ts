import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeChangedFiles } from '../../src/cli/local/write-files.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const files = (dir: string): Readonly<Record<string, string>> =>
  Object.fromEntries(readdirSync(dir).map((name) => [name, readFileSync(join(dir, name), 'utf8')]));

test('files are replaced or removed, with their mode, and nothing else is left', async () => {
  const dir = temporaryFolder({ a: 'one', b: 'two', c: 'three' });
  chmodSync(join(dir, 'a'), 0o604);
  await writeChangedFiles(dir, [
    { path: 'a', before: 'one', after: 'ONE' },
    { path: 'b', before: 'two' },
  ]);
  assert.deepEqual(files(dir), { a: 'ONE', c: 'three' });
  assert.equal(statSync(join(dir, 'a')).mode & 0o777, 0o604);
});

test('a new file is made with its folders, and none that is there is replaced by it', async () => {
  const dir = temporaryFolder({ a: 'one' });
  await writeChangedFiles(dir, [{ path: 'new/b', after: 'two' }]);
  assert.equal(readFileSync(join(dir, 'new/b'), 'utf8'), 'two');
  await assert.rejects(writeChangedFiles(dir, [{ path: 'a', after: 'two' }]), /has changed/);
});

test('a file that somebody changed is refused, and no other one is written', async () => {
  const dir = temporaryFolder({ a: 'one', b: 'somebody else' });
  const change = writeChangedFiles(dir, [
    { path: 'a', before: 'one', after: 'ONE' },
    { path: 'b', before: 'two', after: 'TWO' },
  ]);
  await assert.rejects(change, { message: `${join(dir, 'b')} has changed since it was read. Nothing was written.` });
  assert.deepEqual(files(dir), { a: 'one', b: 'somebody else' });
});

test('a link is not followed', async () => {
  const dir = temporaryFolder({ 'real/a': 'one' });
  symlinkSync(join(dir, 'real/a'), join(dir, 'a'));
  await assert.rejects(writeChangedFiles(dir, [{ path: 'a', before: 'one', after: 'ONE' }]), /has changed/);
  assert.deepEqual(files(join(dir, 'real')), { a: 'one' });
});

test('where one cannot be written, those before it are as they were', async () => {
  const dir = temporaryFolder({ a: 'one', b: 'two' });
  const there: { path: string; before: string; after?: string }[] = [
    { path: 'a', before: 'one', after: 'ONE' },
    { path: 'gone/b', before: 'two', after: 'TWO' },
  ];
  await assert.rejects(writeChangedFiles(dir, there), /The files were not written/);
  assert.deepEqual(files(dir), { a: 'one', b: 'two' });
  mkdirSync(join(dir, 'gone'));
  writeFileSync(join(dir, 'gone/b'), 'two');
  await writeChangedFiles(dir, there);
  assert.equal(readFileSync(join(dir, 'gone/b'), 'utf8'), 'TWO');
});

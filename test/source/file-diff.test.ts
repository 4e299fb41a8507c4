import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileDiff } from '../../src/source/file-diff.ts';

test('a diff has the lines around each change, and masks secrets and what a terminal obeys', () => {
  const before = ['a: 1', 'token: abc', 'note: \u001b[31mred', 'c: 1', 'd: 1', 'e: 1', 'f: 1', 'g: 1', ''].join('\r\n');
  assert.equal(
    fileDiff({ path: 'specs/a.yaml', before, after: before.replace('c: 1', 'token: def') }),
    [
      '--- specs/a.yaml',
      '+++ specs/a.yaml',
      '@@ -1,7 +1,7 @@',
      ' a: 1',
      ' token: ***',
      ' note: \ufffd[31mred',
      '-c: 1',
      '+token: ***',
      ' d: 1',
      ' e: 1',
      ' f: 1',
      '',
    ].join('\n'),
  );
});

test('a file that goes', () => {
  assert.equal(
    fileDiff({ path: 'a.yaml', before: 'a: 1' }),
    '--- a.yaml\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a: 1\n\\ No newline at end of file\n',
  );
});

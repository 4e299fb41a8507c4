import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NameRegister, slug } from '../../../src/core/import/names.ts';

const slugs: readonly (readonly [text: string, want: string])[] = [
  ['core', 'core'],
  ['web servers', 'web-servers'],
  ['prod/eu-west (old)', 'prod-eu-west-old'],
  ['Zürich', 'Zurich'],
  ['--x--', 'x'],
  ['_a', 'a'],
  ['日本', ''],
  ['a'.repeat(70), 'a'.repeat(63)],
  ['../../etc/passwd', 'etc-passwd'],
];

for (const [text, want] of slugs)
  test(`the name of ${JSON.stringify(text)}`, () => {
    assert.equal(slug(text), want);
    if (want !== '') assert.match(want, /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/);
  });

test('a name is given once, in any case, and numbered after that', () => {
  const names = new NameRegister(['core']);
  assert.deepEqual(
    [names.take(['Core']), names.take(['core']), names.take(['app', 'core-app']), names.take(['App', 'core-app'])],
    ['Core-2', 'core-3', 'app', 'core-app'],
  );
  assert.equal(names.take(['日本', 'vpc-1']), 'vpc-1');
  assert.equal(names.take(['日本']), 'imported');
  const long = 'b'.repeat(63);
  assert.deepEqual([names.take([long]), names.take([long])], [long, `${'b'.repeat(61)}-2`]);
});

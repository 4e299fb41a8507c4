import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listed, messageOf, printable, printableLines, withFullStop, withoutFullStop } from '../../src/core/text.ts';

const rows: readonly (readonly [name: string, given: string, want: string])[] = [
  ['line breaks and tabs by their short names', 'a\nb\rc\td', 'a\\nb\\rc\\td'],
  ['other control characters by their numbers', '\u0000\u001b[2J\u007f\u009b', '\\u0000\\u001b[2J\\u007f\\u009b'],
  ['what turns text round or is not seen', '\u202e\u200b\u2028', '\\u202e\\u200b\\u2028'],
  ['what lies above the first plane, by both its halves', '\u{e0001}', '\\udb40\\udc01'],
  ['joiners, letters and signs stay', 'Zoë 👩‍💻 \u200c~', 'Zoë 👩‍💻 \u200c~'],
];
for (const [name, given, want] of rows) test(`printable: ${name}`, () => assert.equal(printable(given), want));

test('printable: names and values, however deep, and nothing else', () => {
  const when = new Date(0);
  assert.deepEqual(printable({ 'a\tb': ['x\ty', { n: 1, when }] }), { 'a\\tb': ['x\\ty', { n: 1, when }] });
});

test('printable lines: their breaks stay, a tab does not', () =>
  assert.equal(printableLines('a\n\tb\r'), 'a\n\\tb\\r'));

test('a full stop: one, and none where the text ends by itself', () => {
  assert.deepEqual(['', 'no', 'no.', 'no!', 'no?'].map(withFullStop), ['', 'no.', 'no.', 'no!', 'no?']);
  assert.deepEqual(['', 'no', 'no.', 'no!'].map(withoutFullStop), ['', 'no', 'no', 'no!']);
});

test('a list: the first texts, and the number of the others', () => {
  assert.deepEqual(
    [[], ['a'], ['a', 'b'], ['a', 'b', 'c', 'd']].map((texts) => listed(texts, 2)),
    [...['', 'a', 'a, b', 'a, b and 2 more']],
  );
  assert.equal(listed([...'abcdef']), 'a, b, c, d, e and 1 more');
});

test('the message of any thrown value', () =>
  assert.deepEqual([new TypeError('no'), 'no', undefined].map(messageOf), ['no', 'no', 'undefined']));

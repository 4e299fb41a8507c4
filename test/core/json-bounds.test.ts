import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fitsBounds, type JsonBounds, JsonScan } from '../../src/core/json-bounds.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

const rows: readonly (readonly [name: string, json: string, most: JsonBounds, within: boolean])[] = [
  ['as deep as it may be', '[[{"a":[1]}]]', { depth: 4, parts: 99 }, true],
  ['deeper', '[[{"a":[[1]]}]]', { depth: 4, parts: 99 }, false],
  ['as many parts as it may have', '{"a":[1,2,3]}', { depth: 9, parts: 6 }, true],
  ['a part more', '{"a":[1,2,3,4]}', { depth: 9, parts: 6 }, false],
  ['marks in texts', '["[[[[,,,,::::{{{{"]', { depth: 1, parts: 2 }, true],
  ['quotes in texts', '["\\"[[[", "\\\\"]', { depth: 1, parts: 3 }, true],
  ['a text that ends', '["\\\\",[[[]]]]', { depth: 1, parts: 99 }, false],
  ['texts beyond ASCII', '["中é😀"]', { depth: 1, parts: 2 }, true],
  ['a long number', `[${'9'.repeat(20)}]`, { depth: 1, parts: 2, gap: 20 }, false],
  ['a number', `[${'9'.repeat(19)}]`, { depth: 1, parts: 2, gap: 20 }, true],
  ['blanks alone', ' '.repeat(21), { depth: 1, parts: 2, gap: 20 }, false],
  ['blanks behind', `[]${' '.repeat(22)}`, { depth: 1, parts: 2, gap: 20 }, false],
  ['a long text', `["${'a'.repeat(90)}"]`, { depth: 1, parts: 2, gap: 20 }, true],
  ['a long text that never ends', `["${'a'.repeat(90)}`, { depth: 1, parts: 2, gap: 20 }, true],
  ['closing brackets, of which a parser tells', ']]]]', { depth: 1, parts: 2 }, true],
];

for (const [name, json, most, within] of rows)
  test(`JSON with ${name} is ${within ? 'within' : 'over'} its bounds`, () =>
    assert.equal(fitsBounds(bytesOf(json), most), within));

describe('a scan', () => {
  const json = '{"a":[1,2,3,4,5],"b":"a long text","c":{"d":"é\\"[","e":[6,7,8,9,0]}}';

  test('tells where what is larger than a piece begins and ends', () => {
    const bytes = bytesOf(json);
    const scan = new JsonScan(bytes, { depth: 9, parts: 99 }, { bytes: 12, parts: 4 });
    assert.ok(scan.scanTo(bytes.length));
    assert.ok(scan.isClosed);
    assert.deepEqual(
      [...scan.large].map(([begin, end]) => new TextDecoder().decode(bytes.subarray(begin, end))),
      ['[1,2,3,4,5]', '"a long text"', '[6,7,8,9,0]', '{"d":"é\\"[","e":[6,7,8,9,0]}', json],
    );
  });

  test('sees the same however far it looks at a time', () => {
    const bytes = bytesOf(json);
    const once = new JsonScan(bytes, { depth: 9, parts: 99 }, { bytes: 12, parts: 4 });
    once.scanTo(bytes.length);
    for (let step = 1; step < 20; step += 1) {
      const scan = new JsonScan(bytes, { depth: 9, parts: 99 }, { bytes: 12, parts: 4 });
      for (let end = step; end < bytes.length + step; end += step) assert.ok(scan.scanTo(Math.min(end, bytes.length)));
      assert.deepEqual([scan.large, scan.isClosed], [once.large, true]);
    }
  });

  test('tells the bound that JSON is over, and looks no further', () => {
    const scan = new JsonScan(bytesOf('[[[[1,2,3,4,5,6,7,8]]]]'), { depth: 2, parts: 9 });
    assert.equal(scan.scanTo(23), false);
    assert.equal(scan.excess, 'depth');
  });

  for (const open of ['[', '{"a":[1', '["a', '["a\\', ']', '[]]'])
    test(`tells that brackets or texts do not end: ${open}`, () => {
      const scan = new JsonScan(bytesOf(open), { depth: 9, parts: 9 });
      scan.scanTo(open.length);
      assert.equal(scan.isClosed, false);
    });
});

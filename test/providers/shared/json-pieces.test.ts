import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Cut, JsonCutter, JsonUncut, joinPiece, longest } from '../../../providers/shared/json-pieces.ts';
import { JsonScan, type JsonSize } from '../../../src/core/json-bounds.ts';

const unbounded = { depth: 1_000, parts: 1_000_000 };
const utf8 = new TextDecoder();

function piecesOf(
  json: string | Uint8Array,
  size: JsonSize,
  cut: Partial<Cut> = {},
): { text: string; joins: number }[] {
  const bytes = typeof json === 'string' ? new TextEncoder().encode(json) : json;
  const scan = new JsonScan(bytes, unbounded, size);
  scan.scanTo(bytes.length);
  const cutter = new JsonCutter(bytes, scan.large, { size, ...cut });
  const pieces: { text: string; joins: number }[] = [];
  for (let piece = cutter.next(); piece !== undefined; piece = cutter.next())
    pieces.push({ text: utf8.decode(piece.text), joins: piece.joins });
  return pieces;
}

const joined = (pieces: readonly { text: string; joins: number }[]): unknown =>
  pieces
    .map(({ text, joins }) => ({ value: JSON.parse(text), joins }))
    .reduce((whole, { value, joins }) => ({ value: joinPiece(whole.value, value, joins), joins: 0 })).value;

const tiny: JsonSize = { bytes: 12, parts: 4 };

describe('pieces', () => {
  test('repeat what is around them, and tell where they go on with an item', () =>
    assert.deepEqual(piecesOf('[{"id":1,"list":[1,2,3,4,5,6,7]},{"id":2}]', { bytes: 100, parts: 6 }), [
      { text: '[{"id":1,"list":[1,2,3,4]}]', joins: 0 },
      { text: '[{"list":[5,6,7]},{"id":2}]', joins: 1 },
    ]));

  const page = {
    kind: 'list',
    items: {
      a: { things: Array.from({ length: 9 }, (_, id) => ({ id, tags: ['x', 'y'], at: { x: 1 } })) },
      b: { warning: null },
      c: { things: [] },
    },
    next: 'more',
  };

  for (const layout of [undefined, 1, '\r\n\t ']) {
    test(`are together what the whole says, laid out by ${JSON.stringify(layout)}`, () => {
      const pieces = piecesOf(JSON.stringify(page, undefined, layout), tiny);
      assert.ok(pieces.length > 10);
      assert.deepEqual(joined(pieces), page);
    });
  }

  test('of any JSON are together what it says', () => {
    const name = fc.string({ unit: 'binary' }).filter((text) => text !== '__proto__');
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof({ maxDepth: 5 }, tie('word'), tie('list'), tie('object')),
      list: fc.array(tie('json'), { maxLength: 8 }),
      object: fc.dictionary(name, tie('json'), { maxKeys: 8, noNullPrototype: true }),
      word: fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
        fc.boolean(),
        fc.constant(null),
      ),
    }));
    let cut = 0;
    const rows = fc.tuple(fc.array(json, { minLength: 1 }), fc.constantFrom(0, 1, 4), fc.integer({ min: 0, max: 40 }));
    fc.assert(
      fc.property(rows, ([value, layout, most]) => {
        const text = JSON.stringify({ value }, undefined, layout);
        const bytes = Math.min(most, text.length - 1);
        const pieces = piecesOf(text, { bytes, parts: bytes });
        assert.deepEqual(joined(pieces), JSON.parse(text));
        cut += pieces.length > 1 ? 1 : 0;
      }),
      { numRuns: 300 },
    );
    assert.ok(cut > 100, `${cut} were cut`);
  });

  test('are no larger than was asked for, but for what is around them', () => {
    for (const { text } of piecesOf(JSON.stringify(Array.from({ length: 500 }, (_, i) => i)), {
      bytes: 40,
      parts: 9,
    })) {
      assert.ok(text.length <= 42, text);
      assert.ok(JSON.parse(text).length <= 9, text);
    }
  });

  test('without long lists are the rest', () =>
    assert.deepEqual(
      piecesOf('{"a":[1,2,3,4,5,6,7],"b":[1],"c":{"d":[1,2,3,4,5,6,7],"e":1}}', tiny, {
        size: { bytes: 100, parts: 40 },
        withoutLists: true,
      }),
      [{ text: '{"a":[],"b":[1],"c":{"d":[],"e":1}}', joins: 0 }],
    ));

  test('each have a list that their reader asks for', () => {
    const json = '{"a":[1,2,3,4,5,6],"va\\u006cue":[1,2,3,4,5,6],"next":"a link that is long"}';
    const pieces = piecesOf(json, tiny, { always: 'value' });
    assert.deepEqual(
      pieces.map(({ text }) => text),
      [
        '{"a":[1,2,3,4],"value":[]}',
        '{"a":[5,6],"va\\u006cue":[1,2]}',
        '{"va\\u006cue":[3,4,5,6]}',
        '{"next":"a link that is long","value":[]}',
      ],
    );
    assert.deepEqual(joined(pieces), JSON.parse(json));
  });

  test('of a text that begins with the mark of its byte order', () =>
    assert.deepEqual(joined(piecesOf('\uFEFF[1,2,3,4,5,6,7,8]', tiny)), [1, 2, 3, 4, 5, 6, 7, 8]));
});

describe('what is no JSON, or cannot be cut', () => {
  const wrong: Readonly<Record<string, string>> = {
    'another bracket': '[1,2,3,4,5,6,7,8}',
    'another bracket inside': '[[1,2,3,4,5,6,7,8}]',
    'no comma': '[[1,2,3] [4,5,6,7] [8,9]]',
    'a comma too many': '[1,2,3,4,5,6,7,]',
    'two commas': '[1,2,,3,4,5,6,7]',
    'a name that is none': '{1:2,"a":[3,4,5,6,7,8,9]}',
    'a name without a value': '{"a","b":[3,4,5,6,7,8,9]}',
    'a name and no more': '{"a":,"b":[3,4,5,6,7,8,9]}',
    'something behind': '[1,2,3,4,5,6,7,8] 9',
    'something before': '1 [1,2,3,4,5,6,7,8]',
    'no list and no object': '"123456789012345"',
  };
  for (const [name, text] of Object.entries(wrong))
    test(`is never hidden: ${name}`, () =>
      assert.throws(
        () => joined(piecesOf(text, tiny)),
        (error) => error instanceof JsonUncut || error instanceof SyntaxError,
      ));

  test('a long text, a long key that each piece would repeat, and very many keys', () => {
    const keys = (count: number): string => `{${Array.from({ length: count }, (_, i) => `"${i}":1`).join(',')}}`;
    const reasons = [
      `["${'a'.repeat(longest.text)}"]`,
      `{"${'a'.repeat(longest.key)}":[1,2,3,4,5,6,7]}`,
      keys(longest.members + 1),
    ].map((text) => {
      try {
        return piecesOf(text, tiny).length;
      } catch (error) {
        return error instanceof JsonUncut ? error.reason : error;
      }
    });
    assert.deepEqual(reasons, ['text', 'key', 'members']);
    assert.ok(piecesOf(keys(longest.members), tiny).length > 1);
    assert.equal(piecesOf(`["${'a'.repeat(longest.text - 2)}",1]`, tiny).length, 2);
  });
});

describe('joining', () => {
  test('takes nothing away for what a reader puts where a piece is silent', () =>
    assert.deepEqual(
      joinPiece(
        { id: '1', list: [1], map: { a: 1 }, other: undefined, none: null },
        { id: '', list: [], map: {}, other: [2], none: { a: 1 }, more: 3 },
        0,
      ),
      { id: '1', list: [1], map: { a: 1 }, other: [2], none: { a: 1 }, more: 3 },
    ));

  test('changes no prototype', () => {
    const whole = joinPiece({ a: 1 }, JSON.parse('{"__proto__":{"b":2}}'), 0);
    assert.equal(Object.getPrototypeOf(whole), Object.prototype);
    assert.deepEqual(Object.keys(whole as object), ['a']); // why: it is the first of the two
  });
});

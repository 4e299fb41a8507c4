import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { csvLine } from '../../../src/http/api/csv.ts';

const starts = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

describe('a line of CSV', () => {
  it('is quoted where it must be', () => {
    assert.equal(csvLine(['a', 'b c', 'd"e', '', 'f; g|h-i']), 'a,b c,"d""e",,f; g|h-i\r\n');
  });

  for (const start of [...starts, '\t', '\r', '\n'])
    it(`has no cell that begins as a formula: ${JSON.stringify(start)}`, () =>
      assert.match(csvLine([`${start}1`]), /^"'/));

  for (const part of [';', '; ', ';"', '\t', '|', '\n', '\r\n'])
    it(`has none where a program parts cells otherwise: ${JSON.stringify(part)}`, () => {
      for (const start of starts)
        assert.match(csvLine([`k${part}${start}1=x`]), /^"k[^']+'[=+\-@＝＋－＠]1=x"\r\n$/, start);
    });
});

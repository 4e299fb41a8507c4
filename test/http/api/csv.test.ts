import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { csvLine } from '../../../src/http/api/inventory-export.ts';

const starts = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

describe('a line of CSV', () => {
  it('is quoted where it must be', () => {
    assert.equal(csvLine(['a', 'b c', 'd"e', '', 'f; g|h-i']), 'a,b c,"d""e",,f; g|h-i\r\n');
  });

  for (const start of starts)
    it(`has no cell that begins as a formula: ${JSON.stringify(start)}`, () =>
      assert.match(csvLine([`${start}1`]), /^"'/));

  it('holds nothing that a terminal obeys, or that turns text round', () => {
    assert.equal(csvLine(['\u001b[2Jx\n\t=1', 'a\u202eb\u0085', '\r']), '\\u001b[2Jx\\n\\t=1,a\\u202eb\\u0085,\\r\r\n');
  });

  for (const part of [';', '; ', ';"', '|'])
    it(`has none where a program parts cells otherwise: ${JSON.stringify(part)}`, () => {
      for (const start of starts)
        assert.match(csvLine([`k${part}${start}1=x`]), /^"k[^']+'[=+\-@＝＋－＠]1=x"\r\n$/, start);
    });
});

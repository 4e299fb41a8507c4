import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { missed } from '../../bench/bounds.ts';
import { normalisation, rows, tables } from '../../bench/normalisation.ts';
import { inScratch, writeFiles } from '../../bench/processes/scratch.ts';

const table = `
import { describe, test } from 'node:test';
test('A01: spelled otherwise: same', () => {});
test('A02: one of two is wrong: same', () => {});
test('A02: one of two is wrong: drift', () => { throw new Error('judged wrong'); });
test.skip('A04: not looked at', () => {});
describe('A05, A07: two at once', () => test('the second is wrong', () => { throw new Error('judged wrong'); }));
`;

test('a row is judged wrong if one of its tests fails, is skipped, or there is none', () =>
  inScratch(async (folder) => {
    await writeFiles(folder, [{ path: 'cases.test.mjs', text: table }]);
    const files = [join(folder, 'cases.test.mjs')];
    assert.equal((await normalisation(files, ['A01']))[0]?.value, 0);
    const [figure] = await normalisation(files, ['A01', 'A02', 'A04', 'A05', 'A07', 'A08']);
    assert.deepEqual(figure, { name: 'normalisation', value: 5, unit: 'of 6 rows', floor: 0 });
    assert.equal(missed(figure), 'normalisation: value 5 is over 0');
  }));

test('without tests there is no figure', () =>
  inScratch(async (folder) => {
    await writeFiles(folder, [{ path: 'none.test.mjs', text: '}' }]);
    const [figure] = await normalisation([join(folder, 'none.test.mjs')], ['A01']);
    assert.equal(figure?.value, 1);
    await assert.rejects(normalisation([join(folder, 'nowhere.test.mjs')], ['A01']), /no test ran in .*nowhere/);
  }));

test('every row of the document has its place', () => {
  assert.deepEqual(
    Object.values(rows).map((of) => [of[0], of.at(-1), of.length, new Set(of).size]),
    [
      ['A01', 'A50', 34, 34],
      ['G01', 'G47', 32, 32],
      ['Z01', 'Z40', 27, 27],
    ],
  );
});

test('each of its tables is there', () => {
  const top = join(import.meta.dirname, '../..');
  assert.deepEqual(
    tables.filter((files) => globSync(files, { cwd: top }).length === 0),
    [],
  );
});

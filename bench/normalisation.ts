import type { Figure } from './figure.ts';
import { judged } from './normalisation/judged.ts';
import { rows } from './normalisation/rows.ts';
import { tables } from './normalisation/tables.ts';

/**
 * Rows of the table of cases that are judged wrong: the tests that bear the row's id fail, or there is none. Asked: 0.
 */
export async function normalisation(files = tables, cases = Object.values(rows).flat()): Promise<readonly Figure[]> {
  const found = await judged(files);
  const wrong = cases.filter((row) => found.get(row) !== true);
  for (const row of wrong) console.error(`normalisation: ${row} ${found.has(row) ? 'is judged wrong' : 'has no test'}`);
  return [{ name: 'normalisation', value: wrong.length, unit: `of ${cases.length} rows`, floor: 0 }];
}

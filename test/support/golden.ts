import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Compares a text with a file under test/golden. To change one on purpose: `GOLDEN=write node --test …`; that run fails all the
 * same, so that nobody rewrites them without looking.
 */
export function assertGolden(got: string, file: string): void {
  const path = join(import.meta.dirname, '../golden', file);
  const wanted = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  if (process.env['GOLDEN'] === 'write' && got !== wanted) writeFileSync(path, got);
  assert.equal(got, wanted);
}

import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Figure } from './figure.ts';
import type { Told } from './normalisation/tell-tests.ts';
import { runToEnd } from './processes/measured.ts';

/**
 * Rows of the table of cases that are judged wrong: the tests that bear the row's id fail, or there is none. Asked: 0.
 */
export async function normalisation(files = tables, cases = Object.values(rows).flat()): Promise<readonly Figure[]> {
  const found = await judged(files);
  const wrong = cases.filter((row) => found.get(row) !== true);
  for (const row of wrong) console.error(`normalisation: ${row} ${found.has(row) ? 'is judged wrong' : 'has no test'}`);
  return [{ name: 'normalisation', value: wrong.length, unit: `of ${cases.length} rows`, floor: 0 }];
}

/** By row: whether all the tests that name it passed. A row that no test names is absent. */
type Judged = ReadonlyMap<string, boolean>;

const top = fileURLToPath(new URL('..', import.meta.url));
const reporter = new URL('./normalisation/tell-tests.ts', import.meta.url).href;

/** Runs test files, by glob from the top of the repository, and reads the rows off the names of their tests and suites. */
async function judged(files: readonly string[]): Promise<Judged> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const args = ['--test', `--test-reporter=${reporter}`, '--test-reporter-destination=stdout', ...files];
  const { stdout, stderr } = await runToEnd({ program: process.execPath, args, cwd: top, env });
  const told = stdout.split('\n').flatMap(read);
  if (told.length === 0) throw new Error(`no test ran in ${files.join(', ')}: ${stderr.slice(-2000)}`);
  const rows = new Map<string, boolean>();
  for (const { name, passed } of told)
    for (const [row] of name.matchAll(/\b[AGZ]\d\d\b/g)) rows.set(row, (rows.get(row) ?? true) && passed);
  return rows;
}

const line = z.object({ name: z.string(), passed: z.boolean() });

const read = (text: string): readonly Told[] => (text.startsWith('{') ? [line.parse(JSON.parse(text))] : []);

/**
 * The rows of the project's table of cases, "when is a difference drift?", by the cloud whose spelling they are about. Each
 * is tested where its id leads the name of a test.
 */
export const rows = {
  aws: `A01 A02 A04 A05 A07 A08 A10 A11 A13 A14 A16 A17 A19 A20 A22 A23 A25 A26 A28 A29 A31 A32 A34 A35 A37 A38 A40 A41 A43 A44 A46 A47 A49 A50`.split(
    ' ',
  ),
  gcp: `G01 G02 G04 G05 G07 G08 G10 G11 G13 G14 G16 G17 G19 G20 G22 G23 G25 G26 G28 G29 G31 G32 G34 G35 G37 G38 G40 G41 G43 G44 G46 G47`.split(
    ' ',
  ),
  azure:
    `Z01 Z02 Z04 Z05 Z07 Z08 Z10 Z11 Z13 Z14 Z16 Z17 Z19 Z20 Z22 Z23 Z25 Z26 Z28 Z29 Z31 Z32 Z34 Z35 Z37 Z38 Z40`.split(
      ' ',
    ),
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The test files of the rows. */
export const tables: readonly string[] = [
  'test/providers/*/normalisation-*.test.ts',
  // Refused before any call: A08, A25, A28, G20.
  'test/core/documents/rules.test.ts',
  // About more than spelling: Z17, Z19 and Z20 (numbers are ours to choose); Z28, Z29 and Z37 (listings and documents).
  'test/core/plan/align-desired.test.ts',
  'test/providers/azure/{listings,respell,firewall-rule}.test.ts',
];

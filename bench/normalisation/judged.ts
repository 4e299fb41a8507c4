import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { runToEnd } from '../process/measured.ts';
import type { Told } from './tell-tests.ts';

/** By row: whether all the tests that name it passed. A row that no test names is absent. */
export type Judged = ReadonlyMap<string, boolean>;

const top = fileURLToPath(new URL('../../', import.meta.url));
const reporter = new URL('./tell-tests.ts', import.meta.url).href;

/** Runs test files, by glob from the top of the repository, and reads the rows off the names of their tests and suites. */
export async function judged(files: readonly string[]): Promise<Judged> {
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

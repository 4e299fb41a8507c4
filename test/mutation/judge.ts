import { basename, dirname } from 'node:path';
import { covers, type TestCoverage } from './coverage.ts';
import { type Mutant, mutated } from './mutants.ts';
import { runTest } from './run-test.ts';
import type { Copy } from './tree.ts';

export interface Judgement {
  readonly verdict: 'killed' | 'timeout' | 'survived';
  /** The test file that failed or took too long. */
  readonly by?: string;
  /** Test files that were run. */
  readonly ran: number;
  /** Test files that cover the mutant. */
  readonly covering: number;
}

/** A test that takes this much longer than it did hangs. Other programs may use the processor meanwhile. */
const usualTimeout = (ms: number): number => 10_000 + 5 * ms;

export interface Judging {
  readonly copy: Copy;
  readonly patienceMs: number;
  /** From how long a test takes on the sources as they are. */
  readonly timeoutOf?: (ms: number) => number;
}

/**
 * Runs the tests that cover a mutant until one fails: first those that bear the name of the source, then those of its folder,
 * then the quickest. Tests that do not fit into `patienceMs` of their usual time are not run, so that the verdict can only be too hard on the tests.
 */
export async function judge(
  mutant: Mutant,
  tests: readonly TestCoverage[],
  { copy, patienceMs, timeoutOf = usualTimeout }: Judging,
): Promise<Judgement> {
  const covering = coveringTests(mutant, tests);
  const whole = await copy.read(mutant.file);
  let spent = 0;
  let ran = 0;
  await copy.write(mutant.file, mutated(whole, mutant));
  try {
    for (const { test, ms } of covering) {
      if (ran > 0 && spent + ms > patienceMs) continue;
      spent += ms;
      ran += 1;
      const { how } = await runTest(copy, test, { timeoutMs: timeoutOf(ms) });
      if (how === 'failed') return { verdict: 'killed', by: test, ran, covering: covering.length };
      if (how === 'timeout') return { verdict: 'timeout', by: test, ran, covering: covering.length };
    }
  } finally {
    await copy.write(mutant.file, whole);
  }
  return { verdict: 'survived', ran, covering: covering.length };
}

export function coveringTests(mutant: Mutant, tests: readonly TestCoverage[]): readonly TestCoverage[] {
  const [name, folder] = [basename(mutant.file, '.ts'), dirname(mutant.file).replace(/^src\//, '')];
  /** The distance of a test from the source, by their names. */
  const distance = ({ test }: TestCoverage): number => {
    if (basename(test, '.test.ts') === name) return 0;
    return `${folder}/`.startsWith(`${dirname(test).replace(/^test\//, '')}/`) ? 1 : 2;
  };
  return tests
    .filter((test) => test.how === 'passed' && covers(test, mutant.file, mutant.runsFrom))
    .toSorted((a, b) => distance(a) - distance(b) || a.ms - b.ms || (a.test < b.test ? -1 : 1));
}

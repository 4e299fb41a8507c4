import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runTest } from './run-test.ts';
import { type Copy, scratchOf } from './tree.ts';

/** Offsets from and to, of text that ran. */
type Span = readonly [from: number, to: number];

/** One test file, as it runs on the sources as they are. */
export interface TestCoverage {
  readonly test: string;
  readonly how: 'passed' | 'failed' | 'timeout';
  readonly ms: number;
  /** By source file. */
  readonly ran: Readonly<Record<string, readonly Span[]>>;
}

/** https://chromedevtools.github.io/devtools-protocol/v8/Profiler/#type-ScriptCoverage */
interface Script {
  readonly url: string;
  readonly functions: readonly {
    readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[];
  }[];
}

/** Runs a test file once. `isSource`: the files to tell of. */
export async function coverageOf(
  copy: Copy,
  test: string,
  { timeoutMs, isSource }: { readonly timeoutMs: number; readonly isSource: (file: string) => boolean },
): Promise<TestCoverage> {
  const folder = await mkdtemp(join(scratchOf(copy), 'coverage-'));
  try {
    const { how, ms } = await runTest(copy, test, { timeoutMs, coverage: folder });
    const ran: Record<string, readonly Span[]> = {};
    for (const { url, functions } of await scriptsIn(folder)) {
      const file = url.startsWith('file:') ? relative(copy.root, fileURLToPath(url)) : '';
      if (isSource(file)) ran[file] = [...(ran[file] ?? []), ...spansOf(functions)];
    }
    return { test, how, ms, ran };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A process that was killed leaves a broken file, or none. */
async function scriptsIn(folder: string): Promise<readonly Script[]> {
  const scripts: Script[] = [];
  for (const name of await readdir(folder)) {
    try {
      scripts.push(...JSON.parse(await readFile(join(folder, name), 'utf8')).result);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return scripts;
}

/** Ranges lie inside one another; of a place the innermost counts. */
export function spansOf(functions: Script['functions']): readonly Span[] {
  const ranges = functions.flatMap((each) => each.ranges);
  const inward = ranges.toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  const spans: [number, number][] = [];
  const open: typeof inward = [];
  let at = 0;
  const upTo = (next: number): void => {
    if (next <= at) return;
    if ((open.at(-1)?.count ?? 0) > 0) {
      const last = spans.at(-1);
      if (last?.[1] === at) last[1] = next;
      else spans.push([at, next]);
    }
    at = next;
  };
  const leave = (before: number): void => {
    for (let last = open.at(-1); last !== undefined && last.endOffset <= before; last = open.at(-1)) {
      upTo(last.endOffset);
      open.pop();
    }
  };
  for (const range of inward) {
    leave(range.startOffset);
    upTo(range.startOffset);
    open.push(range);
  }
  leave(Number.POSITIVE_INFINITY);
  return spans;
}

export const covers = ({ ran }: TestCoverage, file: string, offset: number): boolean =>
  (ran[file] ?? []).some(([from, to]) => from <= offset && offset < to);

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { error, type Problem } from '../core/documents/problem.ts';
import { problemsOfIssue } from '../core/documents/read-document.ts';
import { type Located, locate, plainValue } from '../core/documents/tree.ts';
import { type Cases, casesSchema } from '../core/policy/cases.ts';
import { parseFile, showProblems } from './parse-specs.ts';

export interface CasesReading {
  readonly cases: readonly Located<Cases>[];
  readonly problems: readonly Problem[];
}

/** The cases in these files, under the rules of YAML of specs. A folder stands for the YAML and JSON files in it. Never throws. */
export async function readPolicyCases(paths: readonly string[]): Promise<CasesReading> {
  const files = (await Promise.all(paths.map(filesAt))).flat();
  const read = await Promise.all(files.map(readCases));
  return { cases: read.flatMap(({ cases }) => cases), problems: read.flatMap(({ problems }) => problems) };
}

async function filesAt(path: string): Promise<readonly string[]> {
  const entries = await readdir(path).catch(() => undefined);
  if (entries === undefined) return [path];
  return entries
    .filter((entry) => /\.(?:ya?ml|json)$/.test(entry))
    .toSorted()
    .map((entry) => join(path, entry));
}

async function readCases(path: string): Promise<CasesReading> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) {
    const at = { file: path, line: 1, column: 1 };
    return { cases: [], problems: [error('unreadable', at, 'this file cannot be read')] };
  }
  const { trees, problems } = parseFile({ path, text });
  const found = [...problems];
  const cases: Located<Cases>[] = [];
  for (const tree of trees) {
    const result = casesSchema.safeParse(plainValue(tree));
    if (result.success) cases.push(locate(result.data, tree));
    else found.push(...result.error.issues.flatMap((issue) => problemsOfIssue(issue, casesSchema, tree)));
  }
  return { cases, problems: showProblems(path, text, found) };
}

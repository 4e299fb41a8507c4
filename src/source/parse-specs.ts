import { checkSpecs, type Specs } from '../core/documents/check-specs.ts';
import { overlay } from '../core/documents/overlay.ts';
import { error, type Problem, sortProblems, warning } from '../core/documents/problem.ts';
import { forbiddenCharacter } from './characters.ts';
import { parseJson } from './json.ts';
import { limits } from './limits.ts';
import { indexLines } from './line-index.ts';
import { withSource } from './source-lines.ts';
import type { SpecFile } from './spec-file.ts';
import { mergeTrees, type Trees } from './trees.ts';
import { parseYaml } from './yaml.ts';

/**
 * The documents in these files, those of an overlay over the base, and everything that is wrong with them. The files are
 * of one overlay at most. Pure, never throws: `today` (2027-01-31) decides which `ignore` still holds.
 */
export function parseSpecs(files: readonly SpecFile[], today: string): Specs {
  const parsed = mergeTrees(files.map(parseFile));
  const { trees, broken, problems } = overlay(parsed);
  const checked = checkSpecs(trees, broken, today);
  const texts = new Map(files.map((file) => [file.path, file.text]));
  const all = Map.groupBy([...parsed.problems, ...problems, ...checked.problems], (problem) => problem.at.file);
  return {
    documents: checked.documents,
    problems: sortProblems([...all].flatMap(([path, found]) => present(path, texts.get(path), found))),
  };
}

/** What one file holds, before any schema. */
export function parseFile({ path, text }: SpecFile): Trees {
  if (text.length > limits.fileBytes) {
    const expected = `at most ${limits.fileBytes} bytes; divide it`;
    return refused(error('file-too-large', { file: path, line: 1, column: 1 }, 'the file is too large', { expected }));
  }
  const bad = forbiddenCharacter(text);
  if (bad >= 0) {
    const at = indexLines(path, text).positionAt(bad);
    return refused(error('bad-character', at, 'a character that no spec may hold', { expected: 'printable text' }));
  }
  return path.endsWith('.json') ? parseJson(path, text) : parseYaml(path, text);
}

const refused = (problem: Problem): Trees => ({ trees: [], broken: [], problems: [problem] });

/** The first problems of one file, each with its line, and how many more there are. No warning hides an error. */
export function present(path: string, text: string | undefined, found: readonly Problem[]): readonly Problem[] {
  const ranked = sortProblems(found).toSorted(
    (a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning'),
  );
  const told = ranked.slice(0, limits.problems);
  const shown =
    text === undefined || text.length > limits.fileBytes ? told : withSource(told, indexLines(path, text).lines);
  const [next] = ranked.slice(limits.problems);
  if (!next) return shown;
  const report = next.severity === 'error' ? error : warning;
  const what = `and ${ranked.length - told.length} more ${next.severity === 'error' ? 'problems' : 'warnings'} in this file`;
  return [...shown, report('more-problems', next.at, what)];
}

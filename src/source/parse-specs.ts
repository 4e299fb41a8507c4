import { checkSpecs, type Specs } from '../core/spec/check-specs.ts';
import { error, type Problem, sortProblems } from '../core/spec/problem.ts';
import { forbiddenCharacter } from './characters.ts';
import { parseJson } from './json.ts';
import { limits } from './limits.ts';
import { indexLines } from './line-index.ts';
import { withSource } from './source-lines.ts';
import type { SpecFile } from './spec-file.ts';
import { mergeTrees, type Trees } from './trees.ts';
import { parseYaml } from './yaml.ts';

/**
 * The documents in these files and everything that is wrong with them. Pure, never throws: `today` (2027-01-31) decides
 * which `ignore` still holds.
 */
export function parseSpecs(files: readonly SpecFile[], today: string): Specs {
  const { trees, broken, problems } = mergeTrees(files.map(parseFile));
  const checked = checkSpecs(trees, broken, today);
  const texts = new Map(files.map((file) => [file.path, file.text]));
  const all = Map.groupBy([...problems, ...checked.problems], (problem) => problem.at.file);
  return {
    documents: checked.documents,
    problems: sortProblems([...all].flatMap(([path, found]) => present(path, texts.get(path), found))),
  };
}

function parseFile({ path, text }: SpecFile): Trees {
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

/** The first problems of one file, each with its line, and how many more there are. */
function present(path: string, text: string | undefined, found: readonly Problem[]): readonly Problem[] {
  const told = sortProblems(found).slice(0, limits.problems);
  const last = told.at(-1);
  const more = found.length - told.length;
  const shown =
    text === undefined || text.length > limits.fileBytes ? told : withSource(told, indexLines(path, text).lines);
  if (more === 0 || !last) return shown;
  return [...shown, error('more-problems', last.at, `and ${more} more problems in this file`)];
}

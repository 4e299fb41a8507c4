import { checkSpecs, type Specs } from '../core/documents/check-specs.ts';
import { isBesideSpecs, overlay } from '../core/documents/overlay.ts';
import { error, type Problem, sortProblems, warning } from '../core/documents/problem.ts';
import { readDocument } from '../core/documents/read-document.ts';
import { plainValue } from '../core/documents/tree.ts';
import { parseJson } from './json.ts';
import { limits } from './limits.ts';
import { mergeParsed, type ParsedFile } from './parsed-file.ts';
import { forbiddenCharacter, indexLines, printableText } from './text.ts';
import type { SpecFile } from './tree.ts';
import { parseYaml } from './yaml.ts';

/**
 * The documents in these files, those of an overlay over the base, and everything that is wrong with them. The files are
 * of one overlay at most. Pure, never throws: `today` (2027-01-31) decides which `ignore` still holds.
 */
export function parseSpecs(files: readonly SpecFile[], today: string): Specs {
  const parsed = mergeParsed(files.map(parseFile));
  const { trees, ended, broken, problems } = overlay(parsed);
  const checked = checkSpecs(trees, broken, today);
  const texts = new Map(files.map((file) => [file.path, file.text]));
  const all = Map.groupBy([...parsed.problems, ...problems, ...checked.problems], (problem) => problem.at.file);
  return {
    documents: checked.documents,
    ended: ended.flatMap((tree) => readDocument(tree).document ?? []),
    problems: sortProblems([...all].flatMap(([path, found]) => showProblems(path, texts.get(path), found))),
  };
}

/** The content of one file, before any schema. */
export function parseFile({ path, text }: SpecFile): ParsedFile {
  if (text.length > limits.fileBytes) {
    const expected = `at most ${limits.fileBytes} bytes; divide it`;
    return refused(error('file-too-large', { file: path, line: 1, column: 1 }, 'the file is too large', { expected }));
  }
  const bad = forbiddenCharacter(text);
  if (bad >= 0) {
    const at = indexLines(path, text).positionAt(bad);
    return refused(error('bad-character', at, 'a character that no spec may hold', { expected: 'printable text' }));
  }
  return path.endsWith('.json') || isBesideSpecs(path) ? parseJson(path, text) : parseYaml(path, text);
}

/** A value in YAML, on one line, as a field of a spec has it; undefined where it is none. */
export function parseValue(text: string): { readonly value: unknown } | undefined {
  if (/[\n\r]/.test(text)) return undefined;
  const { trees, problems } = parseFile({ path: 'value.yaml', text: `value: ${text}` });
  const [tree] = trees;
  if (problems.length > 0 || tree?.kind !== 'map' || tree.entries.size !== 1) return undefined;
  const entry = tree.entries.get('value');
  return entry && { value: plainValue(entry.value) };
}

const refused = (problem: Problem): ParsedFile => ({ trees: [], broken: [], problems: [problem] });

/** The first problems of one file, each with its line, and how many more there are. No warning hides an error. */
export function showProblems(path: string, text: string | undefined, found: readonly Problem[]): readonly Problem[] {
  const ranked = sortProblems(found).toSorted(
    (a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning'),
  );
  const listed = ranked.slice(0, limits.problems);
  const shown =
    text === undefined || text.length > limits.fileBytes ? listed : withSource(listed, indexLines(path, text).lines);
  const [next] = ranked.slice(limits.problems);
  if (!next) return shown;
  const report = next.severity === 'error' ? error : warning;
  const what = `and ${ranked.length - listed.length} more ${next.severity === 'error' ? 'problems' : 'warnings'} in this file`;
  return [...shown, report('more-problems', next.at, what)];
}

/** Problems of one file, each with the line it stands on. */
function withSource(problems: readonly Problem[], lines: readonly string[]): readonly Problem[] {
  const masked = problems.length > 0 ? maskSecrets(lines) : lines;
  return problems.map((problem) => {
    const source = masked[problem.at.line - 1];
    return source === undefined ? problem : { ...problem, source: printableText(source) };
  });
}

/**
 * Hides what stands after a key that sounds like a secret, on its line and on all lines indented deeper. People write
 * secrets into specs by mistake, and what we print ends up in logs. It errs towards hiding: of credentials only a role
 * is shown.
 */
export function maskSecrets(lines: readonly string[]): readonly string[] {
  let hiding = Number.POSITIVE_INFINITY;
  return lines.map((line) => {
    const indent = line.search(/\S/);
    if (indent > hiding) return ROLE.test(line) ? line : `${line.slice(0, indent)}***`;
    if (indent >= 0) hiding = Number.POSITIVE_INFINITY;
    const found = SECRET.exec(line);
    if (!found) return line.replaceAll(IN_URL, '$1$2***@');
    hiding = found[0].startsWith('-') ? indent - 1 : indent;
    const end = found.index + found[0].length;
    return ROLE.test(line.slice(end)) ? line : `${line.slice(0, end)} ***`;
  });
}

const SECRET = /(?:pass(?:word|wd|phrase)|secret|token|credentials?|private.?key)["']?\s*:|-----BEGIN/i;
/** The part before the host; of ssh alone a bare user is shown. */
const IN_URL = /(https?:\/\/)[^/\s]*@|(:\/\/)[^/\s]*:[^/\s]*@/gi;
const ROLE = /^\s*(?:$|\{?\s*assumeRole\s*:\s*["']?arn:aws[\w:/+=,.@-]*["']?\s*\}?\s*(?:#.*)?$)/;

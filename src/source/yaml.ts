import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Scalar,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import { error, type Problem } from '../core/documents/problem.ts';
import type { Position, ScalarTree, Tree } from '../core/documents/tree.ts';
import { limits } from './limits.ts';
import { mergeParsed, type ParsedFile } from './parsed-file.ts';
import { prescan } from './prescan.ts';
import { forbiddenCharacter, forbiddenKey, indexLines } from './text.ts';

/**
 * YAML 1.2 with its core schema (`no` is text, and so is a date), as plain trees. Pure; at most about 10 µs for each
 * line and mark. Stops after `limits.problems` problems.
 */
export function parseYaml(file: string, text: string): ParsedFile {
  const documents = divideDocuments(indexLines(file, text).lines, limits.documents);
  if (documents.length > limits.documents) return tooMany(file, documents);
  const parts: ParsedFile[] = [];
  let problems = 0;
  for (const document of documents) {
    const part = parseOne(file, document);
    parts.push(part);
    problems += part.problems.length;
    if (problems > limits.problems) break;
  }
  return mergeParsed(parts);
}

function tooMany(file: string, documents: readonly DocumentLines[]): ParsedFile {
  const at = { file, line: (documents[limits.documents]?.start ?? 0) + 1, column: 1 };
  const expected = `at most ${limits.documents} documents in a file; divide it`;
  return { trees: [], broken: [], problems: [error('too-many-documents', at, 'too many documents', { expected })] };
}

function parseOne(file: string, { start, lines }: DocumentLines): ParsedFile {
  const refused = prescan(lines, (line, column) => ({ file, line: start + line + 1, column: column + 1 }));
  if (refused.length > 0) return { trees: [], broken: [], problems: refused };
  const counter = new LineCounter();
  const positionAt = (offset: number): Position => {
    const { line, col } = counter.linePos(offset);
    return { file, line: start + Math.max(line, 1), column: Math.max(col, 1) };
  };
  try {
    const document = parseDocument(lines.join('\n'), { ...SAFE, lineCounter: counter });
    return readTree(document.contents, positionAt, document.errors);
  } catch {
    // why: the parser's own words may repeat what stands in the document, which may be a secret.
    return { trees: [], broken: [], problems: [error('bad-yaml', positionAt(0), 'this document cannot be parsed')] };
  }
}

/** Duplicate keys are found here and not by the parser, which compares each key with all others: O(n²). */
export const SAFE = {
  version: '1.2',
  schema: 'core',
  strict: true,
  uniqueKeys: false,
  merge: false,
  resolveKnownTags: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const;

function readTree(
  contents: unknown,
  positionAt: (offset: number) => Position,
  errors: readonly YAMLError[],
): ParsedFile {
  const reader: Reader = {
    positionAt,
    problems: errors.slice(0, MOST_ERRORS).map((e) => explainYamlError(e, positionAt)),
  };
  const tree = read(reader, contents, 0);
  const clean = reader.problems.length === 0;
  if (tree === undefined) return { trees: [], broken: [], problems: reader.problems };
  return { trees: clean ? [tree] : [], broken: clean ? [] : [tree], problems: reader.problems };
}

/** One slip often makes the parser complain many times; a person needs the first few. */
const MOST_ERRORS = 5;

interface Reader {
  readonly positionAt: (offset: number) => Position;
  readonly problems: Problem[];
}

function read(reader: Reader, node: unknown, depth: number): Tree | undefined {
  const at = reader.positionAt(offsetOf(node));
  if (depth > limits.depth) return refuse(reader, 'too-deep', at, 'nested too deep');
  if (isAlias(node)) return refuse(reader, 'alias', at, 'aliases are not allowed: specs are plain data');
  if (isScalar(node)) return readScalar(reader, node, at);
  if (isSeq(node)) {
    return { kind: 'list', items: node.items.flatMap((item) => read(reader, item, depth + 1) ?? []), at };
  }
  if (isMap(node)) return readMap(reader, node, { at, depth });
  return { kind: 'scalar', value: null, at };
}

function readMap(reader: Reader, node: YAMLMap, { at, depth }: { at: Position; depth: number }): Tree {
  const entries = new Map<string, { readonly keyAt: Position; readonly value: Tree }>();
  for (const { key, value } of node.items) {
    const keyAt = reader.positionAt(offsetOf(key));
    const name = nameOf(key);
    if (name === undefined) refuse(reader, 'bad-key', keyAt, 'a key must be a plain word');
    else if (forbiddenKey(name)) refuse(reader, 'bad-key', keyAt, `the key \`${name}\` is not allowed`);
    else if (entries.has(name)) refuse(reader, 'duplicate-key', keyAt, 'this key stands here twice');
    else {
      const tree = read(reader, value, depth + 1) ?? { kind: 'scalar', value: null, at: keyAt };
      entries.set(name, { keyAt, value: value === null ? { ...tree, at: keyAt } : tree });
    }
  }
  return { kind: 'map', entries, at };
}

/** A key as it is written: `no`, `1` and `null` are words here. */
function nameOf(key: unknown): string | undefined {
  if (!isScalar(key) || key.anchor || key.tag) return undefined;
  return typeof key.value === 'string' ? key.value : key.source;
}

function readScalar(reader: Reader, node: Scalar, at: Position): ScalarTree | undefined {
  const { value } = node;
  if (node.anchor || node.tag)
    return refuse(reader, 'tag', at, 'anchors and tags are not allowed: specs are plain data');
  if (value === null || typeof value === 'boolean') return { kind: 'scalar', value, at };
  if (typeof value === 'number') return readNumber(reader, { value, source: node.source ?? '' }, at);
  if (typeof value !== 'string')
    return refuse(reader, 'bad-value', at, 'only text, numbers, true and false are allowed');
  if (forbiddenCharacter(value) >= 0) {
    return refuse(reader, 'bad-character', at, 'this text holds a character that no spec may hold');
  }
  return { kind: 'scalar', value, at };
}

/** `0x1f`, `1e3`, `007` and `.inf` mean different things to different readers, so they must be quoted or written out. */
function readNumber(reader: Reader, number: { value: number; source: string }, at: Position): ScalarTree | undefined {
  if (/^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/.test(number.source)) return { kind: 'scalar', value: number.value, at };
  return refuse(reader, 'ambiguous-number', at, 'this number can be read in more than one way', {
    expected: 'a plain decimal number, or text in quotes',
  });
}

function refuse(reader: Reader, ...problem: Parameters<typeof error>): undefined {
  reader.problems.push(error(...problem));
  return undefined;
}

function offsetOf(node: unknown): number {
  // why: yaml gives each node it parsed a range; null stands where nothing was written.
  return (node as { readonly range?: readonly number[] } | null)?.range?.[0] ?? 0;
}

/** One document of a YAML file: its lines, its marker included, and the line of the file it begins on, from 0. */
interface DocumentLines {
  readonly start: number;
  readonly lines: readonly string[];
}

/**
 * Divides a file at its markers. YAML lets nothing, not even quoted text or a block scalar, hold a line that begins
 * with a marker (https://yaml.org/spec/1.2.2/#rule-c-forbidden), so no parser is needed to find them. Stops when there
 * are more than `most`, and then answers all it found; otherwise it leaves out what holds nothing.
 */
export function divideDocuments(lines: readonly string[], most: number): readonly DocumentLines[] {
  const documents: { start: number; lines: string[] }[] = [{ start: 0, lines: [] }];
  for (const [number, line] of lines.entries()) {
    if (/^---(?:\s|$)/.test(line)) documents.push({ start: number, lines: [] });
    else if (/^\.\.\.(?:\s|$)/.test(line)) {
      documents.push({ start: number, lines: [''] });
      continue;
    }
    documents.at(-1)?.lines.push(line);
    if (documents.length > most) return documents;
  }
  return documents.filter((document) => document.lines.some((line) => !/^(?:---)?\s*(?:#.*)?$/.test(line)));
}

/**
 * In our words and by code only: the parser's own message may repeat what stands in the file, which may be a secret.
 * Codes: https://eemeli.org/yaml/#errors
 */
function explainYamlError(found: YAMLError, positionAt: (offset: number) => Position): Problem {
  const message = Object.hasOwn(WORDS, found.code) ? WORDS[found.code] : undefined;
  return error('bad-yaml', positionAt(found.pos[0]), message ?? 'this is not valid YAML');
}

const WORDS: Readonly<Record<string, string>> = {
  BAD_DQ_ESCAPE: 'there is no such escape in double quotes; a backslash itself is \\\\',
  BAD_INDENT: 'this is not indented as its neighbours are, or a bracket before it is not closed',
  BAD_SCALAR_START: 'text cannot begin with this character: put it in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a second `:` on one line: put the text in quotes, or begin a new line',
  BLOCK_IN_FLOW: 'inside brackets, lists and maps need brackets too',
  KEY_OVER_1024_CHARS: 'this key is too long',
  MISSING_CHAR: 'something is missing here: a closing bracket or quote, a comma, a colon, or a blank',
  MULTILINE_IMPLICIT_KEY: 'this stands on more than one line but seems to be a key: is a `:` missing?',
  TAB_AS_INDENT: 'tabs cannot indent: use blanks',
  UNEXPECTED_TOKEN: 'this cannot stand here',
};

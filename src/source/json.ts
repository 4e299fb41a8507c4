import { error, type Problem } from '../core/documents/problem.ts';
import type { Tree } from '../core/documents/tree.ts';
import { limits } from './limits.ts';
import type { ParsedFile } from './parsed-file.ts';
import { forbiddenCharacter, forbiddenKey, indexLines } from './text.ts';

/**
 * JSON (RFC 8259) as plain trees: a file holds one document, or a list of them. Own code because `JSON.parse` reports no
 * positions and drops the first of two equal keys. Stops at the first problem; pure, O(n).
 */
export function parseJson(file: string, text: string): ParsedFile {
  const { positionAt } = indexLines(file, text);
  const cursor: Cursor = { text, offset: 0, at: positionAt };
  try {
    const tree = readValue(cursor, 0);
    skipBlanks(cursor);
    if (cursor.offset < text.length) throw broken(cursor, 'nothing more was expected here');
    return { trees: tree.kind === 'list' ? tree.items : [tree], broken: [], problems: [] };
  } catch (stop) {
    if (!(stop instanceof Broken)) throw stop;
    return { trees: [], broken: [], problems: [stop.problem] };
  }
}

interface Cursor {
  readonly text: string;
  readonly at: (offset: number) => Tree['at'];
  offset: number;
}

/** Leaves the recursion; never leaves this file. */
class Broken extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

const broken = (cursor: Cursor, message: string, code = 'bad-json'): Broken =>
  new Broken(error(code, cursor.at(cursor.offset), message));

function readValue(cursor: Cursor, depth: number): Tree {
  if (depth > limits.depth) throw broken(cursor, 'nested too deep', 'too-deep');
  skipBlanks(cursor);
  const mark = cursor.text[cursor.offset];
  if (mark === '{') return readMap(cursor, depth);
  if (mark === '[') return readList(cursor, depth);
  const at = cursor.at(cursor.offset);
  return { kind: 'scalar', value: mark === '"' ? readText(cursor) : readWord(cursor), at };
}

function readList(cursor: Cursor, depth: number): Tree {
  const at = cursor.at(cursor.offset);
  const items: Tree[] = [];
  cursor.offset += 1;
  if (taken(cursor, ']')) return { kind: 'list', items, at };
  do items.push(readValue(cursor, depth + 1));
  while (taken(cursor, ','));
  expect(cursor, ']', 'a comma or ] is missing here');
  return { kind: 'list', items, at };
}

function readMap(cursor: Cursor, depth: number): Tree {
  const at = cursor.at(cursor.offset);
  const entries = new Map<string, { readonly keyAt: Tree['at']; readonly value: Tree }>();
  cursor.offset += 1;
  if (taken(cursor, '}')) return { kind: 'map', entries, at };
  do {
    skipBlanks(cursor);
    const keyOffset = cursor.offset;
    const key = readText(cursor);
    const keyed = { ...cursor, offset: keyOffset };
    if (forbiddenKey(key)) throw broken(keyed, `the key \`${key}\` is not allowed`, 'bad-key');
    if (entries.has(key)) throw broken(keyed, 'this key stands here twice', 'duplicate-key');
    expect(cursor, ':', 'a colon is missing here');
    entries.set(key, { keyAt: cursor.at(keyOffset), value: readValue(cursor, depth + 1) });
  } while (taken(cursor, ','));
  expect(cursor, '}', 'a comma or } is missing here');
  return { kind: 'map', entries, at };
}

const TEXT = /"[^"\\\t\r\n]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\t\r\n]*)*"/y;
const WORD = /true|false|null|-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?(?![\d.eE])/y;

function readText(cursor: Cursor): string {
  const start = { ...cursor };
  // why: JSON.parse of what TEXT matches is a string.
  const value = JSON.parse(match(cursor, TEXT, 'text in double quotes was expected here')) as string;
  if (forbiddenCharacter(value) < 0) return value;
  throw broken(start, 'this text holds a character that no spec may hold', 'bad-character');
}

function readWord(cursor: Cursor): number | boolean | null {
  // why: JSON.parse of what WORD matches is a number, true, false or null.
  return JSON.parse(match(cursor, WORD, 'a value was expected here: text in double quotes, a plain number, { or [')) as
    | number
    | boolean
    | null;
}

function match(cursor: Cursor, pattern: RegExp, missing: string): string {
  pattern.lastIndex = cursor.offset;
  const found = pattern.exec(cursor.text)?.[0];
  if (found === undefined) throw broken(cursor, missing);
  cursor.offset += found.length;
  return found;
}

function expect(cursor: Cursor, mark: string, missing: string): void {
  if (!taken(cursor, mark)) throw broken(cursor, missing);
}

function taken(cursor: Cursor, mark: string): boolean {
  skipBlanks(cursor);
  if (cursor.text[cursor.offset] !== mark) return false;
  cursor.offset += 1;
  return true;
}

function skipBlanks(cursor: Cursor): void {
  while (/[ \t\r\n]/.test(cursor.text[cursor.offset] ?? 'x')) cursor.offset += 1;
}

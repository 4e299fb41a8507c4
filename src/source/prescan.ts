import { error, type Problem } from '../core/documents/problem.ts';
import type { Position } from '../core/documents/tree.ts';
import { limits } from './limits.ts';

/**
 * Refuses, before the YAML parser sees it, text that costs that parser much or means more than plain data: documents too
 * large, too full or too deep, anchors, aliases, tags, merge keys, directives and explicit keys. It reads each
 * character once. It knows quotes, comments, block scalars and flow collections, but not all of YAML: text that it accepts by
 * mistake is refused again when the parsed document is read; the budget of tokens is counted wherever they stand.
 */
export function prescan(lines: readonly string[], at: (line: number, column: number) => Position): readonly Problem[] {
  const tooMuch = overBudget(lines);
  if (tooMuch) return [error(tooMuch.code, at(0, 0), tooMuch.message, { expected: tooMuch.expected })];
  const scan: Scan = { found: [], columns: [], flow: 0, quote: '', block: undefined, fresh: true };
  for (const [line, text] of lines.entries()) {
    scanLine(scan, text, line);
    if (scan.found.length > 0) break;
  }
  return scan.found.map(({ refusal, line, column }) => {
    const { message, expected } = REFUSALS[refusal];
    return error(refusal, at(line, column), message, { expected });
  });
}

const REFUSALS = {
  anchor: { message: 'anchors are not allowed: specs are plain data', expected: 'the value itself, or text in quotes' },
  alias: { message: 'aliases are not allowed: specs are plain data', expected: 'the value itself, or text in quotes' },
  tag: { message: 'tags are not allowed: specs are plain data', expected: 'the plain value, or text in quotes' },
  'merge-key': { message: 'merge keys are not allowed: specs are plain data', expected: 'the fields themselves' },
  directive: { message: 'directives are not allowed', expected: 'a document' },
  'explicit-key': { message: 'keys written with ? are not allowed', expected: 'key: value' },
  'too-deep': { message: 'nested too deep', expected: `at most ${limits.depth} maps and lists inside one another` },
} as const;

interface Scan {
  readonly found: { readonly refusal: keyof typeof REFUSALS; readonly line: number; readonly column: number }[];
  /** Columns at which the block nodes around this place begin. */
  readonly columns: number[];
  flow: number;
  quote: '' | '"' | "'";
  /** Inside a block scalar: lines indented more than this belong to it. */
  block: number | undefined;
  /** True where a node may begin here. */
  fresh: boolean;
}

function overBudget(lines: readonly string[]) {
  const length = lines.reduce((sum, line) => sum + line.length + 1, 0);
  if (length > limits.documentLength) {
    const expected = `at most ${limits.documentLength} characters; divide it`;
    return { code: 'document-too-large', message: 'the document is too large', expected };
  }
  const tokens = lines.reduce((sum, line) => sum + 1 + (line.match(TOKEN)?.length ?? 0), 0);
  if (tokens <= limits.documentTokens) return undefined;
  const expected = `at most ${limits.documentTokens} lines and marks of structure; divide it`;
  return { code: 'document-too-full', message: 'the document holds too much', expected };
}

const TOKEN = /[,[\]{}"'\\&*!%@`\t]|[:?-](?=[\s,[\]{}]|$)/g;

function scanLine(scan: Scan, text: string, line: number): void {
  const indent = text.search(/[^ ]/);
  if (scan.block !== undefined && (indent < 0 || indent > scan.block)) return;
  scan.block = undefined;
  if (scan.quote === '' && scan.flow === 0) {
    scan.fresh = true;
    leaveBlocks(scan, indent < 0 ? text.length : indent);
  }
  for (let column = 0; column < text.length; ) {
    const next = scan.quote === '' ? scanNode(scan, text, column) : scanQuoted(scan, text, column);
    if (typeof next === 'string') {
      scan.found.push({ refusal: next, line, column });
      return;
    }
    column = next;
  }
}

/** Blocks that began at or right of this column have ended; blank lines end nothing. */
function leaveBlocks(scan: Scan, column: number): void {
  while ((scan.columns.at(-1) ?? -1) >= column) scan.columns.pop();
}

function scanQuoted(scan: Scan, text: string, column: number): number {
  const mark = text[column];
  if (scan.quote === '"' && mark === '\\') return column + 2;
  if (mark !== scan.quote) return column + 1;
  if (scan.quote === "'" && text[column + 1] === "'") return column + 2;
  scan.quote = '';
  // JSON's way of writing: the colon may follow a closing quote at once.
  if (text[column + 1] === ':' && scan.flow > 0) {
    scan.fresh = true;
    return column + 2;
  }
  return column + 1;
}

/** Outside quotes: the next column to read, or the refused construct here. */
function scanNode(scan: Scan, text: string, column: number): number | keyof typeof REFUSALS {
  const mark = text[column] ?? '';
  if (mark === ' ' || mark === '\t') return column + 1;
  if (mark === '#' && (column === 0 || /\s/.test(text[column - 1] ?? ''))) return text.length;
  if (mark === '%' && column === 0) return 'directive';
  if (scan.fresh) {
    const begun = beginNode(scan, text, column);
    if (begun !== undefined) return begun;
  }
  return passMark(scan, text, column);
}

/** Constructs that only the first mark of a node has; undefined: nothing special, read on. */
function beginNode(scan: Scan, text: string, column: number): number | keyof typeof REFUSALS | undefined {
  const mark = text[column] ?? '';
  const refused = refusedAt(scan, text, column);
  if (refused) return refused;
  if (scan.flow === 0) {
    if (mark === '|' || mark === '>') {
      scan.block = scan.columns.at(-1) ?? -1;
      return text.length;
    }
    scan.columns.push(column);
    if (depthOf(scan) > limits.depth) return 'too-deep';
    if (mark === '-' && endsMark(scan, text[column + 1])) return column + 1;
  }
  if (mark === '"' || mark === "'") {
    scan.quote = mark;
    scan.fresh = false;
    return column + 1;
  }
  return undefined;
}

function refusedAt(scan: Scan, text: string, column: number): keyof typeof REFUSALS | undefined {
  const mark = text[column];
  if (mark === '&') return 'anchor';
  if (mark === '*') return 'alias';
  if (mark === '!') return 'tag';
  if (mark === '?' && endsMark(scan, text[column + 1])) return 'explicit-key';
  return mark === '<' && /^<<\s*:/.test(text.slice(column, column + 64)) ? 'merge-key' : undefined;
}

/** In a block a bracket opens a collection only as the first mark of a node, whose column was noted just before. */
function passMark(scan: Scan, text: string, column: number): number | keyof typeof REFUSALS {
  const mark = text[column] ?? '';
  scan.fresh = false;
  if ((scan.flow > 0 || scan.columns.at(-1) === column) && (mark === '[' || mark === '{')) {
    scan.flow += 1;
    scan.fresh = true;
    return depthOf(scan) > limits.depth ? 'too-deep' : column + 1;
  }
  if (scan.flow > 0 && (mark === ']' || mark === '}')) scan.flow -= 1;
  else if (scan.flow > 0 && mark === ',') scan.fresh = true;
  else if (mark === ':' && endsMark(scan, text[column + 1])) scan.fresh = true;
  return column + 1;
}

const depthOf = (scan: Scan): number => scan.columns.length + scan.flow;

/** True where `-`, `?` or `:` is a mark and not the beginning of a word, by the next character. */
const endsMark = (scan: Scan, next: string | undefined): boolean =>
  next === undefined || (scan.flow > 0 ? /[\s,[\]{}]/ : /\s/).test(next);

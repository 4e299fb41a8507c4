import { isDeepStrictEqual } from 'node:util';
import {
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { DocumentEdit, EditValue } from '../core/documents/document-edit.ts';
import { type Path, type Position, plainValue } from '../core/documents/tree.ts';
import type { EditedFile } from '../ports/sources.ts';
import { flowText, isBlockText, scalarText } from './format-specs.ts';
import { parseFile } from './parse-specs.ts';
import type { SpecFile } from './tree.ts';
import { divideDocuments, SAFE } from './yaml.ts';

/**
 * Edits documents in their own text. All that the edits do not name stays byte for byte: comments, order, quotes, indents, line ends.
 * The result is parsed again: a text that would not read as intended is refused, never returned.
 */
export function editSpecFile(file: SpecFile, edits: readonly DocumentEdit[]): EditedFile {
  try {
    const documents = documentsIn(file);
    const byDocument = Map.groupBy(edits, ({ at }) => documents.findLastIndex(({ line }) => line <= at.line));
    const changed = documents.map((document, index) => {
      const wanted = byDocument.get(index) ?? [];
      return { ...document, wanted, text: wanted.toSorted(inOrder).reduce(applyEdit, document.text) };
    });
    const kept = changed.filter(({ wanted }) => !wanted.some(({ op }) => op === 'remove-document'));
    if (kept.every(({ content }) => !content)) return {};
    const text = kept.map((document) => document.text).join('');
    refuseMisread({ ...file, text }, changed, file);
    return { text };
  } catch (error) {
    if (!(error instanceof Uneditable)) throw error;
    return { refused: error.message, at: error.at ?? edits[0]?.at ?? { file: file.path, line: 1, column: 1 } };
  }
}

/** Leaves a text that has no simple edit; never leaves this file. */
class Uneditable extends Error {
  readonly at: Position | undefined;
  constructor(why: string, at?: Position) {
    super(why);
    this.at = at;
  }
}

/** Removals come last, and of a list from its end: so the paths of the others hold. */
function inOrder(a: DocumentEdit, b: DocumentEdit): number {
  const rank = { set: 0, append: 1, remove: 2, 'remove-document': 3 };
  if (a.op !== 'remove' || b.op !== 'remove') return rank[a.op] - rank[b.op];
  const step = a.path.findIndex((one, index) => one !== b.path[index]);
  return Number(b.path[step]) - Number(a.path[step]) || 0;
}

/** The part of a file that holds one document, its marker included. `content`: false for what holds comments only. */
interface Part {
  readonly text: string;
  readonly line: number;
  readonly content: boolean;
}

/** The parts of a file; together they are its text. A JSON file is one. */
function documentsIn({ path, text }: SpecFile): readonly Part[] {
  if (path.endsWith('.json')) {
    if (text.trimStart().startsWith('['))
      throw new Uneditable('the file holds a list of documents, and Setpoint edits JSON files of one document');
    return [{ text, line: 1, content: true }];
  }
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const starts = divideDocuments(
    lines.map((line) => line.replace(/\r?\n$/, '')),
    Number.POSITIVE_INFINITY,
  ).map(({ start, lines: [first] }) => (first === '' && /^\.\.\.\s/.test(lines[start] ?? '') ? start + 1 : start));
  const head = starts[0] === 0 ? [] : [0];
  return [...head, ...starts].map((start, index, all) => ({
    text: lines.slice(start, all[index + 1]).join(''),
    line: start + 1,
    content: starts.includes(start),
  }));
}

function applyEdit(source: string, edit: DocumentEdit): string {
  const root = parseDocument(source, SAFE).contents;
  if (root === null || edit.op === 'remove-document') return source;
  const text: Text = { source, root, json: isJson(source), edit };
  if (edit.op === 'set') return set(text, edit.path, edit.value);
  if (edit.op === 'append') return append(text, edit.path, edit.value);
  return remove(text, edit.path);
}

function isJson(source: string): boolean {
  try {
    JSON.parse(source);
    return true;
  } catch {
    return false;
  }
}

interface Text {
  readonly source: string;
  readonly root: unknown;
  /** Its scalars are written as JSON has them. */
  readonly json: boolean;
  readonly edit: DocumentEdit;
}

/** An entry of a map or list on the way to a path. */
interface Step {
  readonly parent: YAMLMap | YAMLSeq;
  readonly index: number;
  readonly node: unknown;
}

/** The entries on the way to the path, as far as they are written. */
function follow({ root }: Text, path: Path): readonly Step[] {
  const steps: Step[] = [];
  let here: unknown = root;
  for (const key of path) {
    if (!isMap(here) && !isSeq(here)) break;
    const parent: YAMLMap | YAMLSeq = here;
    const index = isSeq(parent) ? Number(key) : parent.items.findIndex((pair) => keyOf(pair) === String(key));
    const item: unknown = parent.items[index];
    if (item === undefined) break;
    here = isPair(item) ? item.value : item;
    steps.push({ parent, index, node: here });
  }
  return steps;
}

const keyOf = ({ key }: Pair): string | undefined => {
  if (!isScalar(key)) return undefined;
  return typeof key.value === 'string' ? key.value : key.source;
};

function set(text: Text, path: Path, value: EditValue): string {
  const { source, json } = text;
  const steps = follow(text, path);
  const last = steps.at(-1);
  if (steps.length === path.length && last !== undefined) {
    if (typeof value === 'object') return replaceCollection(text, last, value);
    if (!isScalar(last.node)) throw new Uneditable('it is a list or a map here', text.edit.at);
    const [from, to] = rangeOf(last.node);
    const end = source.slice(from, to).trimEnd().length + from;
    return splice(source, from, end, valueText(value, { parent: last.parent, like: last.node.type, json }));
  }
  const holder = last === undefined ? text.root : last.node;
  if (!isMap(holder)) throw new Uneditable('the map that would hold the field is not written', text.edit.at);
  const [key, ...rest] = path.slice(steps.length).map(String);
  const whole = rest.reduceRight<unknown>((inner, step) => ({ [step]: inner }), value);
  const keyText = valueText(key ?? '', { parent: holder, json });
  if (!json && !holder.flow && rest.length === 0 && Array.isArray(value) && isBlockText(value, steps.length))
    return insert(
      source,
      holder,
      `${keyText}:`,
      value.map((item) => `  - ${valueText(item, { parent: holder, source, json })}`),
    );
  return insert(source, holder, `${keyText}: ${valueText(whole, { parent: holder, source, json })}`);
}

/** A list or map in the place of another one, on one line. */
function replaceCollection({ source, json, edit }: Text, { parent, index, node }: Step, value: EditValue): string {
  const pair = parent.items[index];
  if (!isCollection(node) || !isPair(pair)) throw new Uneditable('it is no list and no map here', edit.at);
  const from = source.indexOf(':', rangeOf(pair.key)[1]) + 1;
  const end = endOf(node, source);
  if (/(?:^|\s)#/.test(source.slice(from, end))) throw new Uneditable('a comment stands in this list', edit.at);
  return splice(source, from, end, ` ${valueText(value, { parent, source, json })}`);
}

function append(text: Text, path: Path, value: EditValue): string {
  const { source, json } = text;
  const list = follow(text, path).at(path.length - 1)?.node;
  if (!isSeq(list)) throw new Uneditable('the list is not written', text.edit.at);
  const last = list.items.at(-1);
  const fields = typeof value === 'object' && !Array.isArray(value) ? Object.entries(value) : [];
  if (list.flow || !isMap(last) || last.flow || fields.length === 0)
    return insert(source, list, valueText(value, { parent: list, source, json }));
  const [first = '', ...more] = fields.map(([key, one]) =>
    [key, one].map((part) => valueText(part, { parent: last, source, json })).join(': '),
  );
  return insert(
    source,
    list,
    first,
    more.map((line) => `  ${line}`),
  );
}

/** One entry more at the end of a map or list. `more`: its other lines, in a block. */
function insert(source: string, holder: YAMLMap | YAMLSeq, entry: string, more: readonly string[] = []): string {
  const last = holder.items.at(-1);
  if (last === undefined) {
    const [from, to] = rangeOf(holder);
    return splice(source, from, to, isMap(holder) ? `{ ${entry} }` : `[${entry}]`);
  }
  const end = endOf(last, source);
  const first = isSeq(holder) && !holder.flow ? dashOf(last, source) : startOf(last);
  const before = source.slice(lineStart(source, first), first);
  if (holder.flow)
    return splice(source, end, end, /^\s*$/.test(before) ? `,${eol(source)}${before}${entry}` : `, ${entry}`);
  const indent = ' '.repeat(before.length);
  const at = lineEnd(source, end);
  const lines = [`${isSeq(holder) ? '- ' : ''}${entry}`, ...more];
  return splice(source, at, at, lines.map((line) => `${eol(source)}${indent}${line}`).join(''));
}

function remove(text: Text, path: Path): string {
  const steps = follow(text, path);
  if (steps.length < path.length) throw new Uneditable('the field is not written', text.edit.at);
  let depth = steps.length - 1;
  while (depth > keptDepth && steps[depth]?.parent.items.length === 1) depth -= 1;
  const { parent, index } = steps[depth] ?? { parent: undefined, index: 0 };
  if (parent === undefined) throw new Uneditable('the document itself is no field', text.edit.at);
  const { source } = text;
  if (parent.items.length === 1) {
    const [from, to] = rangeOf(parent);
    return splice(source, from, to, isMap(parent) ? '{}' : '[]');
  }
  const [from, to] = parent.flow ? inFlow(parent, index, source) : inBlock(parent, index, source);
  return splice(source, from, to, '');
}

/** `metadata` and `spec` stay, even empty. */
const keptDepth = 1;

type Span = readonly [from: number, to: number];

function inFlow({ items }: YAMLMap | YAMLSeq, index: number, source: string): Span {
  const [before, item, next] = [items[index - 1], items[index], items[index + 1]];
  const span: Span = next === undefined ? [endOf(before, source), endOf(item, source)] : [startOf(item), startOf(next)];
  // why: a comment on a line of its own may be about a neighbour
  if (/\n\s*#/.test(source.slice(...span))) throw new Uneditable('a comment stands between this and its neighbour');
  return span;
}

/** Whole lines, with the comments on them; comments on lines of their own stay. */
function inBlock(parent: YAMLMap | YAMLSeq, index: number, source: string): Span {
  const item = parent.items[index];
  const start = isSeq(parent) ? dashOf(item, source) : startOf(item);
  const from = lineStart(source, start);
  if (source.slice(from, start).trim() === '') return [from, nextLine(source, endOf(item, source))];
  // why: the first field of a list's entry shares its line with the dash, and the next one moves up there
  const next = parent.items[index + 1];
  const span: Span = [start, next === undefined ? start : startOf(next)];
  if (next === undefined || isSeq(parent) || /\n\s*#/.test(source.slice(...span)))
    throw new Uneditable('it shares its line with another field');
  return span;
}

interface Style {
  readonly parent: YAMLMap | YAMLSeq;
  readonly like?: unknown;
  /** Of the document: maps on one line beside the new one show the blanks inside their braces. */
  readonly source?: string;
  readonly json: boolean;
}

function valueText(value: unknown, { parent, like, source = '', json }: Style): string {
  if (json) return JSON.stringify(value);
  if (typeof value === 'object') return flowText(value, { padded: !hasTightMap(parent, source) });
  return scalarText(value, { style: like, inFlow: parent.flow === true });
}

/** True if the map on one line that is nearest, itself or among its entries, is written as `{name: core}`. */
function hasTightMap(parent: YAMLMap | YAMLSeq, source: string): boolean {
  const near = [...parent.items.map((item) => (isPair(item) ? item.value : item)), parent];
  const map = near.find((node) => isMap(node) && node.flow === true && node.items.length > 0);
  return map !== undefined && /^\{\S/.test(source.slice(rangeOf(map)[0]));
}

// why: yaml gives each node that it parsed a range
const rangeOf = (node: unknown): Span => (node as { readonly range: Span }).range;

const startOf = (item: unknown): number => rangeOf(isPair(item) ? item.key : item)[0];

/** The end of what is written of it, without comments and line ends behind it. */
function endOf(item: unknown, source: string): number {
  if (isPair(item)) return item.value === null ? rangeOf(item.key)[1] + 1 : endOf(item.value, source);
  if (isCollection(item) && !item.flow && item.items.length > 0) return endOf(item.items.at(-1), source);
  const [from, to] = rangeOf(item);
  return from + source.slice(from, to).trimEnd().length;
}

const dashOf = (item: unknown, source: string): number => source.lastIndexOf('-', startOf(item) - 1);

const splice = (source: string, from: number, to: number, text: string): string =>
  source.slice(0, from) + text + source.slice(to);

const lineStart = (source: string, at: number): number => source.lastIndexOf('\n', at - 1) + 1;

/** Before the line's end, whichever it is. */
function lineEnd(source: string, at: number): number {
  const end = source.indexOf('\n', at);
  if (end < 0) return source.length;
  return source[end - 1] === '\r' ? end - 1 : end;
}

function nextLine(source: string, at: number): number {
  const end = source.indexOf('\n', at);
  return end < 0 ? source.length : end + 1;
}

const eol = (source: string): string => (source.includes('\r\n') ? '\r\n' : '\n');

/** The documents of the new text are those of the old one with the edits, or it is refused. */
function refuseMisread(
  after: SpecFile,
  parts: readonly (Part & { readonly wanted: readonly DocumentEdit[] })[],
  before: SpecFile,
): void {
  const wanted = parts.filter(({ content }) => content).map((part) => part.wanted);
  const expected = parseFile(before).trees.flatMap((tree, index) => {
    const edits = wanted[index] ?? [];
    return edits.some(({ op }) => op === 'remove-document')
      ? []
      : [edits.toSorted(inOrder).reduce(edited, plainValue(tree))];
  });
  const { trees, problems } = parseFile(after);
  if (problems.length === 0 && isDeepStrictEqual(trees.map(plainValue), expected)) return;
  throw new Uneditable('the text cannot be edited here without a change of its other fields');
}

/** The same edit of plain data. */
function edited(value: unknown, edit: DocumentEdit): unknown {
  if (edit.op === 'remove-document') return value;
  return change(value, edit.path, edit, 0);
}

function change(here: unknown, [key, ...rest]: Path, edit: DocumentEdit, depth: number): unknown {
  if (key === undefined) return valueAfter(here, edit);
  const inner = change(childOf(here, key), rest, edit, depth + 1);
  const isGone = inner === undefined || (edit.op === 'remove' && depth >= keptDepth && isEmpty(inner));
  if (Array.isArray(here)) return here.toSpliced(Number(key), 1, ...(isGone ? [] : [inner]));
  const others = Object.entries(here ?? {}).filter(([name]) => name !== String(key));
  return Object.fromEntries(isGone ? others : [...others, [String(key), inner]]);
}

function valueAfter(here: unknown, edit: DocumentEdit): unknown {
  if (edit.op === 'append') return [...(Array.isArray(here) ? here : []), edit.value];
  return edit.op === 'set' ? edit.value : undefined;
}

const childOf = (here: unknown, key: PropertyKey): unknown =>
  typeof here === 'object' && here !== null ? Reflect.get(here, key) : undefined;

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

import { Document, isCollection, isMap, isPair, isScalar, isSeq, Scalar, type YAMLMap, type YAMLSeq } from 'yaml';
import type { WrittenSpec } from '../ports/sources.ts';

/** A map or list stands on one line if it fits there. */
const lineWidth = 120;

/**
 * Specs as a person writes them: a document after the other, short maps and lists on one line, an entry of a list a line.
 * `comments` have no line breaks.
 */
export const formatSpecs = (specs: readonly WrittenSpec[]): string => specs.map(formatSpec).join('---\n');

function formatSpec({ value, comments }: WrittenSpec): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  if (isMap(document.contents)) {
    for (const { key, value: field } of document.contents.items) layOut(field, 1, String(key) === 'spec');
  }
  const text = document.toString({ lineWidth: 0, flowCollectionPadding: true });
  return `${comments.map((line) => `# ${line}\n`).join('')}${text}`;
}

/** A map or list on one line. `padded`: `{ name: core }`, and not `{name: core}`. */
export function flowText(value: unknown, { padded = true }: { readonly padded?: boolean } = {}): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  if (isCollection(document.contents)) {
    document.contents.flow = true;
    padMapsOnly(document.contents, padded);
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: padded }).trimEnd();
}

/** True for what people write with one entry a line: a list of maps, or what is too wide for one line. */
export const isBlockText = (value: readonly unknown[], depth: number): boolean =>
  value.some((item) => typeof item === 'object' && !Array.isArray(item)) ||
  flowText(value).length + 2 * depth > lineWidth;

/** A scalar on one line, quoted as `style` (a type of the library) where the text may be, and else only if it needs quotes. */
export function scalarText(
  value: unknown,
  { style, inFlow }: { readonly style: unknown; readonly inFlow: boolean },
): string {
  const scalar = new Scalar(value);
  const isQuoted = style === Scalar.QUOTE_DOUBLE || style === Scalar.QUOTE_SINGLE;
  if (typeof value === 'string' && value.includes('\n')) scalar.type = Scalar.QUOTE_DOUBLE;
  else if (typeof value === 'string' && isQuoted) scalar.type = style;
  const document = new Document({ k: scalar });
  if (!inFlow) return document.toString({ lineWidth: 0 }).slice('k: '.length).trimEnd();
  if (isMap(document.contents)) document.contents.flow = true;
  return document.toString({ lineWidth: 0, flowCollectionPadding: false }).trimEnd().slice('{k: '.length, -1);
}

/** `depth`: the number of maps and lists around it. `isBlock`: people read one field of it a line. */
function layOut(node: unknown, depth: number, isBlock = false): void {
  if (!isCollection(node)) return;
  if (!isBlock && isOneLine(node, depth)) {
    node.flow = true;
    padMapsOnly(node);
    return;
  }
  for (const item of node.items) layOut(isPair(item) ? item.value : item, depth + 1);
}

/** `[443, 8080]` and `[{ port: 443 }]` beside `{ name: core }`, as in the specs of the docs; the library pads both or none. */
function padMapsOnly(node: unknown, padded = true): void {
  if (!isCollection(node)) return;
  for (const item of node.items) padMapsOnly(isPair(item) ? item.value : item, padded);
  const flowCollectionPadding = padded && isMap(node) ? ' ' : '';
  const write = node.toString.bind(node);
  node.toString = (context, ...rest) => write(context && { ...context, flowCollectionPadding }, ...rest);
}

/** A list of maps is a block: people read one entry a line. */
function isOneLine(node: YAMLMap | YAMLSeq, depth: number): boolean {
  if (isSeq(node) && node.items.some((item) => isMap(item))) return false;
  return widthOf(node) + 2 * depth <= lineWidth;
}

function widthOf(node: unknown): number {
  if (!isCollection(node)) return isScalar(node) ? String(node.value).length : 0;
  const widths = node.items.map((item) =>
    isPair(item) ? String(item.key).length + 2 + widthOf(item.value) : widthOf(item),
  );
  return widths.reduce((sum, width) => sum + width + 2, 2);
}

import type { Origin } from '../../core/inventory/ownership.ts';
import { table } from './table.ts';

/** Field, value, layer and line, aligned; by document where there are several. */
export function originLines(origins: readonly Origin[]): readonly string[] {
  const byDocument = Map.groupBy(origins, ({ document }) => document);
  return [...byDocument].flatMap(([document, its]) => {
    const lines = table(['FIELD', 'VALUE', 'LAYER', 'LINE'], its.map(cells)).trimEnd().split('\n');
    return byDocument.size === 1 ? lines : [document, ...lines.map((line) => `  ${line}`)];
  });
}

const cells = ({ field, value, layer, file, line }: Origin): readonly string[] => [
  field,
  shown(value),
  layer,
  file === undefined ? '' : `${file}:${line}`,
];

function shown(value: unknown): string {
  const text = Array.isArray(value) ? value.map(word).join(', ') : word(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

const longest = 40;

const word = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

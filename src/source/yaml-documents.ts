/** One document of a YAML file: its lines, its marker included, and the line of the file it begins on, from 0. */
export interface DocumentLines {
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

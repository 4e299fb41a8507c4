import { dialect } from '../../providers/memory/dialect.ts';
import { type Compiled, compile } from '../../src/core/compile/compile.ts';
import { ofKind } from '../../src/core/documents/spec-set.ts';
import { parseSpecs } from '../../src/source/parse-specs.ts';

/** The specs as the program reads them; undefined where it refuses them, and then nothing is planned. */
export function load(text: string): Compiled | undefined {
  const today = '2026-01-01';
  const { documents, problems } = parseSpecs([{ path: 'specs/all.yaml', text }], today);
  const [estate] = ofKind(documents, 'Estate');
  if (estate === undefined || problems.some(({ severity }) => severity === 'error')) return undefined;
  const hashes = { userData: () => 'hash', access: () => 'hash' };
  return compile({ estate: estate.value, documents, dialects: { memory: dialect }, hashes, today });
}

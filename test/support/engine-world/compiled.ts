import { type CompiledScope, compile } from '../../../src/core/compile/compile.ts';
import type { Dialect } from '../../../src/core/compile/dialect.ts';
import { ofKind } from '../../../src/core/documents/spec-set.ts';
import type { Guards } from '../../../src/core/guards.ts';
import { parseSpecs } from '../../../src/source/parse-specs.ts';

/**
 * Compiles the first scope of the documents. They are written to a file of specs, then read and checked as any other. An
 * Estate and a Target are among them. Throws their problems.
 */
export function compiled(
  documents: readonly object[],
  dialect: Dialect,
): { readonly scope: CompiledScope; readonly guards: Guards } {
  const text = documents
    .map((document) => JSON.stringify({ apiVersion: 'setpoint.dev/v1', ...document }))
    .join('\n---\n');
  const specs = parseSpecs([{ path: 'specs/all.yaml', text }], '2026-01-01');
  const [estate] = ofKind(specs.documents, 'Estate');
  const errors = specs.problems.filter(({ severity }) => severity === 'error');
  if (!estate || errors.length > 0) throw new Error(JSON.stringify(errors));
  const { scopes, guards } = compile({
    estate: estate.value,
    documents: specs.documents,
    dialects: { [dialect.cloud]: dialect },
    hashes: { userData: () => 'hash', access: () => 'hash' },
    today: '2026-01-01',
  });
  const [scope] = scopes;
  if (!scope) throw new Error('the documents name no target');
  return { scope, guards };
}

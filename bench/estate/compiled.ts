import { createHash } from 'node:crypto';
import { dialect as aws } from '../../providers/aws/dialect.ts';
import { type CompiledScope, compile } from '../../src/core/compile/compile.ts';
import type { Dialect } from '../../src/core/compile/dialect.ts';
import { ofKind } from '../../src/core/documents/spec-set.ts';
import type { Guards } from '../../src/core/limits.ts';
import { parseSpecs } from '../../src/source/parse-specs.ts';
import type { SpecFile } from '../../src/source/tree.ts';
import { bootScript } from './specs.ts';

export const today = '2027-01-31';

export interface CompiledSpecs extends CompiledScope {
  readonly guards: Guards;
}

/** The one scope that these specs speak of, compiled as the command line does it. Throws where they are wrong. */
export function compiled(files: readonly SpecFile[], dialect: Dialect = aws): CompiledSpecs {
  const { documents, problems } = parseSpecs(files, today);
  const [estate] = ofKind(documents, 'Estate');
  const wrong = problems.find(({ severity }) => severity === 'error');
  if (estate === undefined || wrong !== undefined) throw new Error(`the generated specs are wrong: ${wrong?.message}`);
  const { scopes, guards } = compile({
    estate: estate.value,
    documents,
    dialects: { [dialect.cloud]: dialect },
    hashes: { userData: () => bootHash, access: () => '' },
    today,
  });
  const [scope] = scopes;
  if (scope === undefined || scopes.length > 1) throw new Error(`there are ${scopes.length} scopes and not one`);
  return { ...scope, guards };
}

const bootHash = createHash('sha256').update(bootScript.text).digest('hex');

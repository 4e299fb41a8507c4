import type { CompiledScope } from '../core/compile/compile.ts';
import { createJudge, type Judgement } from '../core/policy/evaluate.ts';
import { inTurns } from './in-turns.ts';
import type { OpenedEstate } from './load.ts';
import { sha256 } from './sha256.ts';

/**
 * The violations of an estate's policies by its desired resources in these scopes. Loads the language of expressions only where there
 * is a policy. `today`: 2027-01-31.
 */
export async function judgeEstate(
  { tree: { documents } }: Pick<OpenedEstate, 'tree'>,
  scopes: readonly CompiledScope[],
  today: string,
): Promise<Judgement> {
  if (!documents.some(({ value }) => value.kind === 'Policy')) return { violations: [], unused: [] };
  const { language } = await import('../policy/expressions.ts');
  return inTurns(createJudge(language, sha256).judge({ documents, scopes, today }));
}

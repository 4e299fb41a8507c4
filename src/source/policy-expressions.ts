import { setImmediate } from 'node:timers/promises';
import type { Document, PolicyDoc } from '../core/documents/document.ts';
import { error, type Problem, suggest } from '../core/documents/problem.ts';
import { ofKind } from '../core/documents/spec-set.ts';
import { type Located, type Position, treeAt } from '../core/documents/tree.ts';
import { faultIn } from '../policy/expressions.ts';
import { showProblems } from './parse-specs.ts';
import { indexLines } from './text.ts';
import type { SpecFile } from './tree.ts';

/**
 * The faults in the expressions of policies, each at its own place in the file. Apart from the other checks, so that specs without a
 * policy load no language. Checks one expression in a step, so that thousands of a hostile proposal do not hold the process.
 */
export async function expressionProblems(
  documents: readonly Located<Document>[],
  files: readonly SpecFile[],
): Promise<readonly Problem[]> {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const problems: Problem[] = [];
  let from = performance.now();
  for (const policy of ofKind(documents, 'Policy')) {
    for (const [index, rule] of policy.value.spec.rules.entries()) {
      problems.push(...problemsOf(policy, { index, rule }, texts));
      if (performance.now() - from < mostMs) continue;
      await setImmediate();
      from = performance.now();
    }
  }
  return [...Map.groupBy(problems, ({ at }) => at.file)].flatMap(([path, found]) =>
    showProblems(path, texts.get(path), found),
  );
}

const mostMs = 10;

interface Rule {
  readonly index: number;
  readonly rule: PolicyDoc['spec']['rules'][number];
}

function problemsOf(
  policy: Located<PolicyDoc>,
  { index, rule }: Rule,
  texts: ReadonlyMap<string, string>,
): readonly Problem[] {
  return (['deny', 'warn', 'requireApproval'] as const).flatMap((effect) => {
    const text = rule[effect];
    const fault = text === undefined ? undefined : faultIn(text, policy.value.spec.kinds, effect === 'requireApproval');
    if (fault === undefined) return [];
    const path = ['spec', 'rules', index, effect];
    const at = placeIn(policy.at(path), treeAt(policy.tree, path), fault.offset, texts);
    const word = /^no such key: (.+)$/.exec(fault.message)?.[1];
    const message = `\`${effect}\` of the rule ${rule.name} is no expression: ${fault.message}`;
    return [error('bad-expression', at, message, { didYouMean: word && suggest(word, fault.fields ?? []) })];
  });
}

/** The place of a character of a scalar, in the file that it was written in. */
function placeIn(
  at: Position,
  tree: ReturnType<typeof treeAt>,
  offset: number,
  texts: ReadonlyMap<string, string>,
): Position {
  const file = texts.get(at.file);
  if (file === undefined || tree?.kind !== 'scalar' || typeof tree.value !== 'string') return at;
  const { lines } = indexLines(at.file, file);
  const source = lines.slice(at.line - 1);
  const first = source[0]?.slice(at.column - 1) ?? '';
  const isBlock = /^[|>]/.test(first);
  const found = characterIn(
    [isBlock ? '' : first, ...source.slice(1)],
    tree.value.slice(0, offset + 1).replaceAll(/\s/g, ''),
  );
  if (found === undefined) return at;
  const column = found.line === 0 ? at.column + found.column : found.column + 1;
  return { file: at.file, line: at.line + found.line, column };
}

/**
 * The place of the last of these characters, each searched for after the one before. Between them the writing of a scalar has only
 * blanks, line breaks, and the signs of quoting. Undefined where they are not there, as of characters that were written as escapes.
 */
function characterIn(
  lines: readonly string[],
  characters: string,
): { readonly line: number; readonly column: number } | undefined {
  let [line, column] = [0, -1];
  for (const character of characters) {
    column = (lines[line] ?? '').indexOf(character, column + 1);
    while (column < 0) {
      line += 1;
      if (line >= lines.length) return undefined;
      column = (lines[line] ?? '').indexOf(character);
    }
  }
  return column < 0 ? undefined : { line, column };
}

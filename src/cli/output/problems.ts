import { join } from 'node:path';
import { type Problem, renderProblem } from '../../core/documents/problem.ts';
import { count } from './format.ts';
import type { Paint } from './print.ts';

/** `3 errors and 1 warning`. */
export function problemCount(problems: readonly Problem[]): string {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const warnings = problems.length - errors;
  const parts = [
    ...(errors > 0 ? [count(errors, 'error')] : []),
    ...(warnings > 0 ? [count(warnings, 'warning')] : []),
  ];
  return parts.join(' and ');
}

/** One block a problem, blank lines between; files are named as seen from where the command runs. */
export const problemText = (problems: readonly Problem[], dir: string, paint: Paint): string =>
  problems.map((problem) => `${coloured(renderProblem(inFolder(problem, dir)), problem, paint)}\n`).join('\n');

/** The same for machines. */
export const problemJson = (problems: readonly Problem[], dir: string): readonly object[] =>
  problems.map((problem) => {
    const { severity, code, at, message, hint, source } = inFolder(problem, dir);
    return { severity, code, ...at, message, ...hint, ...(source === undefined ? {} : { source }) };
  });

export const hasErrors = (problems: readonly Problem[]): boolean =>
  problems.some(({ severity }) => severity === 'error');

const inFolder = (problem: Problem, dir: string): Problem => ({
  ...problem,
  at: { ...problem.at, file: join(dir, problem.at.file) },
});

function coloured(text: string, { severity }: Problem, paint: Paint): string {
  const [first = '', ...rest] = text.split('\n');
  const tone = severity === 'error' ? 'bad' : 'warn';
  const head = first.replace(`: ${severity}: `, `: ${paint(tone, severity)}: `);
  return [head, ...rest.map((line) => (/^\s+\|\s*\^$/.test(line) ? paint(tone, line) : line))].join('\n');
}

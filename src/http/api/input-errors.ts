import type { z } from 'zod';
import type { InputError } from '../problem.ts';

type Issue = z.core.$ZodIssue;

/** What a schema found wrong, without what was sent: keys, that people need to find their mistake, are cut short. */
export function inputErrors(where: InputError['in'], issues: readonly Issue[]): readonly InputError[] {
  return issues.slice(0, most).flatMap((issue) => errorsOf(where, issue));
}

const most = 20;
const longest = 80;

function errorsOf(where: InputError['in'], issue: Issue): readonly InputError[] {
  if (issue.code !== 'unrecognized_keys') return [{ in: where, at: dotted(issue.path), expected: expectation(issue) }];
  return issue.keys
    .slice(0, most)
    .map((key) => ({ in: where, at: dotted([...issue.path, key]), expected: 'nothing of this name' }));
}

function expectation(issue: Issue): string {
  if (issue.code === 'invalid_value') return issue.values.map(String).join(' or ');
  return lengthOf(issue) ?? issue.message.replace(/^Invalid input: expected /, '').replace(/, received .*$/, '');
}

const measures: Readonly<Record<string, string>> = { string: 'characters', array: 'items' };
const measureOf = (origin: string): string => measures[origin] ?? '';

/** Undefined where a schema has its own words for it. */
function lengthOf(issue: Issue): string | undefined {
  if (!/^Too (small|big)/.test(issue.message)) return undefined;
  if (issue.code === 'too_small') return `at least ${issue.minimum} ${measureOf(issue.origin)}`.trim();
  return issue.code === 'too_big' ? `at most ${issue.maximum} ${measureOf(issue.origin)}`.trim() : undefined;
}

const dotted = (path: readonly PropertyKey[]): string =>
  path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '')
    .slice(0, longest);

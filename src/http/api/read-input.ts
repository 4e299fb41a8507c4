import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { badInput, type InputError, ProblemError } from '../problem.ts';
import type { RequestSchema } from './route.ts';

/** The checked input of a handler. */
interface Input {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** As the server hands it over. */
export interface Sent {
  readonly params: unknown;
  readonly url: string;
  readonly body: unknown;
}

/** Reads all that came by the schemas of its route, or refuses with everything that does not fit. */
export function readInput({ params, query, several = [], body }: RequestSchema, request: Sent): Input {
  const errors: InputError[] = [];
  const read = (where: InputError['in'], schema: z.ZodType | undefined, sent: unknown): unknown => {
    if (schema === undefined) {
      if (!isEmpty(sent)) errors.push({ in: where, at: '', expected: 'nothing' });
      return undefined;
    }
    const { success, data, error } = schema.safeParse(sent);
    if (!success) errors.push(...inputErrors(where, error.issues));
    return data;
  };
  const input = {
    params: params === undefined ? undefined : read('path', params, request.params),
    query: read('query', query, queryOf(request.url, several, errors)),
    body: read('body', body, request.body ?? undefined),
  };
  if (errors.length > 0) throw new ProblemError(badInput(errors));
  return input;
}

/** As texts, each key once but those that may come several times: these are lists. */
function queryOf(url: string, several: readonly string[], errors: InputError[]): Readonly<Record<string, unknown>> {
  const question = url.indexOf('?');
  if (question < 0) return {};
  const pairs = [...new URLSearchParams(url.slice(question + 1))];
  const seen = new Set<string>();
  for (const [key] of pairs) {
    if (seen.has(key) && !several.includes(key)) errors.push({ in: 'query', at: key.slice(0, 80), expected: 'once' });
    seen.add(key);
  }
  const lists = several.flatMap((key) =>
    seen.has(key) ? [[key, pairs.flatMap(([name, value]) => (name === key ? value : []))]] : [],
  );
  return { ...Object.fromEntries(pairs), ...Object.fromEntries(lists) };
}

const isEmpty = (sent: unknown): boolean =>
  sent === undefined || sent === null || (typeof sent === 'object' && Object.keys(sent).length === 0);

type Issue = z.core.$ZodIssue;

/**
 * The problems that a schema found, without the sent values. Keys stay, cut short, as people need them to find their mistake.
 */
function inputErrors(where: InputError['in'], issues: readonly Issue[]): readonly InputError[] {
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

/** The value of a header; undefined where there is none, or several. */
export const headerReader =
  ({ headers }: FastifyRequest) =>
  (name: string): string | undefined => {
    const value = headers[name.toLowerCase()];
    return typeof value === 'string' ? value : undefined;
  };

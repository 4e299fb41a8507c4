import type { z } from 'zod';
import type { InputError } from '../problem.ts';
import { inputErrors } from './input-errors.ts';
import { badInput } from './problems.ts';
import { Refusal } from './refusal.ts';
import type { Asking } from './route.ts';

/** What a handler is given, checked. */
export interface Input {
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
export function readInput({ params, query, several = [], body }: Asking, request: Sent): Input {
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
  if (errors.length > 0) throw new Refusal(badInput(errors));
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

import { fitsBounds } from '../core/json-bounds.ts';
import type { Problem } from './problem.ts';

/**
 * Limits of every route's body. `depth`: more than any route takes, as brackets alone would cost a stack. `parts`: keys,
 * values and brackets; the largest plan that may be posted has 2,000 specs and 2,000 scripts of two fields each. A parser needs
 * seconds for a body of a million parts, and milliseconds for the same bytes in a few long texts.
 */
const most = { depth: 32, parts: 40_000 } as const;

/** The value of a body, or the problem that refuses it. */
export type ParsedBody = { readonly value: unknown } | { readonly refused: Problem };

/** The JSON of a body. Its depth and its parts are counted on the bytes, before a parser makes objects of them. */
export function parseBody(body: Uint8Array): ParsedBody {
  if (!fitsBounds(body, most)) return { refused: tooComplex };
  const text = textOf(body);
  if (text === undefined) return { refused: noJson };
  return hasNoProto(text.value) ? text : { refused: protoKey };
}

/** Undefined for what is no JSON: the message of a parser repeats what it read. */
function textOf(body: Uint8Array): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) };
  } catch {
    return undefined;
  }
}

/** Without the keys by which a merge would change every object. */
function hasNoProto(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(hasNoProto);
  return Object.entries(value).every(([key, each]) => key !== '__proto__' && hasNoProto(each));
}

const noJson: Problem = { status: 400, title: 'Bad Request', detail: 'The body is not JSON in UTF-8.' };

const tooComplex: Problem = {
  status: 400,
  title: 'Bad Request',
  detail: `The body is nested deeper than ${most.depth}, or has more than ${most.parts} keys, values and brackets.`,
};

const protoKey: Problem = { status: 400, title: 'Bad Request', detail: 'The body has a key __proto__.' };

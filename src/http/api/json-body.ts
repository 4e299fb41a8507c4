import type { FastifyInstance } from 'fastify';
import type { Problem } from '../problem.ts';
import { Refusal } from './refusal.ts';

/** Deeper than any body that a route takes; a body of brackets alone would else cost a stack. */
const deepest = 32;

/** Bodies of this part of the server come as what their JSON says; those of the rest stay bytes. */
export function jsonBodies(api: FastifyInstance): void {
  api.removeAllContentTypeParsers();
  api.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, async (_: unknown, body: Buffer) =>
    body.length === 0 ? undefined : parsed(body),
  );
}

function parsed(body: Buffer): unknown {
  const text = textOf(body);
  if (text === undefined) throw new Refusal(noJson);
  if (!isSound(text.value, deepest)) throw new Refusal(unsound);
  return text.value;
}

/** Undefined for what is no JSON: the message of a parser repeats what it read. */
function textOf(body: Buffer): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) };
  } catch {
    return undefined;
  }
}

/** No deeper than that, and without the keys by which a merge would change every object. */
function isSound(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth === 0) return false;
  if (Array.isArray(value)) return value.every((each) => isSound(each, depth - 1));
  return Object.entries(value).every(([key, each]) => key !== '__proto__' && isSound(each, depth - 1));
}

const noJson: Problem = { status: 400, title: 'Bad Request', detail: 'The body is not JSON in UTF-8.' };

const unsound: Problem = {
  status: 400,
  title: 'Bad Request',
  detail: `The body is nested deeper than ${deepest}, or has a key __proto__.`,
};

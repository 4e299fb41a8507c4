import type { Problem } from '../problem.ts';

/**
 * What any body of a route stays within. `depth`: more than any route takes, as brackets alone would cost a stack. `parts`: keys,
 * values and brackets; the largest plan that may be posted has 2,000 specs and 2,000 scripts of two fields each. A parser needs
 * seconds for a body of a million parts, and milliseconds for the same bytes in a few long texts.
 */
const most = { depth: 32, parts: 40_000 } as const;

/** What a body says, or why it is refused. */
export type BodyJson = { readonly value: unknown } | { readonly refused: Problem };

/** The JSON of a body. Its depth and its parts are counted on the bytes, before a parser makes objects of them. */
export function bodyJson(body: Uint8Array): BodyJson {
  if (!isWithin(body)) return { refused: tooMuch };
  const text = textOf(body);
  if (text === undefined) return { refused: noJson };
  return isSound(text.value) ? text : { refused: unsound };
}

const [quote, backslash] = [...Buffer.from('"\\')];

/** By byte: how many parts it begins, and how much deeper it leads, outside of texts. */
const parts = tableOf({ ',': 1, ':': 1, '[': 1, '{': 1 });
const depths = tableOf({ '[': 1, '{': 1, ']': -1, '}': -1 });

function tableOf(marks: Readonly<Record<string, number>>): Int8Array {
  const table = new Int8Array(256);
  for (const [mark, value] of Object.entries(marks)) table[mark.charCodeAt(0)] = value;
  return table;
}

/** One look at each byte: every byte of a character beyond ASCII is over 127, so none is taken for a mark. */
function isWithin(body: Uint8Array): boolean {
  const count = { depth: 0, parts: 1 };
  let inText = false;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at] ?? 0;
    if (byte === quote) inText = !inText;
    if (inText) at += byte === backslash ? 1 : 0;
    else if (!isCounted(count, byte)) return false;
  }
  return true;
}

/** Counts a byte outside of texts; false where it is one too many. */
function isCounted(count: { depth: number; parts: number }, byte: number): boolean {
  count.depth += depths[byte] ?? 0;
  count.parts += parts[byte] ?? 0;
  return count.depth <= most.depth && count.parts <= most.parts;
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
function isSound(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isSound);
  return Object.entries(value).every(([key, each]) => key !== '__proto__' && isSound(each));
}

const noJson: Problem = { status: 400, title: 'Bad Request', detail: 'The body is not JSON in UTF-8.' };

const tooMuch: Problem = {
  status: 400,
  title: 'Bad Request',
  detail: `The body is nested deeper than ${most.depth}, or has more than ${most.parts} keys, values and brackets.`,
};

const unsound: Problem = { status: 400, title: 'Bad Request', detail: 'The body has a key __proto__.' };

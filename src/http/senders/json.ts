import { isWithin } from '../json-bounds.ts';

/**
 * Limits of any delivery. The largest body has some 3,000 events of 20 parts and a depth of 10. A parser needs 60 ms for one of
 * brackets alone, and 40 ms for one of 85,000 keys.
 */
const most = { depth: 64, parts: 100_000 } as const;

/**
 * A body as JSON; undefined where it is none, or more than any sender sends. The error of `JSON.parse` repeats the body, so
 * nobody is shown it.
 */
export function parseJson(body: Buffer): unknown {
  if (!isWithin(body, most)) return undefined;
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    return parsed;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field that is text and not empty. */
export function textOf(value: unknown, field: string): string | undefined {
  const held = isObject(value) ? value[field] : undefined;
  return typeof held === 'string' && held !== '' ? held : undefined;
}

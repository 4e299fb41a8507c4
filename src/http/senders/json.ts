/** A body as JSON; undefined where it is none. What `JSON.parse` throws repeats the body, so nobody is shown it. */
export function parseJson(body: Buffer | string): unknown {
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

/**
 * JSON text that is the same for the same content: keys sorted by code units, absent (`undefined`) keys left out, no spaces.
 * Throws for values that JSON cannot hold faithfully (NaN, bigint, functions, class instances): a signature must not cover another value.
 */
export function canonical(value: unknown): string {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value);
  if (typeof value === 'number') return numberText(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item ?? null)).join(',')}]`;
  if (isPlain(value)) return objectText(value);
  throw new TypeError(`canonical JSON has no form for ${describe(value)}`);
}

function objectText(value: Readonly<Record<string, unknown>>): string {
  const members: string[] = [];
  for (const key of Object.keys(value).sort())
    if (value[key] !== undefined) members.push(`${JSON.stringify(key)}:${canonical(value[key])}`);
  return `{${members.join(',')}}`;
}

function numberText(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`canonical JSON has no form for the number ${value}`);
  return JSON.stringify(value);
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

const describe = (value: unknown): string =>
  typeof value === 'object' ? `a ${value?.constructor?.name || 'thing'}` : `a ${typeof value}`;

/** One differing field. `field` is dotted: `labels.tier`, `machine.size`. `to` absent: it is removed; `from` absent: it is new. */
export interface FieldChange {
  readonly field: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

/** The value with one field of it changed. `to` undefined: it goes. */
export function withField(value: object, [first = '', ...rest]: readonly string[], to: unknown): object {
  const inner: unknown = Reflect.get(value, first);
  if (rest.length > 0) return { ...value, [first]: withField(asObject(inner), rest, to) };
  const { [first]: _, ...others } = value as Readonly<Record<string, unknown>>; // why: a field of it is replaced, whatever its type
  return to === undefined ? others : { ...others, [first]: to };
}

const asObject = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});

/**
 * Fields whose desired value differs from the observed one, sorted as stated. A field that is not stated is not ours.
 * Plain objects are owned per key; lists and scalars compare by content (lists are sorted by whoever normalised them, and own all keys of their entries).
 */
export function diff(desired: object, observed: object, prefix = ''): readonly FieldChange[] {
  const changes: FieldChange[] = [];
  for (const [key, to] of Object.entries(desired)) {
    if (to === undefined) continue;
    const from = (observed as Readonly<Record<string, unknown>>)[key]; // why: any own key may be asked of an attribute object
    if (from === to) continue;
    const field = prefix + key;
    if (isObject(to)) changes.push(...diff(to, isObject(from) ? from : {}, `${field}.`));
    else if (!same(from, to)) changes.push(from === undefined ? { field, to } : { field, from, to });
  }
  return changes;
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function same(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((value, i) => same(value, b[i]));
  if (!isObject(a) || !isObject(b)) return a === b;
  const entries = Object.entries(a);
  const others = b as Readonly<Record<string, unknown>>; // why: any own key may be asked of an entry
  return entries.length === Object.keys(b).length && entries.every(([key, value]) => same(value, others[key]));
}

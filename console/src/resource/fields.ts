/** One field of a resource in each of its three forms. Absent: that side does not have it. */
export interface FieldRow {
  readonly field: string;
  readonly differs: boolean;
  readonly desired?: string;
  readonly observed?: string;
  readonly applied?: string;
}

interface Sides {
  readonly desired: unknown;
  readonly observed: unknown;
  readonly applied: unknown;
  /** The fields that Setpoint itself holds for different: it knows equivalent spellings. */
  readonly differing: readonly string[];
}

/** Differing fields first, then those of the specs, then those that the cloud alone has; each by name. */
export function fieldRows({ desired, observed, applied, differing }: Sides): readonly FieldRow[] {
  const [wanted, seen, last] = [fieldsOf(desired), fieldsOf(observed), fieldsOf(applied)];
  const names = new Set([...wanted.keys(), ...seen.keys(), ...last.keys()]);
  const rows = [...names].map((field) => ({
    field,
    differs: differing.some((one) => isWithin(field, one) || isWithin(one, field)),
    desired: wanted.get(field),
    observed: seen.get(field),
    applied: last.get(field),
  }));
  const rank = ({ differs, desired: asked }: FieldRow): number => {
    if (differs) return 0;
    return asked === undefined ? 2 : 1;
  };
  return rows.sort((a, b) => rank(a) - rank(b) || (a.field < b.field ? -1 : 1));
}

const isWithin = (field: string, of: string): boolean => field === of || field.startsWith(`${of}.`);

function fieldsOf(value: unknown, name = '', found: Map<string, string> = new Map()): ReadonlyMap<string, string> {
  if (isRecord(value) && Object.keys(value).length > 0)
    for (const [key, one] of Object.entries(value)) fieldsOf(one, name === '' ? key : `${name}.${key}`, found);
  else if (value !== undefined && name !== '') found.set(name, valueText(value));
  return found;
}

/** A value as people read it: a list on lines of its own, a text without quotes. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return value === '' ? '(empty)' : value;
  if (Array.isArray(value)) return value.length === 0 ? '(none)' : value.map(valueText).join('\n');
  if (isRecord(value) && Object.keys(value).length === 0) return '(none)';
  return value === undefined ? '(absent)' : JSON.stringify(value);
}

interface Entry {
  readonly seq: number;
  readonly type: string;
  readonly body: Readonly<Record<string, unknown>>;
}

interface Applied {
  readonly seq: number;
  readonly attributes: unknown;
}

/** The attributes that the newest call with success was sent for, by the ledger; `entries` are newest first. */
export function lastApplied(entries: readonly Entry[]): Applied | undefined {
  for (const { type, body, seq } of entries) {
    if (type !== 'settlement' || !isRecord(body['outcome']) || body['outcome']['ok'] !== true) continue;
    if (body['verb'] === 'delete' || body['verb'] === 'forget') return undefined;
    const intent = entries.find((one) => one.type === 'intent' && one.body['intent'] === body['intent']);
    const details = intent?.body['details'];
    if (isRecord(details) && details['attributes'] !== undefined) return { seq, attributes: details['attributes'] };
  }
  return undefined;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

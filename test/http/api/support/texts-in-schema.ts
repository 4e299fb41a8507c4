/** A place in a JSON schema where any text may stand: `of.name`, `grants[].owners[]`. */
export interface TextSpot {
  readonly at: string;
  /** The least value of the schema that holds this text there. */
  put(text: string): unknown;
}

export type Part = Readonly<Record<string, unknown>>;

/** `named`: the target of `$ref`. A text with listed values is no free text. */
export function textsInSchema(schema: unknown, named: Part): readonly TextSpot[] {
  const part = partOf(schema);
  const { $ref, type, properties, items } = part;
  const eithers = [part['anyOf'], part['oneOf']].flatMap(listOf);
  return [
    ...(typeof $ref === 'string' ? textsInSchema(named[$ref.replace(/^.*\//, '')], named) : []),
    ...eithers.flatMap((either) => textsInSchema(either, named)),
    ...(type === 'string' && isFree(part) ? [{ at: '', put: (text: string) => text }] : []),
    ...(items === undefined ? [] : textsInSchema(items, named)).map(({ at, put }) => ({
      at: `[]${at}`,
      put: (text: string) => [put(text)],
    })),
    ...Object.entries(partOf(properties)).flatMap(([name, property]) =>
      textsInSchema(property, named).map(({ at, put }) => ({
        at: `.${name}${at}`,
        put: (text: string) => ({ ...leastOf(part), [name]: put(text) }),
      })),
    ),
  ];
}

const isFree = (schema: Part): boolean => !('enum' in schema || 'const' in schema);

/** The shortest value of each required field. */
const leastOf = ({ required, properties }: Part): Part =>
  Object.fromEntries(listOf(required).map((name) => [name, leastValue(partOf(partOf(properties)[String(name)]))]));

const leastValue = (schema: Part): unknown => schema['const'] ?? listOf(schema['enum'])[0] ?? 'x';

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

// why: each value is checked before it is used
export const partOf = (value: unknown): Part => (typeof value === 'object' && value !== null ? (value as Part) : {});

import { refused } from './errors.ts';

/** The values that a request parameter accepts. Names are the wire's own (`Filter`, `VpcId`), not an SDK's. */
export type Shape =
  | { readonly kind: 'text' }
  | { readonly kind: 'integer' }
  | { readonly kind: 'flag' }
  | { readonly kind: 'list'; readonly of: Shape }
  | { readonly kind: 'record'; readonly fields: Fields };

export type Fields = { readonly [name: string]: Shape };

/** The decoded value of a shape. Every field of a record may be absent: handlers say what they require. */
type Value<S> = S extends { readonly kind: 'text' }
  ? string
  : S extends { readonly kind: 'integer' }
    ? number
    : S extends { readonly kind: 'flag' }
      ? boolean
      : S extends { readonly kind: 'list'; readonly of: infer E }
        ? readonly Value<E>[]
        : S extends { readonly kind: 'record'; readonly fields: infer F }
          ? Input<F>
          : never;

export type Input<F> = { readonly [K in keyof F]?: Value<F[K]> | undefined };

export const text = { kind: 'text' } as const;

export const integer = { kind: 'integer' } as const;

export const flag = { kind: 'flag' } as const;

export const list = <const S extends Shape>(of: S): { readonly kind: 'list'; readonly of: S } => ({ kind: 'list', of });

export const record = <const F extends Fields>(fields: F): { readonly kind: 'record'; readonly fields: F } => ({
  kind: 'record',
  fields,
});

type Tree = Map<string, Tree | string>;

/** The flat parameters of a form-encoded Query request, without decoding them further. */
export function formParams(body: string): Record<string, string> {
  const params: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(body)) params[name] = value;
  return params;
}

/**
 * Decodes `Filter.1.Value.2=x` and its like by the action's fields.
 * A parameter that the fields do not name is refused: nothing a client sends is ever silently ignored.
 */
export function decode<F extends Fields>(params: Readonly<Record<string, string>>, fields: F): Input<F> {
  const tree: Tree = new Map();
  for (const [name, value] of Object.entries(params)) {
    if (name !== 'Action' && name !== 'Version') insertParameter(tree, name, value);
  }
  return decodeRecord(tree, fields, '') as Input<F>; // why: decodeRecord builds exactly what Input says of these fields
}

function insertParameter(tree: Tree, name: string, value: string): void {
  const path = name.split('.');
  const leaf = path.pop() ?? name;
  let branch = tree;
  for (const step of path) {
    const next = branch.get(step) ?? new Map();
    if (typeof next === 'string') throw refused('UnknownParameter', `The parameter ${name} is not recognized`);
    branch.set(step, next);
    branch = next;
  }
  if (branch.has(leaf)) throw refused('MalformedQueryString', `The parameter ${name} is given twice`);
  branch.set(leaf, value);
}

function decodeRecord(tree: Tree, fields: Fields, path: string): Record<string, unknown> {
  const decoded: Record<string, unknown> = {};
  for (const [name, value] of tree) {
    const shape = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (!shape) throw refused('UnknownParameter', `The parameter ${path}${name} is not recognized`);
    decoded[name] = decodeValue(value, shape, `${path}${name}`);
  }
  return decoded;
}

function decodeValue(value: Tree | string, shape: Shape, path: string): unknown {
  if (shape.kind === 'list' || shape.kind === 'record') {
    if (typeof value === 'string') {
      if (shape.kind === 'list' && value === '') return [];
      throw refused('UnknownParameter', `The parameter ${path} is not recognized`);
    }
    return shape.kind === 'record' ? decodeRecord(value, shape.fields, `${path}.`) : decodeList(value, shape.of, path);
  }
  if (typeof value !== 'string') throw refused('UnknownParameter', `The parameter ${path} is not recognized`);
  return decodeScalar(value, shape.kind, path);
}

function decodeList(tree: Tree, of: Shape, path: string): unknown[] {
  const items = [...tree].map(([index, value]) => {
    if (!/^[1-9]\d*$/.test(index))
      throw refused('UnknownParameter', `The parameter ${path}.${index} is not recognized`);
    return { index: Number(index), value };
  });
  items.sort((a, b) => a.index - b.index);
  return items.map(({ index, value }) => decodeValue(value, of, `${path}.${index}`));
}

function decodeScalar(value: string, kind: 'text' | 'integer' | 'flag', path: string): string | number | boolean {
  if (kind === 'text') return value;
  if (kind === 'flag') {
    const lower = value.toLowerCase();
    if (lower !== 'true' && lower !== 'false') {
      throw refused('InvalidParameterValue', `Invalid value '${value}' for ${path}. Allowed values are true and false`);
    }
    return lower === 'true';
  }
  if (!/^-?\d{1,10}$/.test(value))
    throw refused('InvalidParameterValue', `Value (${value}) for parameter ${path} is invalid. It must be an integer`);
  return Number(value);
}

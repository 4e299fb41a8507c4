import { JsonProblem, type Reader } from '../json.ts';
import { refused } from './errors.ts';

/** A readable object, with what the sandbox does not name taken for read-only and left out. */
type Fields = Readonly<Record<string, Reader<unknown>>>;

type Read<F extends Fields> = { readonly [K in keyof F]: ReturnType<F[K]> };

/** A field that answers have and that is not written: whatever is sent in it is passed over, as Azure does. */
export const readOnly: Reader<undefined> = () => undefined;

/** Those that every resource has. */
export const outputs = { id: readOnly, name: readOnly, type: readOnly, etag: readOnly } as const;

/** The value as it is. */
export const anything: Reader<unknown> = (value) => value;

/** JSON's `null` is the same as left out; a field that is not named is refused, as Azure's deserialiser does. */
export function fields<const F extends Fields>(named: F): Reader<Read<F>> {
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new JsonProblem(`Error converting value to an object. Path '${path}'.`);
    for (const key of Object.keys(value)) {
      if (!Object.hasOwn(named, key))
        throw new JsonProblem(`Could not find member '${key}' on object. Path '${path ? `${path}.${key}` : key}'.`);
    }
    const given = new Map(Object.entries(value));
    const read = Object.entries(named).map(([name, reader]) => [
      name,
      reader(given.get(name) ?? undefined, path ? `${path}.${name}` : name),
    ]);
    return Object.fromEntries(read) as Read<F>; // why: one entry for each field, read by its own reader
  };
}

/** A request's body, read; refused in Azure's words when it is not what the reader takes. */
export function readBody<T>(body: unknown, reader: Reader<T>): T {
  try {
    return reader(body, '');
  } catch (error) {
    if (error instanceof JsonProblem)
      throw refused('InvalidRequestFormat', 'Cannot parse the request.', {
        details: [{ code: 'InvalidJson', message: error.message }],
      });
    throw error;
  }
}

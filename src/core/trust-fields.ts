import { z } from 'zod';
import { type Document, schemas } from './documents/document.ts';
import { type Guard, guarded } from './documents/fields.ts';
import type { Path } from './documents/tree.ts';

/** A field that a document has, by which it reaches for a secret or an address. */
export interface GuardedField extends Guard {
  readonly path: Path;
  readonly value: unknown;
}

/** As much of a JSON Schema as leads from field to field; `guards` where a field is entered as guarded. */
export interface Guards extends Partial<Guard> {
  readonly properties?: Readonly<Record<string, Guards>>;
  readonly items?: Guards;
  readonly additionalProperties?: Guards | boolean;
  readonly oneOf?: readonly Guards[];
  readonly anyOf?: readonly Guards[];
}

const known = new WeakMap<z.ZodType, Guards>();

export function guardsOf(schema: z.ZodType): Guards {
  const before = known.get(schema);
  if (before) return before;
  // why: zod types every keyword of every dialect; Guards is what our own schemas, all inline, are made of.
  const guards = z.toJSONSchema(schema, { io: 'input', metadata: guarded }) as Guards;
  known.set(schema, guards);
  return guards;
}

/** Only what leads to a guarded field, so that no document is walked where it has none; undefined where nothing does. */
export function leading(here: Guards): Guards | undefined {
  if (here.guards !== undefined) return { guards: here.guards };
  const below = (one: Guards | boolean | undefined): Guards | undefined =>
    typeof one === 'object' ? leading(one) : undefined;
  const each = (all: readonly Guards[] = []): readonly Guards[] => all.flatMap((one) => leading(one) ?? []);
  const [items, additionalProperties] = [below(here.items), below(here.additionalProperties)];
  const [oneOf, anyOf] = [each(here.oneOf), each(here.anyOf)];
  const leads = Object.values(here.properties ?? {}).some((one) => leading(one) !== undefined);
  if (!leads && items === undefined && additionalProperties === undefined && oneOf.length + anyOf.length === 0)
    return undefined;
  return {
    // why: a property without a guard stays named, or it would be taken for an additional one
    properties: Object.fromEntries(
      Object.entries(here.properties ?? {}).map(([key, one]) => [key, leading(one) ?? {}]),
    ),
    oneOf,
    anyOf,
    ...(items === undefined ? {} : { items }),
    ...(additionalProperties === undefined ? {} : { additionalProperties }),
  };
}

const leads = new Map<Document['kind'], Guards>();

/** All such fields of a document, found by its schema: one that a schema gains is found without a line here. */
export function guardedFields(document: Document): readonly GuardedField[] {
  const { kind } = document;
  const here = leads.get(kind) ?? leading(guardsOf(schemas[kind])) ?? {};
  leads.set(kind, here);
  return fieldsIn(document, here, []);
}

/** What is guarded is told as a whole: below it there is nothing more to find. */
export function fieldsIn(value: unknown, here: Guards, path: Path): readonly GuardedField[] {
  if (value === undefined) return [];
  if (here.guards !== undefined) return [{ path, value, guards: here.guards }];
  const alternatives = [...(here.oneOf ?? []), ...(here.anyOf ?? [])].flatMap((one) => fieldsIn(value, one, path));
  return firstOfEach([...alternatives, ...fieldsBelow(value, here, path)]);
}

function fieldsBelow(value: unknown, here: Guards, path: Path): readonly GuardedField[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, held]) => {
    const step = Array.isArray(value) ? Number(key) : key;
    const below = Array.isArray(value) ? here.items : (own(key, here.properties) ?? here.additionalProperties);
    return typeof below === 'object' ? fieldsIn(held, below, [...path, step]) : [];
  });
}

const own = (key: string, properties: Guards['properties'] = {}): Guards | undefined =>
  Object.hasOwn(properties, key) ? properties[key] : undefined;

/** Two alternatives may have the same field. */
const firstOfEach = (fields: readonly GuardedField[]): readonly GuardedField[] => [
  ...new Map(fields.map((field) => [JSON.stringify(field.path), field])).values(),
];

import { z } from 'zod';
import type { Path } from './position.ts';
import { schemas } from './schemas.ts';
import { type Tree, treeAt } from './tree.ts';

export type DocumentKind = keyof typeof schemas;

/**
 * The fields that a document of this kind may have at the path, in the order of its schema. Where there are alternatives
 * (`from: pubsub` has other fields than `from: github`) those of the one that `given` is, or of all that it may be.
 */
export const fieldsAt = (kind: DocumentKind, path: Path, given?: Tree): readonly string[] =>
  fieldsIn(schemas[kind], path, given);

/** The same of any schema of ours. */
export function fieldsIn(schema: z.ZodType, path: Path, given?: Tree): readonly string[] {
  let here: readonly Shape[] = [shapeOf(schema)];
  for (const step of path) {
    here = here.flatMap(alternatives).flatMap(({ properties, items, additionalProperties }) => {
      return properties?.[String(step)] ?? items ?? additionalProperties ?? [];
    });
  }
  const all = here.flatMap(alternatives);
  const meant = all.filter((shape) => mayBe(shape, given && treeAt(given, path)));
  return [...new Set((meant.length > 0 ? meant : all).flatMap(({ properties }) => Object.keys(properties ?? {})))];
}

const alternatives = (shape: Shape): readonly Shape[] => shape.oneOf ?? [shape];

/** No field has a value that the alternative has no place for. */
function mayBe({ properties }: Shape, given: Tree | undefined): boolean {
  return Object.entries(properties ?? {}).every(([field, { const: only, enum: some }]) => {
    const found = given && treeAt(given, [field]);
    const words = some ?? (only === undefined ? undefined : [only]);
    return found?.kind !== 'scalar' || (words?.includes(found.value) ?? true);
  });
}

/** As much of a JSON Schema as leads from field to field. */
interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly additionalProperties?: Shape;
  readonly oneOf?: readonly Shape[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
}

const shapes = new WeakMap<z.ZodType, Shape>();

function shapeOf(schema: z.ZodType): Shape {
  const known = shapes.get(schema);
  if (known) return known;
  // why: zod types every keyword of every dialect; Shape is what our own schemas, all inline, are made of.
  const shape = z.toJSONSchema(schema, { io: 'input' }) as Shape;
  shapes.set(schema, shape);
  return shape;
}

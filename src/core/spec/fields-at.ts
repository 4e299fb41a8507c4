import { z } from 'zod';
import type { Path } from './position.ts';
import { schemas } from './schemas.ts';

export type DocumentKind = keyof typeof schemas;

/** The fields that a document of this kind may have at the path, in the order of its schema. */
export function fieldsAt(kind: DocumentKind, path: Path): readonly string[] {
  let here: Shape | undefined = shapeOf(kind);
  for (const step of path) {
    here = here?.properties?.[String(step)] ?? here?.items ?? here?.additionalProperties;
  }
  return Object.keys(here?.properties ?? {});
}

/** As much of a JSON Schema as leads from field to field. */
interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly additionalProperties?: Shape;
}

const shapes = new Map<DocumentKind, Shape>();

function shapeOf(kind: DocumentKind): Shape {
  const known = shapes.get(kind);
  if (known) return known;
  // why: zod types every keyword of every dialect; Shape is what our own schemas, all inline, are made of.
  const shape = z.toJSONSchema(schemas[kind], { io: 'input' }) as Shape;
  shapes.set(kind, shape);
  return shape;
}

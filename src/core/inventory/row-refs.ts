import { refsOf } from '../kinds/kinds.ts';
import type { Ref } from '../resource.ts';
import type { Row } from './row.ts';

/** What a line refers to, as it stands or as it is wanted: networks, subnets, groups; addresses where they are ours, else ids. */
export function rowRefs({ place: { kind }, sides: { desired, observed } }: Row): readonly Ref[] {
  const sides = [desired, observed].flatMap((side) => (side === undefined ? [] : side.attributes));
  return [...new Set(sides.flatMap((attributes) => refsOf(kind, attributes)))];
}

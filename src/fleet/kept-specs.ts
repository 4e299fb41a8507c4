import type { Generation } from '../ports/inventory.ts';
import type { SpecTree } from '../ports/spec-tree.ts';
import type { Yard } from './yard.ts';

/** The specs of a generation, as the store keeps them; undefined: it does not. */
export async function keptSpecs(
  estate: string,
  { revision }: Generation,
  { store, outside }: Pick<Yard, 'store' | 'outside'>,
): Promise<SpecTree | undefined> {
  const kept = await store.fleet.trees.read(estate, revision);
  return kept && outside.specs(kept, revision);
}

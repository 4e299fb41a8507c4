import type { KeptTree } from '../ports/fleet-state.ts';
import type { Generation } from '../ports/inventory.ts';
import type { SpecTree } from '../ports/spec-tree.ts';
import type { Store } from '../ports/store.ts';

/** The specs of a generation, as the store keeps them; undefined: it does not. `parse`: reads a tree that was kept. */
export async function keptSpecs(
  estate: string,
  { revision }: Pick<Generation, 'revision'>,
  { fleet }: Pick<Store, 'fleet'>,
  parse: (kept: KeptTree, revision: string) => SpecTree | Promise<SpecTree>,
): Promise<SpecTree | undefined> {
  const kept = await fleet.trees.read(estate, revision);
  return kept && (await parse(kept, revision));
}

import type { KeptTree } from '../ports/fleet-state.ts';
import type { Generation } from '../ports/inventory.ts';
import type { SpecTree } from '../ports/spec-tree.ts';
import type { Store } from '../ports/store.ts';
import type { OpenedEstate } from './opened-estate.ts';

/**
 * Makes these specs the newest generation, their tree kept beside it: whoever works by it needs no folder. `after`: see
 * `Generations.accept`.
 */
export async function acceptSpecs(
  { name, tree, compiled }: OpenedEstate,
  store: Store,
  after?: number,
): Promise<Generation> {
  await store.fleet.trees.keep(name, tree.revision, keptTree(tree));
  return store.generations.accept(name, tree.revision, compiled.guards, after);
}

/** What the store keeps of a tree: enough to read it again where its folder is not. */
export const keptTree = ({ files, userData, overlay }: SpecTree): KeptTree => ({
  specs: files,
  userData: [...userData].map(([path, { bytes }]) => ({ path, base64: bytes.toString('base64') })),
  ...(overlay === undefined ? {} : { overlay }),
});

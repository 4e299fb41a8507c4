import { type Compiled, type CompiledScope, compile } from '../core/compile/compile.ts';
import { ofKind } from '../core/documents/spec-set.ts';
import type { Cloud } from '../core/resource.ts';
import type { Provider } from '../ports/provider.ts';
import type { SpecTree } from '../ports/spec-tree.ts';
import { hashesOf } from './launch.ts';

/** What a tree of specs asks of the clouds that it names. */
export interface OpenedEstate {
  readonly name: string;
  readonly tree: SpecTree;
  readonly compiled: Compiled;
  readonly clouds: ReadonlyMap<Cloud, Provider>;
}

/** Compiles a tree that was found without an error. `today` (2027-01-31) decides which `ignore` still holds. */
export async function openEstate(
  tree: SpecTree,
  cloudOf: (cloud: Cloud) => Promise<Provider>,
  today: string,
): Promise<OpenedEstate> {
  const estate = tree.estate?.value;
  if (estate === undefined) throw new Error('sound specs have an estate');
  const names = [...new Set(ofKind(tree.documents, 'Target').map(({ value }) => value.spec.provider))];
  const clouds = new Map(await Promise.all(names.map(async (name) => [name, await cloudOf(name)] as const)));
  const dialects = Object.fromEntries([...clouds].map(([cloud, { dialect }]) => [cloud, dialect]));
  const compiled = compile({ estate, documents: tree.documents, dialects, hashes: hashesOf(tree), today });
  return { name: estate.metadata.name, tree, compiled, clouds };
}

export function providerOf({ scope, targets: [target] }: CompiledScope, { clouds }: OpenedEstate): Provider {
  const cloud = target && clouds.get(target.spec.provider);
  if (cloud === undefined) throw new Error(`${scope} is on no cloud that was opened`);
  return cloud;
}

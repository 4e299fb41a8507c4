import { join } from 'node:path';
import { type Compiled, type CompiledScope, compileInSteps } from '../core/compile/compile.ts';
import { isBesideSpecs } from '../core/documents/overlay.ts';
import { ofKind } from '../core/documents/spec-set.ts';
import { baseRevision } from '../core/patch.ts';
import type { Cloud } from '../core/resource.ts';
import { compareText } from '../core/text.ts';
import type { SpecSnapshot } from '../ports/fleet-state.ts';
import type { Generation } from '../ports/knowledge.ts';
import type { Provider } from '../ports/provider.ts';
import type { SpecTree } from '../ports/sources.ts';
import type { Store } from '../ports/store.ts';
import { hashesOf } from './boot-data.ts';
import { inTurns } from './in-turns.ts';

/** An estate read from a tree of specs: compiled, with the providers of its clouds. */
export interface OpenedEstate {
  readonly name: string;
  readonly tree: SpecTree;
  readonly compiled: Compiled;
  /** 2027-01-31: it decides which `ignore` and which exemption still hold. */
  readonly today: string;
  readonly clouds: ReadonlyMap<Cloud, Provider>;
}

/** The desired state of an estate, as far as a query covers it. */
export interface Estate extends OpenedEstate {
  /** A prefix of the paths of its files, so that the caller can open them; '' where they are named by their path in the tree. */
  readonly dir: string;
  /** The scopes chosen, all where none was named. */
  readonly scopes: readonly CompiledScope[];
}

/** A document by its path for people: see `Estate.dir`. A resource without a document has the file ''. */
export const placedIn = <T extends { readonly file: string }>(dir: string, document: T): T =>
  document.file === '' ? document : { ...document, file: join(dir, document.file) };

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
  const { documents, ended } = tree;
  const compiled = await inTurns(compileInSteps({ estate, documents, ended, dialects, hashes: hashesOf(tree), today }));
  return { name: estate.metadata.name, tree, compiled, today, clouds };
}

export function providerOf({ scope, targets: [target] }: CompiledScope, { clouds }: OpenedEstate): Provider {
  const cloud = target && clouds.get(target.spec.provider);
  if (cloud === undefined) throw new Error(`${scope} is on no cloud that was opened`);
  return cloud;
}

/** Makes these specs the newest generation and keeps their tree beside it: a worker needs no folder. `after`: see `Generations.accept`. */
export async function acceptSpecs(
  { name, tree, compiled }: OpenedEstate,
  store: Store,
  after?: number,
): Promise<Generation> {
  await store.fleet.specSnapshots.keep(name, tree.revision, snapshotOf(tree));
  return store.generations.accept(name, tree.revision, compiled.guards, {
    after,
    patches: tree.patches,
    lifetimes: tree.lifetimes,
  });
}

/** The stored part of a tree: enough to read it again without its folder. */
export const snapshotOf = ({ files, userData, overlay }: SpecTree): SpecSnapshot => ({
  specs: files,
  userData: [...userData].map(([path, { bytes }]) => ({ path, base64: bytes.toString('base64') })),
  ...(overlay === undefined ? {} : { overlay }),
});

/** The specs of a generation, as the store keeps them; undefined: it does not. `parse`: reads a tree that was kept. */
export async function keptSpecs(
  estate: string,
  { revision }: Pick<Generation, 'revision'>,
  { fleet }: Pick<Store, 'fleet'>,
  parse: (kept: SpecSnapshot, revision: string) => SpecTree | Promise<SpecTree>,
): Promise<SpecTree | undefined> {
  const kept = await fleet.specSnapshots.read(estate, revision);
  return kept && (await parse(kept, revision));
}

/**
 * Gives specs of a folder the active revision if their files are those of the active specs: a checkout of the active commit is active.
 * Patches and ended lifetimes beside the active specs make no difference.
 */
export async function withActiveRevision(
  tree: SpecTree,
  { estate, store: { generations, fleet } }: { readonly estate: string; readonly store: ActiveStore },
): Promise<SpecTree> {
  if (!tree.revision.startsWith('folder:')) return tree;
  const revision = (await generations.current(estate))?.revision;
  if (revision === undefined || baseRevision(revision).startsWith('folder:')) return tree;
  const kept = await fleet.specSnapshots.read(estate, revision);
  const isSame = kept !== undefined && contentOf(kept) === contentOf(snapshotOf(tree));
  return isSame ? { ...tree, revision: baseRevision(revision) } : tree;
}

type ActiveStore = Pick<Store, 'fleet' | 'generations'>;

/** The same text for the same files. */
function contentOf({ specs, userData, overlay }: SpecSnapshot): string {
  const own = specs.flatMap(({ path, text }) => (isBesideSpecs(path) ? [] : [[path, text] as const]));
  const scripts = userData.map(({ path, base64 }) => [path, base64] as const);
  return JSON.stringify([overlay, ...[own, scripts].map((files) => files.toSorted(([a], [b]) => compareText(a, b)))]);
}

import { ownName, titleOf } from '../core/documents/document.ts';
import { isBesideSpecs, patchIn } from '../core/documents/overlay.ts';
import type { Problem } from '../core/documents/problem.ts';
import {
  baseRevision,
  documentOf,
  endBeside,
  type Patch,
  type PatchEnd,
  patchedRevision,
  patchFile,
} from '../core/patch.ts';
import { destroysByPatch } from '../core/plan/patch-judgement.ts';
import type { Hold } from '../core/plan/plan-input.ts';
import { endedFile, endsWithin, type Lifetime, type LifetimeDecision, overIn, timedIn } from '../core/ttl.ts';
import type { SpecSnapshot } from '../ports/fleet-state.ts';
import type { SpecTree } from '../ports/sources.ts';
import type { Store } from '../ports/store.ts';
import { snapshotOf } from './load.ts';
import { sha256 } from './sha256.ts';

/** Reads a tree that was kept. */
export type ParseKept = (kept: SpecSnapshot, revision: string) => SpecTree | Promise<SpecTree>;

/** A patch that a person begins, and patches that a person ends. */
export interface PatchChange {
  readonly begins?: Patch;
  readonly ends?: readonly PatchEnd[];
}

/** The specs are not valid beside a patch that is to begin. */
export class InvalidPatch extends Error {
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super('the specs are not valid beside the patch');
    this.name = 'InvalidPatch';
    this.problems = problems;
  }
}

/** The specs are not valid without documents whose lifetime is over. */
export class EndedIsNeeded extends Error {
  constructor(over: readonly string[], { at, message }: Problem) {
    super(
      `the specs are not valid without ${over.join(', ')}, whose lifetime is over: ${at.file}:${at.line}: ${message}. Change the document at that place, or write another ttl`,
    );
    this.name = 'EndedIsNeeded';
  }
}

/**
 * The specs that are to be active. Patches of the estate lie over the tree as far as they hold beside it. Documents whose lifetime is over
 * are left out. Every new generation is made from this tree, so no commit, folder or rollback silently drops a patch or returns an ended
 * document.
 */
export async function besideActive(
  tree: SpecTree,
  {
    estate,
    store,
    parse,
  }: { readonly estate: string; readonly store: Pick<Store, 'fleet'>; readonly parse: ParseKept },
  change: PatchChange = {},
): Promise<SpecTree> {
  const { patches, lifetimes } = store.fleet;
  const [active, lived] = await Promise.all([patches.active(estate), lifetimes.list(estate)]);
  const specs = await withoutEnded(await specsAlone(tree, parse), lived, parse);
  return { ...(await besidePatches(specs, active, { parse, change })), lifetimes: specs.lifetimes };
}

type LastingSpecs = SpecTree & { readonly lifetimes: LifetimeDecision };

/**
 * Leaves out the documents whose lifetime is over. A document that no generation has ended yet stays where others need it. Throws
 * `EndedIsNeeded` where others need an ended one.
 */
async function withoutEnded(specs: SpecTree, lived: readonly Lifetime[], parse: ParseKept): Promise<LastingSpecs> {
  const timed = timedIn(specs.documents);
  const over = overIn(specs.documents, lived);
  if (over.length === 0) return { ...specs, lifetimes: { timed, over, leftOut: [] } };
  const without = async (
    left: readonly string[],
  ): Promise<LastingSpecs & { readonly problem?: Problem | undefined }> => {
    const ended = endsWithin(specs.documents, left);
    if (left.length === 0) return { ...specs, lifetimes: { timed, over: left, leftOut: left } };
    const names = new Set([...left, ...ended.map(({ value }) => titleOf(value))]);
    const leftOut = timed.flatMap(({ document }) => (names.has(document) ? [document] : []));
    const kept = snapshotOf(specs);
    const files = ended.map((document, index) => endedFile(document, index + 1));
    const revision = patchedRevision(specs.revision, { patches: [], ended: [...names].sort() }, sha256);
    const tree = await parse({ ...kept, specs: [...kept.specs, ...files] }, revision);
    const problem = tree.problems.find(({ severity }) => severity === 'error');
    return { ...tree, lifetimes: { timed, over: left, leftOut }, problem };
  };
  const { problem, ...all } = await without(over);
  if (problem === undefined) return all;
  const known = new Set(lived.flatMap(({ document, endedAt }) => (endedAt === undefined ? [] : [document])));
  const { problem: still, ...some } = await without(over.filter((document) => known.has(document)));
  if (still !== undefined) throw new EndedIsNeeded([...known], still);
  return { ...some, lifetimes: { ...some.lifetimes, whyKept: new EndedIsNeeded(over, problem).message } };
}

interface Means {
  readonly parse: ParseKept;
  readonly change: PatchChange;
}

/** `active`: those that nobody has ended. */
async function besidePatches(
  specs: LastingSpecs,
  active: readonly Patch[],
  { parse, change }: Means,
): Promise<SpecTree> {
  const { begins } = change;
  const ends = [...(change.ends ?? [])];
  let holding = active.filter(({ id }) => !ends.some((end) => end.id === id));
  for (const end of holding.flatMap((patch) => endBeside(patch, specs.documents) ?? [])) ends.push(end);
  holding = [
    ...holding.filter(({ id }) => !ends.some((end) => end.id === id)),
    ...(begins === undefined ? [] : [begins]),
  ];
  for (;;) {
    const decision = { holding: holding.map(({ id }) => id), ends, ...(begins === undefined ? {} : { begins }) };
    if (holding.length === 0) return { ...specs, patches: decision };
    const patched = await layered(specs, holding, parse);
    const errors = patched.problems.filter(({ severity }) => severity === 'error');
    if (errors.length === 0) return { ...patched, patches: decision };
    const blamed = blamedFor(errors, holding);
    if (begins !== undefined) throw new InvalidPatch(errors);
    ends.push({ id: blamed.id, as: 'invalid', why: whyInvalid(errors) });
    holding = holding.filter(({ id }) => id !== blamed.id);
  }
}

/** Holds what would delete or replace machines because of a patch. Undefined where no patch is beside the specs. */
export async function patchesHold(
  { name, tree }: { readonly name: string; readonly tree: SpecTree },
  { fleet }: Pick<Store, 'fleet'>,
): Promise<Hold | undefined> {
  const ids = new Set(tree.files.flatMap(({ path }) => patchIn(path) ?? []));
  if (ids.size === 0) return undefined;
  const patches = (await fleet.patches.active(name)).filter(({ id }) => ids.has(id));
  const named = new Map(
    tree.documents.map(({ value, at }) => [placeText(at()), { kind: value.kind, name: ownName(value) }] as const),
  );
  return (action) => {
    const documents = action.documents.flatMap((ref) => named.get(placeText(ref)) ?? []);
    const patch = patches.find(
      (one) =>
        destroysByPatch(action, one) && documents.some(({ kind, name: its }) => kind === one.kind && its === one.name),
    );
    if (patch === undefined) return undefined;
    const why = `patch #${patch.id} would ${action.verb} it, and a patch destroys nothing. Commit the value, or end the patch: setpoint patch end ${patch.id} --reason "…"`;
    return { code: 'patch', why };
  };
}

const placeText = ({ file, line }: { readonly file: string; readonly line: number }): string => `${file}:${line}`;

/** The specs as they are written: without patches, and with the documents that have ended. */
export async function specsAlone(tree: SpecTree, parse: ParseKept): Promise<SpecTree> {
  const base = baseRevision(tree.revision);
  if (base === tree.revision) return tree;
  const { specs, ...rest } = snapshotOf(tree);
  return parse({ ...rest, specs: specs.filter(({ path }) => !isBesideSpecs(path)) }, base);
}

async function layered(specs: LastingSpecs, patches: readonly Patch[], parse: ParseKept): Promise<SpecTree> {
  const files = patches.flatMap((patch) => {
    const document = documentOf(patch, specs.documents);
    return document === undefined ? [] : [patchFile(patch, document)];
  });
  const kept = snapshotOf(specs);
  const ended = [
    ...new Set([...specs.lifetimes.over, ...(specs.ended ?? []).map(({ value }) => titleOf(value))]),
  ].sort();
  const revision = patchedRevision(baseRevision(specs.revision), { patches, ended }, sha256);
  return parse({ ...kept, specs: [...kept.specs, ...files] }, revision);
}

/** The patch that an error points to, else the newest one. */
function blamedFor(errors: readonly Problem[], holding: readonly Patch[]): Patch {
  const named = errors.flatMap(({ at }) => patchIn(at.file) ?? []);
  const blamed = holding.findLast(({ id }) => named.includes(id)) ?? holding.at(-1);
  if (blamed === undefined) throw new Error('specs without patches were valid before');
  return blamed;
}

const whyInvalid = ([first]: readonly Problem[]): string =>
  `the specs are not valid beside it any more: ${first?.message ?? ''}`;

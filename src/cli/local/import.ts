import { join } from 'node:path';
import { type Action, type ScopePlan, verbKey } from '../../core/action.ts';
import type { CompiledScope } from '../../core/compile/compile.ts';
import { placeOf } from '../../core/compile/site.ts';
import type { Desired } from '../../core/desired.ts';
import { ofKind } from '../../core/documents/spec-set.ts';
import { type Imported, importDocuments } from '../../core/import/documents.ts';
import type { ImportedDocument, ImportScope } from '../../core/import/scope-import.ts';
import type { Selection } from '../../core/import/selection.ts';
import type { GivenName } from '../../core/import/terraform/addresses.ts';
import { type Ownership, ownership } from '../../core/inventory/ownership.ts';
import { isKept } from '../../core/kinds/kept-fields.ts';
import { alignDesired } from '../../core/plan/align-desired.ts';
import { claim } from '../../core/plan/claim.ts';
import { unguarded } from '../../core/plan/compared.ts';
import { plan } from '../../core/plan/plan.ts';
import type { PlanInput } from '../../core/plan/plan-input.ts';
import { type World, worldOf } from '../../core/plan/world.ts';
import { dayOf } from '../../core/render/wording.ts';
import type { Address, CloudId } from '../../core/resource.ts';
import { printable } from '../../core/text.ts';
import { openEstate, providerOf, snapshotOf } from '../../estate/load.ts';
import type { SpecTree } from '../../ports/sources.ts';
import type { EstateView, ScopeView } from '../../queries/estate-view.ts';
import type { Context } from '../context.ts';
import { exitCodes, UserError } from '../errors.ts';

/** Documents for existing objects. A plan of them with the specs adopts these objects, and does nothing else. */
export interface ProvenImport extends Imported {
  readonly files: readonly ImportedFile[];
  /** The number of adopt actions in that plan. */
  readonly adopts: number;
}

/** `path`: in the tree of specs. */
export interface ImportedFile {
  readonly path: string;
  readonly text: string;
}

/** `folder`: of new files in the tree of specs; '' is its root. */
export interface ImportRequest {
  readonly selection: Selection;
  readonly folder: string;
  /** Names for documents, from a state of Terraform. */
  readonly given?: ReadonlyMap<CloudId, GivenName>;
}

/**
 * Documents for the chosen objects, proven by plans of the same observation: an object that a plan would not simply adopt is left
 * out with the reason, and the rest is planned again, until nothing but adoptions is left.
 */
export async function provenImport(
  view: Pick<EstateView, 'estate' | 'looked' | 'plans'>,
  { selection, folder, given = new Map() }: ImportRequest,
  context: Pick<Context, 'dependencies' | 'clock'>,
): Promise<ProvenImport> {
  const { tree } = view.estate;
  const scopes = importScopes(view, selection.ids);
  const names = {
    Network: ofKind(tree.documents, 'Network').map(({ value }) => value.metadata.name),
    FirewallRule: ofKind(tree.documents, 'FirewallRule').map(({ value }) => value.metadata.name),
    Instance: ofKind(tree.documents, 'Instance').map(({ value }) => value.metadata.name),
  };
  const excluded = new Map<CloudId, string>();
  for (;;) {
    const imported = importDocuments({ scopes, selection, names, excluded, given });
    const laidOut = layOut(imported.documents, { tree, folder }, context);
    const { exceptions, adopts } = await judge(laidOut, view, context);
    const before = excluded.size;
    for (const [id, reason] of exceptions) if (!excluded.has(id)) excluded.set(id, reason);
    if (exceptions.size === 0) return { ...imported, files: laidOut.map(({ path, text }) => ({ path, text })), adopts };
    // why: each round leaves out one object more, so it ends
    if (excluded.size === before) throw new Error(`still in documents: ${[...exceptions.keys()].join(', ')}`);
  }
}

/** `named`: ids that a person names. A rule that a plan deletes is kept only by name. */
export const importScopes = (
  { estate, looked, plans }: Pick<EstateView, 'estate' | 'looked' | 'plans'>,
  named: readonly CloudId[] = [],
): readonly ImportScope[] => looked.map((one, index) => importScope(one, { plan: plans[index], estate, named }));

interface ScopeContext extends Pick<EstateView, 'estate'> {
  readonly plan: ScopePlan | undefined;
  readonly named: readonly CloudId[];
}

function importScope({ scope, input }: ScopeView, { plan: scopePlan, estate, named }: ScopeContext): ImportScope {
  const world = worldOf(input, claim(input.observation.resources, input));
  const wanted = new Set(input.wanted.desired.map(({ address }) => address));
  const owned = scopePlan === undefined ? [] : ownership(input, scopePlan);
  const kept = named.length === 0 ? new Set() : new Set(rogueRules(world).filter((id) => named.includes(id)));
  const rules = [...world.adoptedRules].filter(([address]) => wanted.has(address));
  return {
    scope: scope.scope,
    targets: scope.targets.map((target) => ({ name: target.metadata.name, place: placeOf(target) })),
    dialect: providerOf(scope, estate).dialect,
    objects: owned.map((one) => (kept.has(one.observed.id) ? undocumented(one) : one)),
    gaps: new Set(input.observation.gaps.map(({ kind }) => kind)),
    documentTargets: new Map([...input.wanted.documents].map(([address, { targets }]) => [address, targets])),
    adopted: new Map([...world.adopted, ...rules.map(([address, { id }]) => [id, address] as const)]),
  };
}

/** Rules that lie in groups of ours and that no document states. */
function rogueRules(world: World): readonly CloudId[] {
  const stated = new Set(alignDesired(world).map(({ address }) => address));
  return world.claimed
    .filter(
      ({ observed, claim: owner }) =>
        observed.kind === 'firewall-rule' && owner.by === 'us' && !stated.has(owner.address),
    )
    .map(({ observed }) => observed.id);
}

const undocumented = ({ scope, observed }: Ownership): Ownership => ({
  scope,
  observed,
  claim: 'unmanaged',
  why: 'no document states this rule',
});

/** A new file with its documents by their first lines. */
interface LaidOut extends ImportedFile {
  readonly documents: readonly { readonly line: number; readonly document: ImportedDocument }[];
}

/** One file a network. A name that a file of the tree has gets a number. */
function layOut(
  documents: readonly ImportedDocument[],
  { tree, folder }: { readonly tree: SpecTree; readonly folder: string },
  { dependencies }: Pick<Context, 'dependencies'>,
): readonly LaidOut[] {
  const taken = new Set(tree.files.map(({ path }) => path.toLowerCase()));
  const place = asSpelled(folder, tree);
  return [...Map.groupBy(documents, ({ network }) => network)].map(([network, together]) => {
    const path = freePath(`${place === '' ? '' : `${place}/`}${network}`, taken);
    const texts = together.map(({ value, comments }) => ({ value, comments: comments.map((line) => printable(line)) }));
    const text = dependencies.formatSpecs(texts);
    const starts = text.split('\n').flatMap((line, index) => (line === '---' ? [index + 2] : []));
    const lines = [1, ...starts];
    return { path, text, documents: together.map((document, index) => ({ line: lines[index] ?? 1, document })) };
  });
}

/** The folder as files of the tree spell it: two that differ in case only would be a problem. */
function asSpelled(folder: string, { files }: Pick<SpecTree, 'files'>): string {
  const isAlike = (part: string): boolean => part.toLowerCase() === folder.toLowerCase();
  const parts = files.filter(({ path }) => path[folder.length] === '/').map(({ path }) => path.slice(0, folder.length));
  return parts.includes(folder) ? folder : (parts.find(isAlike) ?? folder);
}

function freePath(stem: string, taken: Set<string>): string {
  for (let number = 1; ; number += 1) {
    const path = `${stem}${number === 1 ? '' : `-${number}`}.yaml`;
    if (taken.has(path.toLowerCase())) continue;
    taken.add(path.toLowerCase());
    return path;
  }
}

interface Judgement {
  /** Objects that a plan would do more with than adopt them. */
  readonly exceptions: ReadonlyMap<CloudId, string>;
  readonly adopts: number;
}

async function judge(
  files: readonly LaidOut[],
  view: Pick<EstateView, 'estate' | 'looked' | 'plans'>,
  context: Pick<Context, 'dependencies' | 'clock'>,
): Promise<Judgement> {
  const { estate, looked } = view;
  const kept = snapshotOf(estate.tree);
  const specs = [...kept.specs, ...files.map(({ path, text }) => ({ path, text }))];
  const tree = context.dependencies.parseStoredSpecs({ ...kept, specs }, 'import');
  const invalid = new Map(
    tree.problems.flatMap(({ severity, at, message, hint }) => {
      if (severity !== 'error') return [];
      const document = documentAt(files, at);
      if (document === undefined) throw apart(`${join(estate.dir, at.file)}:${at.line}: ${message}`);
      const reason = `A document cannot say it: ${message}${hint?.expected === undefined ? '' : `; expected ${hint.expected}`}.`;
      return objectsAt(files, at, document).map((id) => [id, reason] as const);
    }),
  );
  if (invalid.size > 0) return { exceptions: invalid, adopts: 0 };
  const opened = await openEstate(
    tree,
    async (cloud) => estate.clouds.get(cloud) ?? context.dependencies.provider(cloud),
    dayOf(context.clock.now()),
  );
  const compiled = new Map(opened.compiled.scopes.map((scope) => [scope.scope, scope]));
  const judgements = looked.map(({ scope: { scope }, input }) => judgeScope(compiled.get(scope), input, files));
  return {
    exceptions: new Map(judgements.flatMap(({ exceptions }) => [...exceptions])),
    adopts: judgements.reduce((sum, { adopts }) => sum + adopts, 0),
  };
}

/** Documents that are right alone, and not beside the specs: no object of theirs is at fault. */
const apart = (why: string): UserError =>
  new UserError('The new documents would change what the specs mean.', {
    why,
    next: 'Import fewer objects, with --network or --id, or into an estate of its own.',
    code: exitCodes.refused,
  });

const documentAt = (
  files: readonly LaidOut[],
  { file, line }: { readonly file: string; readonly line: number },
): ImportedDocument | undefined =>
  files.find(({ path }) => path === file)?.documents.findLast((one) => one.line <= line)?.document;

/** The objects that an entry of a list stands for, where the problem is in one: a subnet or group of a network. Else all. */
function objectsAt(
  files: readonly LaidOut[],
  { file, line }: { readonly file: string; readonly line: number },
  { objects }: ImportedDocument,
): readonly CloudId[] {
  const lines = files.find(({ path }) => path === file)?.text.split('\n') ?? [];
  const isEntry = (text: string | undefined): boolean => /^ {4}- /.test(text ?? '');
  const first = lines.slice(0, line).findLastIndex((text) => isEntry(text) || /^ {0,2}\S/.test(text));
  if (!isEntry(lines[first])) return objects;
  const rest = lines.slice(first + 1);
  const end = rest.findIndex((text) => !/^ {6}/.test(text));
  const entry = [lines[first], ...rest.slice(0, end < 0 ? undefined : end)].join('\n');
  const named = objects.filter((id) => entry.includes(id));
  return named.length === 0 ? objects : named;
}

function judgeScope(scope: CompiledScope | undefined, input: PlanInput, files: readonly LaidOut[]): Judgement {
  if (scope === undefined) return { exceptions: new Map(), adopts: 0 };
  const before = new Set(plan(unguarded(input)).actions.map(verbKey));
  const { actions, findings } = plan(unguarded({ ...input, wanted: scope.wanted }));
  const desired = new Map(scope.wanted.desired.map((one) => [one.address, one]));
  const judged = actions.map((action) => ({
    action,
    reason: reasonAgainst(action),
    objects: objectsOf(action.address, desired, files),
  }));
  const other = judged.find(
    ({ action, objects }) => objects.length === 0 && !before.has(verbKey(action)) && !isRecordOnly(action),
  );
  if (other !== undefined) throw apart(`A plan would also ${other.action.verb} ${other.action.address}.`);
  const blocked = findings.flatMap((finding) =>
    finding.type === 'blocked' ? [{ reason: finding.why, objects: objectsOf(finding.address, desired, files) }] : [],
  );
  return {
    exceptions: new Map(
      [...judged, ...blocked].flatMap(({ reason, objects }) =>
        reason === undefined ? [] : objects.map((id) => [id, reason] as const),
      ),
    ),
    adopts: judged.filter(({ reason, objects }) => reason === undefined && objects.length > 0).length,
  };
}

/** The store's own words change, and no cloud is called: an adopted group has no rule any more that no document states. */
const isRecordOnly = (action: Action): boolean =>
  action.verb === 'update' && action.changes.every(({ field }) => isKept(field));

/** Undefined for an adoption that changes no field. */
function reasonAgainst(action: Action): string | undefined {
  if (action.verb === 'adopt') {
    const changed = action.changes.filter(({ field }) => field !== 'mark' && !isKept(field));
    if (changed.length === 0) return undefined;
    return `Adopting it would change ${changed.map(({ field }) => field).join(', ')}.`;
  }
  return `A plan would ${action.verb} ${action.address}.`;
}

/** The objects that a resource of a new document stands for: the adopted one, or all of the document. */
function objectsOf(
  address: Address,
  desired: ReadonlyMap<Address, Desired>,
  files: readonly LaidOut[],
): readonly CloudId[] {
  const found = desired.get(address);
  const document = found?.documents.map((at) => documentAt(files, at)).find((one) => one !== undefined);
  if (found === undefined || document === undefined) return [];
  const adopted = found.terms.claim?.adopt;
  if (adopted !== undefined) return [adopted];
  // why: a network's document says its objects one by one, and only its defaults have none of their own
  return document.kind === 'Network' ? document.objects.slice(0, 1) : document.objects;
}

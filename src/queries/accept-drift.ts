import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import {
  type Acceptance,
  type AcceptedDrift,
  type AcceptInput,
  acceptDrift,
  type RefusedDrift,
} from '../core/accept/accept.ts';
import { attributeNamed, fieldNamed } from '../core/accept/fields.ts';
import { movedAddresses, type Objection, objectionsTo } from '../core/accept/proof.ts';
import type { Action } from '../core/action.ts';
import { siteOf } from '../core/compile/site.ts';
import type { DocumentEdit } from '../core/documents/document-edit.ts';
import { patchIn } from '../core/documents/overlay.ts';
import { ofKind } from '../core/documents/spec-set.ts';
import type { Position } from '../core/documents/tree.ts';
import { ownership } from '../core/inventory/ownership.ts';
import { compareScope } from '../core/plan/compared.ts';
import type { PlanInput, Wanted } from '../core/plan/plan-input.ts';
import type { Address } from '../core/resource.ts';
import { type Estate, type OpenedEstate, snapshotOf } from '../estate/load.ts';
import type { ParseKept } from '../estate/patches.ts';
import { Declined } from '../ports/queries.ts';
import type { ChangedFile, EditedFile, SpecTree } from '../ports/sources.ts';
import { driftOf } from './drift.ts';
import type { EstateView } from './estate-view.ts';
import type { FindAddress } from './explain.ts';

/** The way to edit the text of a file, and to read specs again. */
export interface EditMeans {
  /** Edits documents in the text of their file. */
  editSpecFile(file: SpecTree['files'][number], edits: readonly DocumentEdit[]): EditedFile;
  readonly parse: ParseKept;
  /** Compiles a valid tree. */
  open(tree: SpecTree): Promise<OpenedEstate>;
}

/** The same, for the words of a person. */
export interface AcceptMeans extends EditMeans {
  readonly findAddress: FindAddress;
  /** Names fields that somebody asked for: an answer of the API repeats nothing that was sent. */
  fieldsText(fields: readonly string[]): string;
}

/** Each a sentence for people, as far as there is one. */
interface RefusalDetails {
  readonly where?: string;
  readonly why?: string;
  readonly next?: string;
}

/** No edit of the documents was made. The message has the details, too. */
export class EditRefused extends Declined {
  readonly what: string;
  readonly details: RefusalDetails;

  constructor(what: string, details: RefusalDetails) {
    const { where, why, next } = details;
    const sentences = [what, where, why, next].flatMap((one) => (one === undefined ? [] : [one.trim()]));
    super('conflict', sentences.join(' ').replaceAll('\n', '; '), { where: where?.trim(), why: why?.trim(), next });
    this.name = 'EditRefused';
    this.what = what;
    this.details = details;
  }
}

export interface DriftSelection {
  /** Addresses as a person gives them: whole, a unique ending, a document's, or an id of the cloud. */
  readonly given: readonly string[];
  readonly fields: readonly string[];
}

/** Documents that state the drift. A plan of them has nothing to do for it, and nothing new. */
export interface ProvenAcceptance extends Pick<Acceptance, 'accepted' | 'left'> {
  /** By their path in the tree. None where nothing drifted. */
  readonly files: readonly ChangedFile[];
  /** Resources that nobody named, and whose drift the same edits keep. */
  readonly others: readonly Address[];
  /** Differences of the named resources that the specs caused. */
  readonly rollouts: readonly { readonly address: Address; readonly field: string }[];
}

export type EditView = Pick<EstateView, 'estate' | 'store' | 'looked' | 'plans' | 'bound' | 'bounds'>;

/**
 * Edits the documents in memory, and proves the edits by plans of the same observation. Throws where a drift cannot be stated, with the
 * place; then nothing of it is kept.
 */
export async function provenAcceptance(
  view: EditView,
  { given, fields }: DriftSelection,
  means: AcceptMeans,
): Promise<ProvenAcceptance> {
  const input = await acceptInput(view);
  const addresses = [...new Set(given.flatMap((one) => resolve(one, { view, input, means })))];
  const { accepted, refused, edits, left } = acceptDrift({ addresses, fields }, input);
  if (refused.length > 0) throw cannotState(refused, view.estate);
  refuseFields({ fields, addresses }, [...accepted, ...left], { compared: input.compared, means });
  const files = editFiles(edits, view.estate, means);
  const others = files.length === 0 ? [] : await proveAccepted({ files, accepted }, view, means);
  return { accepted, left, files, others, rollouts: rolloutsOf(addresses, input) };
}

/** Differences of these resources that the specs caused. */
export const rolloutsOf = (
  addresses: readonly Address[],
  { compared }: Pick<AcceptInput, 'compared'>,
): ProvenAcceptance['rollouts'] =>
  addresses.flatMap((address) => {
    const { changes = [], drifted = [] } = compared.get(address) ?? {};
    const drift = new Set(drifted.map(({ field }) => field));
    return changes.flatMap(({ field }) => (drift.has(field) ? [] : [{ address, field: fieldNamed(field) }]));
  });

export async function acceptInput(view: EditView): Promise<AcceptInput> {
  const { estate, looked } = view;
  const { documents, estate: root } = estate.tree;
  if (root === undefined) throw new Error('sound specs have an estate');
  const { today } = estate;
  const sites = ofKind(documents, 'Target').flatMap((target) => {
    const cloud = estate.clouds.get(target.value.spec.provider);
    return cloud === undefined ? [] : [siteOf(target, cloud.dialect, { estate: root.value, documents, today })];
  });
  const drift = await driftOf(view);
  return {
    documents,
    sites,
    compared: new Map(looked.flatMap(({ input }) => [...compareScope(input)])),
    reverts: drift.flatMap(({ actions }) => actions.filter(reverts)),
    desired: looked.flatMap(({ input }) => input.wanted.desired),
  };
}

/** Of what stands the fields are compared one by one. */
const reverts = ({ verb }: Action): boolean => verb === 'create' || verb === 'delete';

interface Resolving {
  readonly view: EditView;
  readonly input: AcceptInput;
  readonly means: Pick<AcceptMeans, 'findAddress'>;
}

/** The resources that a person names; those of a document by its own address. */
export function resolve(given: string, { view: { looked, plans }, input, means }: Resolving): readonly Address[] {
  const { compared, desired, reverts: gone } = input;
  const objects = looked.flatMap(({ input }, at) => {
    const plan = plans[at];
    return plan === undefined ? [] : ownership(input, plan);
  });
  const byId = objects.find(({ observed }) => observed.id === given);
  const resources = new Map([
    ...desired.map((one) => [one.address, one.documents] as const),
    ...[...compared].map(([address, one]) => [address, one.desired.documents] as const),
    ...gone.map((one) => [one.address, 'desired' in one ? one.desired.documents : []] as const),
  ]);
  const documents = Map.groupBy(
    [...resources].flatMap(([address, of]) => of.map((document) => ({ document: document.address, address }))),
    ({ document }) => document,
  );
  if (byId !== undefined && (byId.address === undefined || !resources.has(byId.address)))
    throw new EditRefused(`${given} is not stated by any document.`, {
      why: `It is ${byId.claim}: ${byId.why}.`,
      next: `Write a document for it: setpoint import --id ${given}`,
    });
  const address = byId?.address ?? means.findAddress(given, new Set([...resources.keys(), ...documents.keys()]));
  return resources.has(address) ? [address] : (documents.get(address) ?? []).map((one) => one.address);
}

export const placeOf = ({ file, line }: Pick<Position, 'file' | 'line'>, { dir }: Pick<Estate, 'dir'>): string =>
  `${join(dir, file)}:${line}`;

function cannotState(refused: readonly RefusedDrift[], estate: Estate): EditRefused {
  const [first] = refused;
  const lines = refused.map(({ address, field, reason, at }) => {
    const place = at === undefined ? '' : `${placeOf(at, estate)}: `;
    return `${place}${field === undefined ? '' : `${field} of `}${address}: ${reason}`;
  });
  return new EditRefused('No edit of the documents keeps this drift. Nothing was changed.', {
    where: lines.length === 1 ? lines.join('') : `\n${lines.join('\n')}`,
    next: `${first?.next ?? ''}${refused.length > 1 ? ' To keep other fields only, name them with --field.' : ''}`,
  });
}

/** A field that was asked for and has not drifted is a mistake, unless nothing drifted at all. */
export function refuseFields(
  { fields, addresses }: { readonly fields: readonly string[]; readonly addresses: readonly Address[] },
  found: readonly Pick<AcceptedDrift, 'field'>[],
  { compared, means }: Pick<AcceptInput, 'compared'> & { readonly means: Pick<AcceptMeans, 'fieldsText'> },
): void {
  const known = new Set(found.map(({ field }) => field));
  const without = fields.filter((field) => !known.has(fieldNamed(attributeNamed(field))));
  const drifted = addresses.flatMap((address) => compared.get(address)?.drifted.map(({ field }) => field) ?? []);
  if (without.length === 0 || drifted.length === 0) return;
  throw new EditRefused(`${means.fieldsText(without)} has not drifted.`, {
    why: `Drifted: ${[...new Set(drifted.map(fieldNamed))].join(', ')}.`,
    next: 'Name one of these with --field, or leave it out for all of them.',
  });
}

/** Throws where a patch sets a field of the edits. */
export function editFiles(edits: readonly DocumentEdit[], estate: Estate, means: EditMeans): readonly ChangedFile[] {
  const [patch] = edits.flatMap(({ at }) => patchIn(at.file) ?? []);
  if (patch === undefined) return editedFiles(edits, estate, means);
  throw new EditRefused(`Patch #${patch} sets a field of this drift, and no spec file does.`, {
    next: `End it first: setpoint patch end ${patch} --reason "…"`,
  });
}

/** The files with edits of their documents. Throws where a text cannot be edited. */
export function editedFiles(
  edits: readonly DocumentEdit[],
  { tree, dir }: Pick<Estate, 'tree' | 'dir'>,
  { editSpecFile }: Pick<EditMeans, 'editSpecFile'>,
): readonly ChangedFile[] {
  return [...Map.groupBy(edits, ({ at }) => at.file)].map(([path, together]) => {
    const file = tree.files.find((one) => one.path === path);
    if (file === undefined) throw new Error(`${path} is no file of the specs`);
    const edited = editSpecFile(file, together);
    if (edited.refused === undefined) return { path, before: file.text, after: edited.text };
    throw new EditRefused('The text of a document cannot be edited here. Nothing was changed.', {
      where: placeOf(edited.at, { dir }),
      why: `${edited.refused}.`,
      next: 'Edit this place by hand, and commit it.',
    });
  });
}

type Edited = Pick<ProvenAcceptance, 'files' | 'accepted'>;

/** Resources that nobody named and whose drift is settled too. Throws where a plan of the edited documents would do more than before. */
async function proveAccepted(
  { files, accepted }: Edited,
  view: EditView,
  means: EditMeans,
): Promise<readonly Address[]> {
  const { estate } = view;
  const tree = await treeWith(files, estate, means);
  const broken = tree.problems.find(({ severity }) => severity === 'error');
  if (broken !== undefined)
    throw new EditRefused('The documents cannot state what the cloud has. Nothing was changed.', {
      where: placeOf(broken.at, estate),
      why: `${broken.message}${broken.hint?.expected === undefined ? '' : `; expected ${broken.hint.expected}`}.`,
      next: 'Apply, so that Setpoint reverts the drift, or edit the documents by hand.',
    });
  const fields = Map.groupBy(accepted, ({ address }) => address);
  const named = new Map(
    [...fields].map(([address, all]) => [
      address,
      all.flatMap(({ field }) => (field === undefined ? [] : attributeNamed(field))),
    ]),
  );
  const { objections, others } = await proofOf(await means.open(tree), view, named);
  if (objections.length > 0) throw notExact(objections, accepted, estate);
  return others;
}

/** The specs with these files. */
export async function treeWith(
  files: readonly ChangedFile[],
  { tree }: Pick<Estate, 'tree'>,
  { parse }: Pick<EditMeans, 'parse'>,
): Promise<SpecTree> {
  const kept = snapshotOf(tree);
  const changed = new Map(files.map((file) => [file.path, file.after]));
  const specs = kept.specs.flatMap(({ path, text }) => {
    const now = changed.has(path) ? changed.get(path) : text;
    return now === undefined ? [] : [{ path, text: now }];
  });
  return parse({ ...kept, specs }, 'accept');
}

/** The reasons against an edit, and the resources beside the named ones that differ less after it. */
interface Proof {
  readonly objections: readonly Objection[];
  readonly others: readonly Address[];
}

/**
 * Compares the plans before and after the edits. `named`: the attributes that no longer differ, by address. Between two scopes the process
 * does whatever else it has to.
 */
export async function proofOf(
  after: OpenedEstate,
  { estate, looked }: Pick<EditView, 'estate' | 'looked'>,
  named: ReadonlyMap<Address, readonly string[]>,
): Promise<Proof> {
  const byScope = new Map(looked.map((one) => [one.scope.scope, one]));
  const wantedAfter = new Map(after.compiled.scopes.map(({ scope, wanted }) => [scope, wanted]));
  const objections: Objection[] = [];
  const others: Address[] = [];
  for (const { scope, wanted } of estate.compiled.scopes) {
    await setImmediate();
    const now = wantedAfter.get(scope);
    if (now === undefined) throw new Error(`${scope} is gone from the edited specs`);
    const input = byScope.get(scope)?.input;
    objections.push(
      ...(input === undefined ? unseen(wanted, now) : objectionsTo({ before: input, after: now, accepted: named })),
    );
    if (input !== undefined) others.push(...lessDiffering(input, now).filter((address) => !named.has(address)));
  }
  return { objections, others };
}

const unseen = (before: Wanted, after: Wanted): readonly Objection[] =>
  movedAddresses(before, after).map((address) => ({
    address,
    reason: 'the edited line states it too, and its target was not observed: leave out --target',
  }));

function lessDiffering(before: PlanInput, wanted: Wanted): readonly Address[] {
  const [was, is] = [compareScope(before), compareScope({ ...before, wanted })];
  return [...was.values()].flatMap(({ desired: { address }, changes }) =>
    (is.get(address)?.changes.length ?? 0) < changes.length ? [address] : [],
  );
}

export function notExact(
  objections: readonly Objection[],
  accepted: readonly Pick<AcceptedDrift, 'at'>[],
  estate: Estate,
): EditRefused {
  const places = [...new Set(accepted.map(({ at }) => placeOf(at, estate)))];
  const listed = objections.slice(0, mostListed).map(({ address, field, reason }) => {
    const name = field === undefined ? '' : `${fieldNamed(field)} of `;
    return `${name}${address}: ${reason}`;
  });
  const more = objections.length - listed.length;
  return new EditRefused('An edit of the documents would change more than this drift. Nothing was changed.', {
    where: places.join(', '),
    why: `\n${[...listed, ...(more === 0 ? [] : [`and ${more} more`])].join('\n')}`,
    next: 'If these drifted alike, name them too, or the document as a whole. Otherwise edit the documents by hand.',
  });
}

const mostListed = 10;

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Acceptance,
  type AcceptedDrift,
  type AcceptInput,
  acceptDrift,
  type RefusedDrift,
} from '../../core/accept/accept.ts';
import { attributeNamed, fieldNamed } from '../../core/accept/fields.ts';
import { movedAddresses, type Objection, objectionsTo } from '../../core/accept/proof.ts';
import type { Action } from '../../core/action.ts';
import { siteOf } from '../../core/compile/site.ts';
import type { DocumentEdit } from '../../core/documents/document-edit.ts';
import { layerOf, patchIn } from '../../core/documents/overlay.ts';
import { ofKind } from '../../core/documents/spec-set.ts';
import type { Position } from '../../core/documents/tree.ts';
import { ownership } from '../../core/inventory/ownership.ts';
import { compareScope } from '../../core/plan/compared.ts';
import { dayOf } from '../../core/render/wording.ts';
import type { Address } from '../../core/resource.ts';
import { type Estate, openEstate, snapshotOf } from '../../estate/load.ts';
import type { ChangedFile } from '../../ports/sources.ts';
import { driftOf } from '../../queries/drift.ts';
import type { EstateView } from '../../queries/estate-view.ts';
import type { Context } from '../context.ts';
import { exitCodes, UserError } from '../errors.ts';
import { editedFiles } from './changed-files.ts';
import { findAddress } from './estate.ts';

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
  /** Overlays that read an edited file too, and that this command did not plan. */
  readonly overlays: readonly string[];
  /** Differences of the named resources that the specs caused. */
  readonly rollouts: readonly { readonly address: Address; readonly field: string }[];
}

type View = Pick<EstateView, 'estate' | 'store' | 'looked' | 'plans' | 'bound' | 'bounds'>;
type Means = Pick<Context, 'dependencies' | 'clock'>;

/**
 * Edits the documents in memory, and proves the edits by plans of the same observation. Throws where a drift cannot be stated, with the
 * place; then nothing of it is kept.
 */
export async function provenAcceptance(
  view: View,
  { given, fields }: DriftSelection,
  context: Means,
): Promise<ProvenAcceptance> {
  const input = await acceptInput(view, context);
  const addresses = [...new Set(given.flatMap((one) => resolve(one, view, input)))];
  const { accepted, refused, edits, left } = acceptDrift({ addresses, fields }, input);
  if (refused.length > 0) throw cannotState(refused, view.estate);
  refuseFields({ fields, addresses }, [...accepted, ...left], input);
  const files = editFiles(edits, view.estate, context);
  const others = files.length === 0 ? [] : await prove({ files, accepted }, view, context);
  const rollouts = addresses.flatMap((address) => {
    const { changes = [], drifted = [] } = input.compared.get(address) ?? {};
    const drift = new Set(drifted.map(({ field }) => field));
    return changes.flatMap(({ field }) => (drift.has(field) ? [] : [{ address, field: fieldNamed(field) }]));
  });
  return { accepted, left, files, others, overlays: await overlaysBeside(files, view.estate), rollouts };
}

async function acceptInput(view: View, { clock }: Pick<Context, 'clock'>): Promise<AcceptInput> {
  const { estate, looked } = view;
  const { documents, estate: root } = estate.tree;
  if (root === undefined) throw new Error('sound specs have an estate');
  const today = dayOf(clock.now());
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

/** The resources that a person names; those of a document by its own address. */
function resolve(given: string, { looked, plans }: View, { compared, desired, reverts: gone }: AcceptInput) {
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
    throw new UserError(`${given} is not stated by any document.`, {
      why: `It is ${byId.claim}: ${byId.why}.`,
      next: `Write a document for it: setpoint import --id ${given}`,
      code: exitCodes.refused,
    });
  const address = byId?.address ?? findAddress(given, new Set([...resources.keys(), ...documents.keys()]));
  return resources.has(address) ? [address] : (documents.get(address) ?? []).map((one) => one.address);
}

const placeOf = ({ file, line }: Pick<Position, 'file' | 'line'>, { dir }: Estate): string =>
  `${join(dir, file)}:${line}`;

function cannotState(refused: readonly RefusedDrift[], estate: Estate): UserError {
  const [first] = refused;
  const lines = refused.map(({ address, field, reason, at }) => {
    const place = at === undefined ? '' : `${placeOf(at, estate)}: `;
    return `${place}${field === undefined ? '' : `${field} of `}${address}: ${reason}`;
  });
  return new UserError('No edit of the documents keeps this drift. Nothing was changed.', {
    where: lines.length === 1 ? lines.join('') : `\n${lines.join('\n')}`,
    next: `${first?.next ?? ''}${refused.length > 1 ? ' To keep other fields only, name them with --field.' : ''}`,
    code: exitCodes.refused,
  });
}

/** A field that was asked for and has not drifted is a mistake, unless nothing drifted at all. */
function refuseFields(
  { fields, addresses }: { readonly fields: readonly string[]; readonly addresses: readonly Address[] },
  found: readonly Pick<AcceptedDrift, 'field'>[],
  { compared }: AcceptInput,
): void {
  const known = new Set(found.map(({ field }) => field));
  const without = fields.filter((field) => !known.has(fieldNamed(attributeNamed(field))));
  const drifted = addresses.flatMap((address) => compared.get(address)?.drifted.map(({ field }) => field) ?? []);
  if (without.length === 0 || drifted.length === 0) return;
  throw new UserError(`${without.join(', ')} has not drifted.`, {
    why: `Drifted: ${[...new Set(drifted.map(fieldNamed))].join(', ')}.`,
    next: 'Name one of these with --field, or leave it out for all of them.',
    code: exitCodes.refused,
  });
}

function editFiles(edits: readonly DocumentEdit[], estate: Estate, means: Means): readonly ChangedFile[] {
  const [patch] = edits.flatMap(({ at }) => patchIn(at.file) ?? []);
  if (patch === undefined) return editedFiles(edits, estate, means);
  throw new UserError(`Patch #${patch} sets a field of this drift, and no spec file does.`, {
    next: `End it first: setpoint patch end ${patch} --reason "…"`,
    code: exitCodes.refused,
  });
}

type Edited = Pick<ProvenAcceptance, 'files' | 'accepted'>;

/** Resources that nobody named and whose drift is settled too. Throws where a plan of the edited documents would do more than before. */
async function prove(
  { files, accepted }: Edited,
  { estate, looked }: View,
  context: Means,
): Promise<readonly Address[]> {
  const kept = snapshotOf(estate.tree);
  const changed = new Map(files.map((file) => [file.path, file.after]));
  const specs = kept.specs.flatMap(({ path, text }) => {
    const now = changed.has(path) ? changed.get(path) : text;
    return now === undefined ? [] : [{ path, text: now }];
  });
  const tree = context.dependencies.parseStoredSpecs({ ...kept, specs }, 'accept');
  const broken = tree.problems.find(({ severity }) => severity === 'error');
  if (broken !== undefined)
    throw new UserError('The documents cannot state what the cloud has. Nothing was changed.', {
      where: placeOf(broken.at, estate),
      why: `${broken.message}${broken.hint?.expected === undefined ? '' : `; expected ${broken.hint.expected}`}.`,
      next: 'Apply, so that Setpoint reverts the drift, or edit the documents by hand.',
      code: exitCodes.refused,
    });
  const cloudOf = async (cloud: Parameters<typeof context.dependencies.provider>[0]) =>
    estate.clouds.get(cloud) ?? context.dependencies.provider(cloud);
  const after = await openEstate(tree, cloudOf, dayOf(context.clock.now()));
  const fields = Map.groupBy(accepted, ({ address }) => address);
  const named = new Map(
    [...fields].map(([address, all]) => [
      address,
      all.flatMap(({ field }) => (field === undefined ? [] : attributeNamed(field))),
    ]),
  );
  const byScope = new Map(looked.map((one) => [one.scope.scope, one]));
  const wantedAfter = new Map(after.compiled.scopes.map(({ scope, wanted }) => [scope, wanted]));
  const objections = estate.compiled.scopes.flatMap(({ scope, wanted }): readonly Objection[] => {
    const now = wantedAfter.get(scope);
    if (now === undefined) throw new Error(`${scope} is gone from the edited specs`);
    const view = byScope.get(scope);
    if (view !== undefined) return objectionsTo({ before: view.input, after: now, accepted: named });
    return movedAddresses(wanted, now).map((address) => ({
      address,
      reason: 'the edited line states it too, and its target was not observed: leave out --target',
    }));
  });
  if (objections.length > 0) throw notExact(objections, accepted, estate);
  return looked.flatMap(({ scope, input }) => {
    const now = wantedAfter.get(scope.scope);
    const [was, is] = [compareScope(input), compareScope({ ...input, wanted: now ?? input.wanted })];
    return [...was.values()].flatMap(({ desired: { address }, changes }) =>
      !fields.has(address) && (is.get(address)?.changes.length ?? 0) < changes.length ? [address] : [],
    );
  });
}

function notExact(objections: readonly Objection[], accepted: readonly AcceptedDrift[], estate: Estate): UserError {
  const places = [...new Set(accepted.map(({ at }) => placeOf(at, estate)))];
  const listed = objections.slice(0, mostListed).map(({ address, field, reason }) => {
    const name = field === undefined ? '' : `${fieldNamed(field)} of `;
    return `${name}${address}: ${reason}`;
  });
  const more = objections.length - listed.length;
  return new UserError('An edit of the documents would change more than this drift. Nothing was changed.', {
    where: places.join(', '),
    why: `\n${[...listed, ...(more === 0 ? [] : [`and ${more} more`])].join('\n')}`,
    next: 'If these drifted alike, name them too, or the document as a whole. Otherwise edit the documents by hand.',
    code: exitCodes.refused,
  });
}

const mostListed = 10;

/** An edited file of the base is read by every overlay, and only one was planned. */
async function overlaysBeside(files: readonly ChangedFile[], { dir, tree }: Estate): Promise<readonly string[]> {
  if (files.every(({ path }) => layerOf(path) !== 'base')) return [];
  const found = await readdir(join(dir, 'overlays'), { withFileTypes: true }).catch(noFolder);
  return found.flatMap((entry) => (entry.isDirectory() && entry.name !== tree.overlay ? [entry.name] : [])).toSorted();
}

function noFolder(error: NodeJS.ErrnoException): readonly [] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

import type { Hash } from './digest.ts';
import { type Document, documentTitle, ownName, schemas } from './documents/document.ts';
import type { EditValue } from './documents/document-edit.ts';
import type { ResourceDoc } from './documents/effective-terms.ts';
import { patchFileName, treeOf } from './documents/overlay.ts';
import { type Located, plainValue, treeAt } from './documents/tree.ts';
import { canonical } from './ledger/canonical.ts';

/** A value of a field for a while. `null` removes the field. `was`: as the specs had it; absent: they did not state it. */
export interface PatchField {
  /** From the root of the document: `['spec', 'size']`. */
  readonly path: readonly string[];
  readonly value: EditValue | null;
  readonly was?: unknown;
}

/** Other values for fields of one document, until a time. `until`: ms since the epoch, by the store's clock. */
export interface PatchDraft {
  readonly kind: ResourceDoc['kind'];
  /** As `ownName` has it: of a group `<network>.<name>`. */
  readonly name: string;
  readonly fields: readonly PatchField[];
  readonly person: string;
  readonly reason: string;
  readonly until: number;
}

/** `id`: counts up in its estate. `isOver`: its time is over, and nobody has ended it yet. */
export interface Patch extends PatchDraft {
  readonly id: number;
  readonly at: number;
  readonly isOver: boolean;
}

/**
 * Why a patch ended.
 *
 *   as       | what happened
 *   ---------+-----------------------------------------------------------
 *   expired  | its time is over
 *   commit   | a commit changed one of its fields, or removed its document
 *   invalid  | with a commit the specs would not be valid beside it
 *   person   | a person ended it
 *   replaced | a person put another patch in its place
 */
export interface PatchEnd {
  readonly id: number;
  readonly as: 'expired' | 'commit' | 'invalid' | 'person' | 'replaced';
  /** For people. */
  readonly why: string;
  /** Absent: nobody in person. */
  readonly person?: string;
}

/** A patch that has ended. */
export interface EndedPatch extends Omit<Patch, 'isOver'> {
  readonly end: Omit<PatchEnd, 'id'> & { readonly at: number };
}

/** The revision of the specs alone, without patches and ends beside them. */
export const baseRevision = (revision: string): string => revision.split('~', 1)[0] ?? '';

/** Begins what follows the base where documents have ended, and no patch is beside it. */
const ends = 'ended-';

/** `, patched` where patches are beside the specs, and `, in part ended` where only documents have ended. */
export function besideText(revision: string): string {
  const beside = revision.split('~', 2)[1];
  if (beside === undefined) return '';
  return beside.startsWith(ends) ? ', in part ended' : ', patched';
}

/**
 * The revision with patches beside it, and without the documents that have ended: the same specs, patches and ends, the same text.
 * `ended`: the documents that are left out, in order.
 */
export function patchedRevision(
  base: string,
  { patches, ended }: { readonly patches: readonly Patch[]; readonly ended: readonly string[] },
  hash: Hash,
): string {
  if (patches.length + ended.length === 0) return base;
  const inOrder = patches.map(({ isOver: _, ...patch }) => patch).toSorted((a, b) => a.id - b.id);
  const text = canonical(ended.length === 0 ? inOrder : { patches: inOrder, ended });
  return `${base}~${patches.length === 0 ? ends : ''}${hash(text).slice(0, 12)}`;
}

/** A field as people write it: `size`, `labels.tier`. */
export const fieldText = (path: readonly string[]): string => path.slice(1).join('.');

/** The document of a patch among those of the specs. */
export const documentOf = (
  { kind, name }: Pick<PatchDraft, 'kind' | 'name'>,
  documents: readonly Located<Document>[],
): Located<Document> | undefined => documents.find(({ value }) => value.kind === kind && ownName(value) === name);

/** The written value of a field; undefined where nobody wrote one. */
export function writtenAt(document: Located<Document>, path: readonly string[]): unknown {
  const tree = treeAt(document.tree, path);
  return tree === undefined ? undefined : plainValue(tree);
}

/** Why a patch does not hold beside these specs; undefined: it holds. */
export function endBeside(patch: Patch, documents: readonly Located<Document>[]): PatchEnd | undefined {
  const { id } = patch;
  if (patch.isOver) return { id, as: 'expired', why: 'its time is over' };
  const document = documentOf(patch, documents);
  if (document === undefined) return { id, as: 'commit', why: `${documentTitle(patch)} is no longer in the specs` };
  const moved = patch.fields.find(({ path, was }) => !isSame(writtenAt(document, path), was));
  if (moved === undefined) return undefined;
  return { id, as: 'commit', why: `the specs changed \`${fieldText(moved.path)}\`` };
}

const isSame = (a: unknown, b: unknown): boolean =>
  a === undefined || b === undefined ? a === b : canonical(a) === canonical(b);

/** The patch as a file of a stored tree: the part of the document that it changes, in the tree of the document. */
export function patchFile(patch: Patch, document: Located<Document>): { readonly path: string; readonly text: string } {
  const { value } = document;
  const part = new Map<string, unknown>();
  set(part, ['metadata', 'name'], value.metadata.name);
  if (value.kind === 'Group') set(part, ['spec', 'network'], value.spec.network);
  for (const { path, value: given } of patch.fields) set(part, path, given);
  const text = JSON.stringify({ kind: patch.kind, ...plainMap(part) }, undefined, 2);
  return { path: `${treeOf(document.at().file)}${patchFileName(patch.id)}`, text };
}

/** Maps and no objects, as a field may have any name. */
function set(map: Map<string, unknown>, [step = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    map.set(step, value);
    return;
  }
  const inner = map.get(step);
  const below = inner instanceof Map ? inner : new Map<string, unknown>();
  map.set(step, below);
  set(below, rest, value);
}

const plainMap = (map: ReadonlyMap<string, unknown>): object =>
  Object.fromEntries([...map].map(([key, value]) => [key, value instanceof Map ? plainMap(value) : value]));

/** True where both set one field, or one sets a part of the other's. */
export const overlap = (a: PatchField, b: PatchField): boolean => {
  const [short, long] = a.path.length <= b.path.length ? [a.path, b.path] : [b.path, a.path];
  return short.every((step, at) => long[at] === step);
};

/** A field of a patch by which its document reaches machines of other documents, and so of other owners. */
export const reachingField = ({ kind, fields }: Pick<PatchDraft, 'kind' | 'fields'>): readonly string[] | undefined =>
  fields.find(({ path }) => reaching[kind]?.includes(fieldIn(path)))?.path;

const reaching: Readonly<Partial<Record<ResourceDoc['kind'], readonly string[]>>> = {
  FirewallRule: ['group', 'appliesTo', 'peers'],
  Instance: ['groups'],
};

/** The field of the spec, whatever target it is for; '' of the metadata. */
const fieldIn = ([root, ...steps]: readonly string[]): string =>
  (root === 'spec' ? steps[steps[0] === 'on' ? 2 : 0] : undefined) ?? '';

/** A field that a person named, or why no patch sets it. */
export type FieldReading =
  | { readonly path: readonly string[]; readonly refused?: never }
  | { readonly path?: never; readonly refused: string };

/**
 * The place of a field in its document, from its name as people write it.
 *
 *   given                       | place
 *   ----------------------------+---------------------------------------------------
 *   size, spec.size             | spec, size
 *   disk.size                   | spec, disk, size
 *   on.aws-prod.size            | spec, on, aws-prod, size
 *   labels.a.b, metadata.labels.a.b | metadata, labels, a.b: a label may have dots
 */
export function fieldPath(given: string): FieldReading {
  const [first = '', ...others] = given.split('.');
  const isWhole = first === 'spec' || first === 'metadata';
  const steps = isWhole ? others : [first, ...others];
  if (steps.length === 0 || steps.includes('') || /[[\]]/.test(given)) return { refused: noField };
  if (first === 'metadata') return metadataField(others);
  if (first === 'labels') return metadataField(steps);
  const inner = steps[0] === 'on' ? steps.slice(2) : steps;
  const [field] = inner;
  if (field === undefined) return { refused: 'it names no field of a target. Write: on.<target>.size' };
  // why: the checks of specs name an unknown field with the likely one
  if (patchable.has(field) || !specFields.has(field)) return { path: ['spec', ...steps] };
  return { refused: (Object.hasOwn(refusedFields, field) ? refusedFields[field] : undefined) ?? guard };
}

const noField =
  'it names no field. Write a field as in the spec: size, disk.size, labels.tier. A list is set as a whole';

function metadataField([field = '', ...rest]: readonly string[]): FieldReading {
  if (field === 'labels' && rest.length > 0) return { path: ['metadata', 'labels', rest.join('.')] };
  if (field === 'labels') return { refused: 'labels are set one by one: labels.tier=web' };
  return { refused: 'of the metadata, a patch sets labels only' };
}

const guard = 'it is a guard, and no patch changes a guard';
const place = 'it decides which object this is and where it stands';
const launch = 'a change of it replaces the machine';
const rights = 'it gives somebody rights';

/** Fields of `spec` that a patch sets. One that a kind gains is none of them until it stands here. */
const patchable: ReadonlySet<string> = new Set([
  ...['internet', 'default', 'cidr', 'subnets', 'groups', 'settings'],
  ...['direction', 'action', 'protocol', 'ports', 'icmp', 'protocols', 'group', 'appliesTo', 'peers', 'priority'],
  ...['description', 'disabled', 'log', 'replicas', 'subnet', 'size', 'disk', 'publicIp', 'power'],
]);

const specFields: ReadonlySet<string> = new Set(
  (['Network', 'Group', 'FirewallRule', 'Instance'] as const).flatMap((kind) =>
    Object.keys(schemas[kind].shape.spec.shape),
  ),
);

/** The reasons for the others; one without a reason here is a guard. */
const refusedFields: Readonly<Record<string, string>> = {
  targets: place,
  network: place,
  names: place,
  on: place,
  userData: launch,
  image: launch,
  access: rights,
  identity: rights,
};

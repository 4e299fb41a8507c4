import { invalid, notFound } from './errors.ts';
import { type Image, newestOf } from './images.ts';
import { checkedLabels } from './instance.ts';
import { mapOf, message, oneOf, text, whole } from './message.ts';
import { BASE, linkTo, nameIn, pathTo, referenceTo } from './place.ts';
import { freshNumber, type Project } from './project.ts';
import type { Disk, DiskSource, Json, Labels, Scope } from './records.ts';
import { checkedName, fingerprint, resourceJson, shown, timestamp } from './resource.ts';

export interface DiskDraft {
  readonly name: string;
  readonly scope: Scope;
  readonly image: string | undefined;
  readonly type: string | undefined;
  readonly sizeGb: number | undefined;
  readonly about: { readonly labels: Labels | undefined; readonly description: string | undefined };
}

/** The places of the draft in the request, as errors name them. */
interface DiskFields {
  readonly name: string;
  readonly image: string;
  readonly type: string;
  readonly size: string;
  readonly labels: string;
}

/** A disk as it will be, not yet put. Throws what a request is refused with at once, but for a name that is taken. */
export function plannedDisk(project: Project, now: number, draft: DiskDraft, fields: DiskFields): Disk {
  const { scope, about } = draft;
  const name = checkedName(draft.name, fields.name);
  const image = draft.image === undefined ? undefined : imageOf(project, draft.image, fields.image);
  const type = diskTypeOf(project, scope, draft.type, fields.type);
  return {
    id: `${scope}/disks/${name}`,
    number: freshNumber(project),
    name,
    scope,
    createdAt: now,
    description: about.description,
    type: type.name,
    sizeGb: sizeOf(draft.sizeGb, type, image, fields.size),
    labels: checkedLabels(about.labels, fields.labels),
    source: image && {
      project: image.project,
      image: image.name,
      imageNumber: image.number,
      architecture: image.content.architecture,
      licenses: image.content.licenses,
    },
    users: [],
    touched: { attachedAt: undefined, detachedAt: undefined },
  };
}

function diskTypeOf(project: Project, scope: Scope, value: string | undefined, field: string): DiskType {
  const id = value ? referenceTo(project, 'diskTypes', { value, field }) : `${scope}/diskTypes/${DEFAULT_DISK_TYPE}`;
  const type = id.startsWith(`${scope}/`) ? diskTypeNamed(nameIn(id)) : undefined;
  if (!type) throw notFound(pathTo(project, id));
  return type;
}

function sizeOf(wanted: number | undefined, type: DiskType, image: Image | undefined, field: string): number {
  const smallest = image?.content.diskSizeGb ?? type.smallestGb;
  const size = wanted || (image?.content.diskSizeGb ?? type.defaultGb);
  if (image && size < smallest)
    throw invalid(field, String(size), `Requested disk size cannot be smaller than the image size (${smallest} GB)`);
  if (size < type.smallestGb || size > type.largestGb)
    throw invalid(
      field,
      String(size),
      `Disk size must be between ${type.smallestGb} GB and ${type.largestGb} GB for type ${type.name}.`,
    );
  return size;
}

/** A disk in a request: https://docs.cloud.google.com/compute/docs/reference/rest/v1/disks */
export const diskMessage = message(
  {
    name: text,
    description: text,
    sizeGb: whole,
    type: text,
    sourceImage: text,
    labels: mapOf(text),
    architecture: oneOf('X86_64', 'ARM64'),
    accessMode: oneOf('READ_WRITE_SINGLE'),
    physicalBlockSizeBytes: oneOf('4096'),
  },
  {
    outputs: [
      'kind',
      'id',
      'creationTimestamp',
      'zone',
      'selfLink',
      'status',
      'users',
      'labelFingerprint',
      'lastAttachTimestamp',
      'lastDetachTimestamp',
      'sourceImageId',
      'sourceDiskId',
      'sourceSnapshotId',
      'sourceInstantSnapshotId',
      'sourceConsistencyGroupPolicy',
      'sourceConsistencyGroupPolicyId',
      'asyncSecondaryDisks',
      'resourceStatus',
      'satisfiesPzi',
      'satisfiesPzs',
    ],
    unmodelled: [
      'asyncPrimaryDisk',
      'diskEncryptionKey',
      'enableConfidentialCompute',
      'guestOsFeatures',
      'licenseCodes',
      'licenses',
      'locationHint',
      'options',
      'params',
      'provisionedIops',
      'provisionedThroughput',
      'region',
      'replicaZones',
      'resourcePolicies',
      'sourceDisk',
      'sourceImageEncryptionKey',
      'sourceInstantSnapshot',
      'sourceSnapshot',
      'sourceSnapshotEncryptionKey',
      'sourceStorageObject',
      'storagePool',
    ],
  },
);

export const resizeMessage = message({ sizeGb: whole });

export const labelsMessage = message({ labels: mapOf(text), labelFingerprint: text });

/** https://docs.cloud.google.com/compute/docs/reference/rest/v1/disks; numbers of 64 bits are strings. */
export function diskJson(project: Project, disk: Disk): Json {
  const { labels, touched, source, users } = disk;
  return shown({
    ...resourceJson(project, 'disk', disk),
    sizeGb: String(disk.sizeGb),
    zone: linkTo(project, disk.scope),
    status: 'READY',
    ...(source ? sourceJson(source) : {}),
    type: linkTo(project, `${disk.scope}/diskTypes/${disk.type}`),
    lastAttachTimestamp: touched.attachedAt === undefined ? undefined : timestamp(touched.attachedAt),
    lastDetachTimestamp: touched.detachedAt === undefined ? undefined : timestamp(touched.detachedAt),
    users: users.length > 0 ? users.map((id) => linkTo(project, id)) : undefined,
    labels: labels.size > 0 ? Object.fromEntries(labels) : undefined,
    labelFingerprint: fingerprint(labels),
    physicalBlockSizeBytes: '4096',
    enableConfidentialCompute: false,
    accessMode: 'READ_WRITE_SINGLE',
  });
}

function sourceJson({ project, image, imageNumber, architecture, licenses }: DiskSource): Json {
  return {
    sourceImage: `${BASE}projects/${project}/global/images/${image}`,
    sourceImageId: imageNumber,
    architecture,
    ...(licenses.length > 0 ? { licenses: licenses.map((license) => `${BASE}${license}`) } : {}),
    guestOsFeatures: [{ type: 'UEFI_COMPATIBLE' }, { type: 'VIRTIO_SCSI_MULTIQUEUE' }, { type: 'GVNIC' }],
  };
}

export interface DiskType {
  readonly name: string;
  readonly number: string;
  readonly description: string;
  readonly defaultGb: number;
  readonly smallestGb: number;
  readonly largestGb: number;
}

/** The type of a disk whose request names none: https://docs.cloud.google.com/compute/docs/disks/persistent-disks#disk-types */
const DEFAULT_DISK_TYPE = 'pd-standard';

/** Sizes: https://docs.cloud.google.com/compute/docs/disks/persistent-disks and .../disks/hyperdisks */
export const DISK_TYPES: readonly DiskType[] = [
  {
    name: 'hyperdisk-balanced',
    number: '30016',
    description: 'Hyperdisk Balanced Persistent Disk',
    defaultGb: 100,
    smallestGb: 4,
    largestGb: 65_536,
  },
  {
    name: 'pd-balanced',
    number: '30007',
    description: 'Balanced Persistent Disk',
    defaultGb: 100,
    smallestGb: 10,
    largestGb: 65_536,
  },
  {
    name: 'pd-ssd',
    number: '30002',
    description: 'SSD Persistent Disk',
    defaultGb: 100,
    smallestGb: 10,
    largestGb: 65_536,
  },
  {
    name: 'pd-standard',
    number: '30001',
    description: 'Standard Persistent Disk',
    defaultGb: 500,
    smallestGb: 10,
    largestGb: 65_536,
  },
];

export function diskTypeNamed(name: string): DiskType | undefined {
  return DISK_TYPES.find((type) => type.name === name);
}

/** Links may be on any host: gcloud names the one it was pointed at. */
const REFERENCE = /^(?:https?:\/\/[^/]+\/compute\/(?:v1|beta|alpha)\/)?(?:projects\/([^/]+)\/)?(.+)\/([^/]+)$/;

const IMAGES = 'global/images';

/** A family, or its view from a zone, `-` for the instance's own: gcloud names it so. */
const FAMILY = /^(?:global\/images\/family|zones\/[^/]+\/imageFamilyViews)$/;

/**
 * The image behind a reference: by name or by family, of this project or of another one.
 * https://docs.cloud.google.com/compute/docs/reference/rest/v1/instances, initializeParams.sourceImage
 */
export function imageOf(project: Project, value: string, field: string): Image {
  const [, owner = project.id, collection = '', name = ''] = REFERENCE.exec(value) ?? [];
  const images = owner === project.id ? [...project.images.values()] : project.imagesOf(owner);
  const byName = collection === IMAGES ? images.find((image) => image.name === name) : undefined;
  const found = FAMILY.test(collection) ? newestOf(images, name) : byName;
  if (!found) throw invalid(field, value, 'The referenced image resource cannot be found.');
  return found;
}

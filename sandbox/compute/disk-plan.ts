import { DEFAULT_DISK_TYPE, type DiskType, diskTypeNamed } from './disk-types.ts';
import { invalid, notFound } from './errors.ts';
import { imageOf } from './image-reference.ts';
import type { Image } from './images.ts';
import { checkedLabels } from './instance-marks.ts';
import type { Disk, Labels } from './instance-records.ts';
import { nameIn, pathTo, referenceTo } from './place.ts';
import { freshNumber, type Project } from './project.ts';
import type { Scope } from './records.ts';
import { checkedName } from './resource-name.ts';

/** What a request says of a disk to be made. */
export interface DiskWish {
  readonly name: string;
  readonly scope: Scope;
  readonly image: string | undefined;
  readonly type: string | undefined;
  readonly sizeGb: number | undefined;
  readonly about: { readonly labels: Labels | undefined; readonly description: string | undefined };
}

/** The places of the wish in the request, as errors name them. */
export interface DiskFields {
  readonly name: string;
  readonly image: string;
  readonly type: string;
  readonly size: string;
  readonly labels: string;
}

/** A disk as it will be, not yet put. Throws what a request is refused with at once, but for a name that is taken. */
export function plannedDisk(project: Project, now: number, wish: DiskWish, fields: DiskFields): Disk {
  const { scope, about } = wish;
  const name = checkedName(wish.name, fields.name);
  const image = wish.image === undefined ? undefined : imageOf(project, wish.image, fields.image);
  const type = diskTypeOf(project, scope, wish.type, fields.type);
  return {
    id: `${scope}/disks/${name}`,
    number: freshNumber(project),
    name,
    scope,
    createdAt: now,
    description: about.description,
    type: type.name,
    sizeGb: sizeOf(wish.sizeGb, type, image, fields.size),
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

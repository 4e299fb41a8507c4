import { alreadyExists, inUse } from './conflicts.ts';
import { type DiskWish, plannedDisk } from './disk-plan.ts';
import { invalid, required } from './errors.ts';
import type { AttachedDiskMessage } from './instance-disk-message.ts';
import type { AttachedDisk, Disk } from './instance-records.ts';
import { pathTo, referenceTo } from './place.ts';
import type { Project } from './project.ts';
import type { Scope } from './records.ts';

/** The disks of a machine to be: those to make with it, and how all are attached, the boot disk first. */
export interface DisksPlan {
  readonly fresh: readonly Disk[];
  readonly attached: readonly AttachedDisk[];
}

interface Machine {
  readonly project: Project;
  readonly now: number;
  readonly scope: Scope;
  readonly name: string;
}

const FIELD = 'resource.disks';

/** Throws what a request is refused with at once. */
export function disksPlan(machine: Machine, given: readonly AttachedDiskMessage[] | undefined): DisksPlan {
  const disks = given ?? [];
  if (disks.length === 0) throw invalid(FIELD, '', 'No disks are specified.');
  if (!disks[0]?.boot)
    throw invalid(`${FIELD}[0].boot`, 'false', 'Boot disk must be the first disk attached to the instance.');
  const planned = disks.map((disk, index) => plannedOf(machine, disk, index));
  checkTwice(planned.map(({ attached }) => attached));
  return { fresh: planned.flatMap(({ fresh }) => fresh ?? []), attached: planned.map(({ attached }) => attached) };
}

interface Planned {
  readonly fresh: Disk | undefined;
  readonly attached: AttachedDisk;
}

function plannedOf(machine: Machine, given: AttachedDiskMessage, index: number): Planned {
  const at = `${FIELD}[${index}]`;
  const boot = given.boot ?? false;
  if (boot && index > 0) throw invalid(`${at}.boot`, 'true', 'Only one disk can be the boot disk.');
  if (given.source && given.initializeParams) throw invalid(at, '', 'Cannot specify both source and initializeParams.');
  const fresh = given.source ? undefined : freshDisk(machine, given, at);
  const disk = fresh ?? existingDisk(machine, given, at);
  return {
    fresh,
    attached: {
      diskId: disk.id,
      deviceName: given.deviceName || `persistent-disk-${index}`,
      boot,
      autoDelete: given.autoDelete ?? false,
      mode: given.mode ?? 'READ_WRITE',
    },
  };
}

/** A name that is taken is refused, whatever the discovery document says: https://github.com/hashicorp/terraform/issues/7998 */
function freshDisk({ project, now, scope, name }: Machine, given: AttachedDiskMessage, at: string): Disk {
  const params = given.initializeParams ?? {};
  if (given.boot && !params.sourceImage) throw invalid(at, '', 'Boot disk must have a source specified');
  const wish: DiskWish = {
    name: params.diskName || name,
    scope,
    image: params.sourceImage,
    type: params.diskType,
    sizeGb: params.diskSizeGb ?? given.diskSizeGb,
    about: { labels: params.labels, description: params.description },
  };
  const fields = `${at}.initializeParams`;
  const disk = plannedDisk(project, now, wish, {
    name: `${fields}.diskName`,
    image: `${fields}.sourceImage`,
    type: `${fields}.diskType`,
    size: `${fields}.diskSizeGb`,
    labels: `${fields}.labels`,
  });
  const taken = project.disks.get(disk.id);
  if (taken?.users[0] !== undefined) throw inUse('disk', pathTo(project, disk.id), pathTo(project, taken.users[0]));
  if (taken) throw alreadyExists(pathTo(project, disk.id));
  return disk;
}

function existingDisk({ project, scope }: Machine, { source, mode }: AttachedDiskMessage, at: string): Disk {
  if (!source) throw required(`${at}.source`);
  const field = `${at}.source`;
  const id = referenceTo(project, 'disks', { value: source, field });
  const disk = project.disks.get(id);
  if (!disk || disk.scope !== scope) throw invalid(field, source, 'The referenced disk resource cannot be found.');
  const [user] = disk.users;
  if (user !== undefined && mode !== 'READ_ONLY') throw inUse('disk', pathTo(project, id), pathTo(project, user));
  return disk;
}

function checkTwice(attached: readonly AttachedDisk[]): void {
  for (const [index, { diskId, deviceName }] of attached.entries()) {
    const before = attached.slice(0, index);
    if (before.some((other) => other.diskId === diskId))
      throw invalid(`${FIELD}[${index}]`, diskId, 'The disk is named twice.');
    if (before.some((other) => other.deviceName === deviceName))
      throw invalid(`${FIELD}[${index}].deviceName`, deviceName, 'Device names must be unique.');
  }
}

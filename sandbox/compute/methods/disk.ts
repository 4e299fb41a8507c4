import { diskJson, diskMessage, diskTypeNamed, labelsMessage, plannedDisk, resizeMessage } from '../disk.ts';
import { conditionNotMet, inUse, invalid, notFound, notReady, required } from '../errors.ts';
import { checkedLabels } from '../instance.ts';
import { aggregatedList, type Listing, list, SCOPES, seenIn } from '../listing.ts';
import {
  type Asked,
  type Context,
  aggregatedList as everywhere,
  get,
  list as inZone,
  type Method,
  write,
} from '../method.ts';
import { begin } from '../operation.ts';
import { pathTo } from '../place.ts';
import type { Disk, Operation, Scope } from '../records.ts';
import { fingerprint, mustBeFree } from '../resource.ts';

const DISKS = 'zones/{zone}/disks';

const DISK = `${DISKS}/{disk}`;

/** https://docs.cloud.google.com/compute/docs/reference/rest/v1/disks */
export const diskMethods: readonly Method[] = [
  get({
    id: 'compute.disks.get',
    path: DISK,
    run: ({ project }, { at }) => {
      const id = `zones/${at['zone']}/disks/${at['disk']}`;
      const disk = project.disks.see(id);
      if (!disk) throw notFound(pathTo(project, id));
      return diskJson(project, disk);
    },
  }),
  inZone({
    id: 'compute.disks.list',
    path: DISKS,
    run: (context, asked) => {
      const scope: Scope = `zones/${asked.at['zone']}`;
      return list(context, asked, scope, listing(context, 'compute#diskList', scope));
    },
  }),
  everywhere({
    id: 'compute.disks.aggregatedList',
    path: 'aggregated/disks',
    run: (context, asked) => {
      const scopes = [...SCOPES.regions, ...SCOPES.zones];
      return aggregatedList(context, asked, scopes, listing(context, 'compute#diskAggregatedList'));
    },
  }),
  write({
    id: 'compute.disks.insert',
    verb: 'POST',
    path: DISKS,
    query: ['sourceImage'],
    run: (context, asked) => insertDisk(context, asked),
  }),
  write({
    id: 'compute.disks.delete',
    verb: 'DELETE',
    path: DISK,
    run: (context, asked) => {
      const { project } = context;
      const disk = targetDisk(context, asked);
      const [user] = disk.users;
      if (user !== undefined) throw inUse('disk', pathTo(project, disk.id), pathTo(project, user));
      return changed(context, disk, { type: 'delete', finish: () => project.disks.remove(disk.id) });
    },
  }),
  write({
    id: 'compute.disks.resize',
    verb: 'POST',
    path: `${DISK}/resize`,
    run: (context, asked) => {
      const disk = targetDisk(context, asked);
      const sizeGb = checkedGrowth(disk, resizeMessage(asked.body ?? {}, 'resource').sizeGb);
      return changed(context, disk, { type: 'resizeDisk', finish: () => changeDisk(context, disk, { sizeGb }) });
    },
  }),
  write({
    id: 'compute.disks.setLabels',
    verb: 'POST',
    path: `${DISKS}/{resource}/setLabels`,
    run: (context, asked) => {
      const disk = targetDisk(context, asked);
      const given = labelsMessage(asked.body ?? {}, 'resource');
      if (given.labelFingerprint !== fingerprint(disk.labels))
        throw conditionNotMet('Labels fingerprint either invalid or resource labels have changed');
      const labels = checkedLabels(given.labels, 'resource.labels');
      return changed(context, disk, { type: 'setLabels', finish: () => changeDisk(context, disk, { labels }) });
    },
  }),
];

function listing({ project }: Context, kind: string, scope?: Scope): Listing<Disk> {
  return {
    collection: 'disks',
    kind,
    records: seenIn(project.disks, scope),
    render: (disk) => diskJson(project, disk),
  };
}

function insertDisk(context: Context, { at, query, body }: Asked): Operation {
  const { project, now } = context;
  const { name = '', type, sizeGb, sourceImage, labels, description } = diskMessage(body ?? {}, 'resource');
  const disk = plannedDisk(
    project,
    now,
    {
      name,
      scope: `zones/${at['zone']}`,
      image: query['sourceImage'] ?? sourceImage,
      type,
      sizeGb,
      about: { labels, description },
    },
    {
      name: 'resource.name',
      image: 'resource.sourceImage',
      type: 'resource.type',
      size: 'resource.sizeGb',
      labels: 'resource.labels',
    },
  );
  mustBeFree(project, project.disks, disk.id);
  return changed(context, disk, { type: 'insert', finish: () => project.disks.put(disk) });
}

function targetDisk({ project }: Context, { at }: Asked): Disk {
  const id = `zones/${at['zone']}/disks/${at['disk'] ?? at['resource']}`;
  const disk = project.disks.target(id);
  if (!disk) throw notFound(pathTo(project, id));
  if (project.held.has(id)) throw notReady(pathTo(project, id));
  return disk;
}

/** A disk only grows: https://docs.cloud.google.com/compute/docs/disks/resize-persistent-disk */
function checkedGrowth({ sizeGb, type }: Disk, wanted: number | undefined): number {
  if (!wanted) throw required('sizeGb');
  if (wanted <= sizeGb)
    throw invalid('sizeGb', String(wanted), `New disk size '${wanted}' must be larger than existing size '${sizeGb}'.`);
  const largest = diskTypeNamed(type)?.largestGb ?? wanted;
  if (wanted > largest)
    throw invalid('sizeGb', String(wanted), `Disk size must be at most ${largest} GB for type ${type}.`);
  return wanted;
}

interface Work {
  readonly type: string;
  readonly finish: () => void;
}

function changed(context: Context, target: Disk, work: Work): Operation {
  return begin(context, { ...work, target, ms: context.project.durations.change });
}

/** A machine may have taken or left the disk meanwhile. */
function changeDisk({ project }: Context, disk: Disk, change: Partial<Pick<Disk, 'sizeGb' | 'labels'>>): void {
  project.disks.put({ ...(project.disks.get(disk.id) ?? disk), ...change });
}

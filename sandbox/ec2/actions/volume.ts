import { type Action, type Context, dryRun, read, write } from '../action.ts';
import { refused } from '../errors.ts';
import { ID, target } from '../ids.ts';
import { describe, type Listing, listFields } from '../listing.ts';
import { integer, list, text } from '../query.ts';
import type { Volume, VolumeModification } from '../records.ts';
import type { Region } from '../region.ts';
import { tagSet } from '../tags.ts';
import { diskOf } from '../volume.ts';
import { el, set, time, wrap } from '../xml.ts';

/** https://docs.aws.amazon.com/ebs/latest/userguide/modify-volume-requirements.html */
const BETWEEN_MODIFICATIONS_MS = 6 * 3_600_000;

export const volumeActions: readonly Action[] = [
  read({
    name: 'DescribeVolumes',
    fields: { ...listFields, ...dryRun, VolumeId: list(text) },
    run: (context, input) => describe(context, input, input.VolumeId, volumeListing(context)),
  }),
  write({
    name: 'ModifyVolume',
    fields: { ...dryRun, VolumeId: text, Size: integer, VolumeType: text, Iops: integer, Throughput: integer },
    run: ({ region, now }, input) => {
      const volume = target(region.volumes, ID.volume, input.VolumeId, 'volumeId');
      refuseTooSoon(volume, now);
      const { disk } = volume;
      const type = input.VolumeType ?? disk.type;
      const kept = type === disk.type && type !== 'gp2' ? disk : undefined;
      const { Size: size = disk.size, Iops: iops = kept?.iops, Throughput: throughput = kept?.throughput } = input;
      if (size < disk.size) throw refused('InvalidParameterValue', 'New size cannot be smaller than existing size');
      const next = diskOf({ ...disk, type, size, iops, throughput });
      const modification: VolumeModification = {
        state: 'modifying',
        original: disk,
        target: next,
        startedAt: now,
        endedAt: undefined,
      };
      region.volumes.put({ ...volume, modification });
      region.timeline.schedule(now + region.durations.modifyVolume / 2, () =>
        progress(region, volume.id, 'optimizing', undefined),
      );
      region.timeline.schedule(now + region.durations.modifyVolume, () =>
        progress(region, volume.id, 'completed', now + region.durations.modifyVolume),
      );
      return wrap('volumeModification', modificationXml(volume.id, modification));
    },
  }),
  read({
    name: 'DescribeVolumesModifications',
    fields: { ...listFields, ...dryRun, VolumeId: list(text) },
    run: (context, input) => {
      const named = input.VolumeId?.map((id) => target(context.region.volumes, ID.volume, id, 'volumeId')).find(
        (volume) => !volume.modification,
      );
      if (named)
        throw refused('InvalidVolumeModification.NotFound', `Modification for volume '${named.id}' does not exist.`);
      return describe(context, input, input.VolumeId, modificationListing(context));
    },
  }),
];

function refuseTooSoon({ id, modification }: Volume, now: number): void {
  if (!modification) return;
  if (modification.state !== 'completed')
    throw refused(
      'IncorrectModificationState',
      `The volume ${id} has a modification that is still ${modification.state}`,
    );
  if (now - modification.startedAt < BETWEEN_MODIFICATIONS_MS) {
    throw refused(
      'VolumeModificationRateExceeded',
      `You've reached the maximum modification rate per volume limit. Wait at least 6 hours between modifications per EBS volume.`,
    );
  }
}

/** The new size shows as soon as the volume is optimizing. */
function progress(region: Region, id: string, state: VolumeModification['state'], endedAt: number | undefined): void {
  const volume = region.volumes.get(id);
  if (volume?.modification)
    region.volumes.put({
      ...volume,
      disk: volume.modification.target,
      modification: { ...volume.modification, state, endedAt },
    });
}

function volumeListing(context: Context): Listing<Volume> {
  return {
    set: 'volumeSet',
    table: context.region.volumes,
    rules: { ids: ID.volume, max: 1000, idsExcludePages: 'volumeSet' },
    filters: {
      'volume-id': (volume) => [volume.id],
      'attachment.instance-id': (volume) => [volume.attachment?.instanceId],
      'attachment.device': (volume) => [volume.attachment?.device],
      'attachment.status': (volume) => [volume.attachment && 'attached'],
      'attachment.delete-on-termination': (volume) => [
        volume.attachment && String(volume.attachment.deleteOnTermination),
      ],
      'availability-zone': (volume) => [volume.zone],
      encrypted: (volume) => [String(volume.disk.encrypted)],
      size: (volume) => [String(volume.disk.size)],
      status: (volume) => [status(volume)],
      'volume-type': (volume) => [volume.disk.type],
    },
    render: volumeXml,
  };
}

function modificationListing(context: Context): Listing<Volume> {
  return {
    set: 'volumeModificationSet',
    table: context.region.volumes,
    rules: { ids: ID.volume, max: 500 },
    filters: { 'volume-id': (volume) => [volume.id], 'modification-state': (volume) => [volume.modification?.state] },
    render: (volume) => (volume.modification ? modificationXml(volume.id, volume.modification) : ''),
  };
}

function status(volume: Volume): string {
  return volume.attachment ? 'in-use' : 'available';
}

function volumeXml(volume: Volume): string {
  const { disk, attachment } = volume;
  const attached = attachment
    ? [
        el('volumeId', volume.id) +
          el('instanceId', attachment.instanceId) +
          el('device', attachment.device) +
          el('status', 'attached') +
          el('attachTime', time(attachment.at)) +
          el('deleteOnTermination', attachment.deleteOnTermination),
      ]
    : [];
  return (
    el('volumeId', volume.id) +
    el('size', disk.size) +
    el('snapshotId', disk.snapshotId) +
    el('availabilityZone', volume.zone) +
    el('status', status(volume)) +
    el('createTime', time(volume.createdAt)) +
    set('attachmentSet', attached) +
    tagSet(volume.tags) +
    el('volumeType', disk.type) +
    el('iops', disk.iops) +
    el('throughput', disk.throughput) +
    el('encrypted', disk.encrypted) +
    el('multiAttachEnabled', false)
  );
}

const PROGRESS = { modifying: 0, optimizing: 50, completed: 100 } as const;

function modificationXml(
  volumeId: string,
  { state, original, target: next, startedAt, endedAt }: VolumeModification,
): string {
  const side = (name: string, disk: Volume['disk']): string =>
    el(`${name}Size`, disk.size) +
    el(`${name}Iops`, disk.iops) +
    el(`${name}VolumeType`, disk.type) +
    el(`${name}Throughput`, disk.throughput) +
    el(`${name}MultiAttachEnabled`, false);
  return (
    el('volumeId', volumeId) +
    el('modificationState', state) +
    side('original', original) +
    side('target', next) +
    el('progress', PROGRESS[state]) +
    el('startTime', time(startedAt)) +
    el('endTime', endedAt === undefined ? undefined : time(endedAt))
  );
}

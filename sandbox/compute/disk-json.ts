import { fingerprint } from './fingerprint.ts';
import type { Disk, DiskSource } from './instance-records.ts';
import { BASE, linkTo } from './place.ts';
import type { Project } from './project.ts';
import type { Json } from './records.ts';
import { resourceJson, shown } from './resource-json.ts';
import { timestamp } from './timestamp.ts';

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

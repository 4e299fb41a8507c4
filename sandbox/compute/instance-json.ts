import { BASE, linkTo } from './place.ts';
import type { Project } from './project.ts';
import type { AccessConfig, AttachedDisk, Instance, Json, Marks, Nic } from './records.ts';
import { fingerprint, resourceJson, shown, timestamp } from './resource.ts';

/** https://docs.cloud.google.com/compute/docs/reference/rest/v1/instances; what is empty is absent. */
export function instanceJson(project: Project, instance: Instance): Json {
  const { power, hardware, nic, disks, marks, settings } = instance;
  return shown({
    ...resourceJson(project, 'instance', instance),
    ...marksJson(marks),
    machineType: linkTo(project, `${instance.scope}/machineTypes/${hardware.machineType}`),
    status: power.status,
    zone: linkTo(project, instance.scope),
    canIpForward: hardware.canIpForward,
    networkInterfaces: [nicJson(project, nic)],
    disks: disks.map((disk, index) => attachedJson(project, disk, index)),
    serviceAccounts: filled(settings.serviceAccounts),
    scheduling: settings.scheduling,
    cpuPlatform: power.status === 'TERMINATED' ? 'Unknown CPU Platform' : hardware.cpuPlatform,
    startRestricted: false,
    deletionProtection: settings.deletionProtection,
    shieldedInstanceConfig: {
      enableSecureBoot: hardware.shielded.secureBoot,
      enableVtpm: hardware.shielded.vtpm,
      enableIntegrityMonitoring: hardware.shielded.integrityMonitoring,
    },
    shieldedInstanceIntegrityPolicy: { updateAutoLearnPolicy: true },
    fingerprint: fingerprint([hardware, nic, disks, [...marks.labels], marks.tags, settings]),
    lastStartTimestamp: power.startedAt === undefined ? undefined : timestamp(power.startedAt),
    lastStopTimestamp: power.stoppedAt === undefined ? undefined : timestamp(power.stoppedAt),
  });
}

function filled<T>(items: readonly T[]): readonly T[] | undefined {
  return items.length > 0 ? items : undefined;
}

export function metadataFingerprint({ metadata }: Marks): string {
  return fingerprint([['metadata'], ...metadata]);
}

function marksJson(marks: Marks): Json {
  const { labels, tags, metadata } = marks;
  const items = [...metadata].map(([key, value]) => ({ key, value }));
  return {
    tags: shown({ items: filled(tags), fingerprint: fingerprint(tags) }),
    metadata: shown({ kind: 'compute#metadata', fingerprint: metadataFingerprint(marks), items: filled(items) }),
    labels: labels.size > 0 ? Object.fromEntries(labels) : undefined,
    labelFingerprint: fingerprint(labels),
  };
}

function nicJson(project: Project, nic: Nic): Json {
  return shown({
    kind: 'compute#networkInterface',
    network: linkTo(project, nic.network),
    subnetwork: linkTo(project, nic.subnetwork),
    networkIP: nic.address,
    name: nic.name,
    accessConfigs: nic.access && [accessJson(nic.access)],
    fingerprint: fingerprint([nic]),
    stackType: 'IPV4_ONLY',
  });
}

function accessJson({ name, tier, natIp }: AccessConfig): Json {
  return shown({ kind: 'compute#accessConfig', type: 'ONE_TO_ONE_NAT', name, natIP: natIp, networkTier: tier });
}

/** The attachment of a disk, with the few fields of the disk that instances repeat. */
function attachedJson(project: Project, attached: AttachedDisk, index: number): Json {
  const disk = project.disks.get(attached.diskId);
  const source = disk?.source;
  return shown({
    kind: 'compute#attachedDisk',
    type: 'PERSISTENT',
    mode: attached.mode,
    source: linkTo(project, attached.diskId),
    deviceName: attached.deviceName,
    index,
    boot: attached.boot,
    autoDelete: attached.autoDelete,
    licenses: source && filled(source.licenses.map((license) => `${BASE}${license}`)),
    architecture: source?.architecture,
    interface: 'SCSI',
    diskSizeGb: disk && String(disk.sizeGb),
  });
}

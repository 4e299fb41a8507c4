import { addressNumber, addressText, type Cidr, parseCidr } from '../cidr.ts';
import { invalid, refused } from './errors.ts';
import { flag, listOf, mapOf, message, oneOf, text, whole } from './message.ts';
import { BASE, linkTo, nameIn, pathTo } from './place.ts';
import type { Project } from './project.ts';
import type { AccessConfig, AttachedDisk, Instance, Json, Labels, Marks, Nic, Subnetwork } from './records.ts';
import { fingerprint, referenced, resourceJson, shown, timestamp } from './resource.ts';
import { zoneNamed } from './zones.ts';

export const accessConfigMessage = message(
  { name: text, type: oneOf('ONE_TO_ONE_NAT'), networkTier: oneOf('PREMIUM', 'STANDARD') },
  {
    outputs: ['kind'],
    unmodelled: [
      'natIP',
      'setPublicPtr',
      'publicPtrDomainName',
      'externalIpv6',
      'externalIpv6PrefixLength',
      'securityPolicy',
    ],
  },
);

/** An interface in a request: https://docs.cloud.google.com/compute/docs/reference/rest/v1/instances */
const nicMessage = message(
  {
    network: text,
    subnetwork: text,
    networkIP: text,
    accessConfigs: listOf(accessConfigMessage),
    stackType: oneOf('IPV4_ONLY'),
    nicType: oneOf('GVNIC', 'VIRTIO_NET'),
  },
  {
    outputs: ['kind', 'name', 'fingerprint', 'ipv6AccessType'],
    unmodelled: [
      'aliasIpRanges',
      'aliasIpv6Ranges',
      'ipv6Address',
      'ipv6AccessConfigs',
      'internalIpv6PrefixLength',
      'networkAttachment',
      'queueCount',
      'enableVpcScopedDns',
      'igmpQuery',
      'parentNicName',
      'serviceClassId',
      'vlan',
    ],
  },
);

type NicMessage = ReturnType<typeof nicMessage>;

const initializeParams = message(
  {
    diskName: text,
    diskSizeGb: whole,
    diskType: text,
    sourceImage: text,
    labels: mapOf(text),
    description: text,
    architecture: oneOf('X86_64', 'ARM64'),
  },
  {
    unmodelled: [
      'sourceSnapshot',
      'sourceImageEncryptionKey',
      'sourceSnapshotEncryptionKey',
      'resourcePolicies',
      'resourceManagerTags',
      'provisionedIops',
      'provisionedThroughput',
      'enableConfidentialCompute',
      'storagePool',
      'licenses',
      'onUpdateAction',
      'replicaZones',
    ],
  },
);

/** A disk of an instance in a request: https://docs.cloud.google.com/compute/docs/reference/rest/v1/instances */
const attachedDiskMessage = message(
  {
    boot: flag,
    autoDelete: flag,
    deviceName: text,
    source: text,
    initializeParams,
    mode: oneOf('READ_WRITE', 'READ_ONLY'),
    type: oneOf('PERSISTENT'),
    interface: oneOf('SCSI'),
    diskSizeGb: whole,
  },
  {
    outputs: ['kind', 'index', 'licenses', 'architecture', 'guestOsFeatures'],
    unmodelled: ['diskEncryptionKey', 'forceAttach', 'savedState', 'shieldedInstanceInitialState'],
  },
);

export type AttachedDiskMessage = ReturnType<typeof attachedDiskMessage>;

export const tagsMessage = message({ items: listOf(text), fingerprint: text });

export const metadataMessage = message(
  { items: listOf(message({ key: text, value: text })), fingerprint: text },
  { outputs: ['kind'] },
);

export const serviceAccountMessage = message({ email: text, scopes: listOf(text) });

const scheduling = message(
  {
    onHostMaintenance: oneOf('MIGRATE', 'TERMINATE'),
    automaticRestart: flag,
    preemptible: flag,
    provisioningModel: oneOf('STANDARD', 'SPOT'),
  },
  {
    outputs: ['terminationTime'],
    unmodelled: [
      'instanceTerminationAction',
      'maxRunDuration',
      'minNodeCpus',
      'nodeAffinities',
      'availabilityDomain',
      'hostErrorTimeoutSeconds',
      'localSsdRecoveryTimeout',
      'locationHint',
      'onInstanceStopAction',
      'gracefulShutdown',
      'exposeHostTopology',
      'preemptionNoticeDuration',
      'skipGuestOsShutdown',
    ],
  },
);

const shielded = message({ enableSecureBoot: flag, enableVtpm: flag, enableIntegrityMonitoring: flag });

/**
 * An instance in a request. It names every field of Google's: the sandbox reads it, ignores it because only the server sets
 * it, or refuses it because the sandbox does not model it.
 * https://docs.cloud.google.com/compute/docs/reference/rest/v1/instances
 */
export const instanceMessage = message(
  {
    name: text,
    description: text,
    machineType: text,
    canIpForward: flag,
    deletionProtection: flag,
    disks: listOf(attachedDiskMessage),
    networkInterfaces: listOf(nicMessage),
    labels: mapOf(text),
    tags: tagsMessage,
    metadata: metadataMessage,
    serviceAccounts: listOf(serviceAccountMessage),
    scheduling,
    shieldedInstanceConfig: shielded,
  },
  {
    outputs: [
      'kind',
      'id',
      'zone',
      'selfLink',
      'status',
      'statusMessage',
      'cpuPlatform',
      'creationTimestamp',
      'fingerprint',
      'labelFingerprint',
      'lastStartTimestamp',
      'lastStopTimestamp',
      'lastSuspendedTimestamp',
      'resourceStatus',
      'satisfiesPzi',
      'satisfiesPzs',
      'startRestricted',
    ],
    unmodelled: [
      'advancedMachineFeatures',
      'confidentialInstanceConfig',
      'displayDevice',
      'guestAccelerators',
      'hostname',
      'instanceEncryptionKey',
      'keyRevocationActionType',
      'localSsdEncryptionMode',
      'minCpuPlatform',
      'networkPerformanceConfig',
      'params',
      'privateIpv6GoogleAccess',
      'reservationAffinity',
      'resourcePolicies',
      'shieldedInstanceIntegrityPolicy',
      'sourceMachineImage',
      'sourceMachineImageEncryptionKey',
      'workloadIdentityConfig',
    ],
  },
);

export type InstanceMessage = ReturnType<typeof instanceMessage>;

/** https://docs.cloud.google.com/compute/docs/labeling-resources#requirements; international letters are allowed. */
const LABEL_KEY = /^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]{0,62}$/u;

const LABEL_VALUE = /^[\p{Ll}\p{Lo}\p{N}_-]{0,63}$/u;

const MOST_LABELS = 64;

/** https://docs.cloud.google.com/vpc/docs/add-remove-network-tags#restrictions */
const TAG = /^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

const MOST_TAGS = 64;

/** https://docs.cloud.google.com/compute/docs/metadata/setting-custom-metadata#limitations, in bytes */
const METADATA_KEY = /^[a-zA-Z0-9-_]{1,128}$/;

const METADATA_VALUE = 262_144;

const METADATA_TOTAL = 524_288;

export function checkedLabels(given: Labels | undefined, field: string): Labels {
  const labels = given ?? new Map<string, string>();
  if (labels.size > MOST_LABELS)
    throw invalid(field, '', `The number of labels can be at most ${MOST_LABELS}, but ${labels.size} were given.`);
  for (const [key, value] of labels) {
    if (!LABEL_KEY.test(key))
      throw invalid(
        field,
        '',
        `Label key '${key}' violates format constraints. The key must start with a lowercase character, can only contain lowercase letters, numeric characters, underscores and dashes. The key can be at most 63 characters long. International characters are allowed.`,
      );
    if (!LABEL_VALUE.test(value))
      throw invalid(
        field,
        '',
        `Label value '${value}' violates format constraints. The value can only contain lowercase letters, numeric characters, underscores and dashes. The value can be at most 63 characters long. International characters are allowed.`,
      );
  }
  return labels;
}

export function checkedTags(items: readonly string[] | undefined, field: string): Marks['tags'] {
  const tags = items ?? [];
  if (tags.length > MOST_TAGS) throw invalid(field, '', `The number of tags can be at most ${MOST_TAGS}.`);
  for (const [index, tag] of tags.entries())
    if (!TAG.test(tag))
      throw invalid(`${field}[${index}]`, tag, "Must be a match of regex '(?:[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?)'");
  const twice = tags.find((tag, index) => tags.indexOf(tag) !== index);
  if (twice !== undefined) throw invalid(field, twice, 'Duplicate tags are not allowed.');
  return tags;
}

export function checkedMetadata(given: ReturnType<typeof metadataMessage> | undefined, field: string): Labels {
  const metadata = new Map<string, string>();
  let bytes = 0;
  for (const [index, { key = '', value = '' }] of (given?.items ?? []).entries()) {
    const at = `${field}.items[${index}]`;
    if (!METADATA_KEY.test(key)) throw invalid(`${at}.key`, key, "Must be a match of regex '[a-zA-Z0-9-_]{1,128}'");
    if (metadata.has(key)) throw invalid(field, key, `Metadata has duplicate keys: ${key}`);
    const size = Buffer.byteLength(value);
    if (size > METADATA_VALUE) throw invalid(`${at}.value`, `${size} bytes`, `At most ${METADATA_VALUE} bytes.`);
    bytes += key.length + size;
    metadata.set(key, value);
  }
  if (bytes > METADATA_TOTAL) throw invalid(field, `${bytes} bytes`, `At most ${METADATA_TOTAL} bytes in all.`);
  return metadata;
}

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

/** The planned network interface of a new machine. */
export interface NicPlan {
  readonly subnetwork: Subnetwork;
  readonly wanted: string | undefined;
  readonly access: AccessConfig | undefined;
}

type AccessMessage = NonNullable<NicMessage['accessConfigs']>[number];

/** Throws what a request is refused with at once. The sandbox models one interface a machine. */
export function nicPlan(project: Project, zone: string, given: readonly NicMessage[] | undefined): NicPlan {
  const [nic, ...more] = given ?? [];
  const field = 'resource.networkInterfaces';
  if (!nic) throw invalid(field, '', 'At least one network interface is required.');
  if (more.length > 0)
    throw invalid(field, `${more.length + 1} interfaces`, 'The sandbox models only one: leave the others out.');
  const at = `${field}[0]`;
  const subnetwork = subnetworkOf(project, zone, nic);
  return {
    subnetwork,
    wanted: nic.networkIP ? checkedAddress(subnetwork, nic.networkIP, `${at}.networkIP`) : undefined,
    access: accessOf(nic.accessConfigs, at),
  };
}

function subnetworkOf(project: Project, zone: string, { network, subnetwork }: NicMessage): Subnetwork {
  const at = 'resource.networkInterfaces[0]';
  const wanted = network
    ? referenced(
        project,
        { table: project.networks, collection: 'networks' },
        { value: network, field: `${at}.network` },
      )
    : undefined;
  // The sandbox's networks are custom: https://docs.cloud.google.com/vpc/docs/vpc#subnet-ranges
  if (!subnetwork) throw invalid(at, network ?? '', 'Subnetwork should be specified for custom subnetmode network');
  const field = `${at}.subnetwork`;
  const place = { table: project.subnetworks, collection: 'subnetworks' };
  const found = referenced(project, place, { value: subnetwork, field });
  if (nameIn(found.scope) !== zoneNamed(zone)?.region)
    throw invalid(field, subnetwork, `The subnetwork must be in the region of zone ${zone}.`);
  if (wanted && found.network !== wanted.id)
    throw invalid(field, subnetwork, `The specified subnetwork is not in network '${network}'.`);
  return found;
}

function accessOf(given: readonly AccessMessage[] | undefined, at: string): AccessConfig | undefined {
  const [access, ...more] = given ?? [];
  if (more.length > 0) throw invalid(`${at}.accessConfigs`, '', 'At most one access config currently supported.');
  return access && accessConfig(access);
}

/** Defaults of an access config, as the discovery document has them. */
export function accessConfig({ name, networkTier }: AccessMessage): AccessConfig {
  return { name: name || 'External NAT', tier: networkTier ?? 'PREMIUM', natIp: undefined };
}

/**
 * Of a subnetwork's range Google keeps the first two addresses (the network and the gateway) and the last two:
 * https://docs.cloud.google.com/vpc/docs/subnets#unusable-ip-addresses-in-every-subnet
 */
const FIRST_HOST = 2n;

const KEPT = 4;

/** The address that a request names lies where a machine may have one. Throws if not. */
function checkedAddress({ cidr }: Subnetwork, wanted: string, field: string): string {
  const block = parseCidr(cidr, 'ipv4');
  const parsed = addressNumber(wanted);
  if (!block || parsed?.family !== 'ipv4') throw invalid(field, wanted, 'Must be a valid IPV4 address.');
  if (parsed.number < block.first + FIRST_HOST || parsed.number > block.last - FIRST_HOST)
    throw invalid(field, wanted, 'Requested internal IP address is outside the network/subnetwork CIDR range.');
  return addressText(parsed.number, 'ipv4');
}

/** Takes the wanted address of a subnetwork, or the next free one. What it throws is how the operation fails. */
export function takeAddress(project: Project, subnetwork: Subnetwork, wanted: string | undefined): string {
  const taken = project.addresses.get(subnetwork.id) ?? new Set<string>();
  project.addresses.set(subnetwork.id, taken);
  if (wanted !== undefined && taken.has(wanted))
    throw refused('ipInUseByAnotherResource', `IP '${wanted}' is already being used by another resource.`);
  const address = wanted ?? nextFree(parseCidr(subnetwork.cidr, 'ipv4'), taken);
  if (address === undefined)
    throw refused('ipSpaceExhausted', `IP space of '${pathTo(project, subnetwork.id)}' is exhausted.`);
  taken.add(address);
  return address;
}

export function releaseAddress(project: Project, subnetworkId: string, address: string): void {
  project.addresses.get(subnetworkId)?.delete(address);
}

/** Addresses of the primary range that machines hold, and that they may still get. */
export function utilizationOf(
  project: Project,
  { id, cidr }: Subnetwork,
): { readonly taken: number; readonly free: number } {
  const taken = project.addresses.get(id)?.size ?? 0;
  return { taken, free: hostsIn(parseCidr(cidr, 'ipv4')) - taken };
}

const hostsIn = (block: Cidr | undefined): number => (block ? Number(block.last - block.first) + 1 - KEPT : 0);

function nextFree(block: Cidr | undefined, taken: ReadonlySet<string>): string | undefined {
  const hosts = hostsIn(block);
  for (let step = 0; block && step < hosts; step++) {
    const address = addressText(block.first + FIRST_HOST + BigInt((taken.size + step) % hosts), 'ipv4');
    if (!taken.has(address)) return address;
  }
  return undefined;
}

/** An ephemeral external address, from the block that RFC 2544 sets aside for such trials. */
export function freshExternalAddress({ random }: Project): string {
  const part = (): number => Math.floor(random() * 256);
  return `198.${18 + Math.floor(random() * 2)}.${part()}.${part()}`;
}

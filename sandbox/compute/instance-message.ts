import { flag, listOf, mapOf, message, oneOf, text, whole } from './message.ts';

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

export type NicMessage = ReturnType<typeof nicMessage>;

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

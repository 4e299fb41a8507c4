import { attachedDiskMessage } from './instance-disk-message.ts';
import { nicMessage } from './instance-nic-message.ts';
import { listOf, mapOf } from './wire/collection.ts';
import { message } from './wire/message.ts';
import { flag, oneOf, text } from './wire/scalar.ts';

/**
 * What a request may say of an instance. All that Google has is here by name: read, ignored because only the server
 * sets it, or refused because the sandbox does not model it.
 * https://docs.cloud.google.com/compute/docs/reference/rest/v1/instances
 */

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

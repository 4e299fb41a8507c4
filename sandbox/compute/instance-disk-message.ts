import { mapOf } from './wire/collection.ts';
import { message } from './wire/message.ts';
import { flag, oneOf, text, whole } from './wire/scalar.ts';

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

/** What a request may say of a disk of an instance: https://docs.cloud.google.com/compute/docs/reference/rest/v1/instances */
export const attachedDiskMessage = message(
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

import { mapOf } from './wire/collection.ts';
import { message } from './wire/message.ts';
import { oneOf, text, whole } from './wire/scalar.ts';

/** What a request may say of a disk: https://docs.cloud.google.com/compute/docs/reference/rest/v1/disks */
export const diskMessage = message(
  {
    name: text,
    description: text,
    sizeGb: whole,
    type: text,
    sourceImage: text,
    labels: mapOf(text),
    architecture: oneOf('X86_64', 'ARM64'),
    accessMode: oneOf('READ_WRITE_SINGLE'),
    physicalBlockSizeBytes: oneOf('4096'),
  },
  {
    outputs: [
      'kind',
      'id',
      'creationTimestamp',
      'zone',
      'selfLink',
      'status',
      'users',
      'labelFingerprint',
      'lastAttachTimestamp',
      'lastDetachTimestamp',
      'sourceImageId',
      'sourceDiskId',
      'sourceSnapshotId',
      'sourceInstantSnapshotId',
      'sourceConsistencyGroupPolicy',
      'sourceConsistencyGroupPolicyId',
      'asyncSecondaryDisks',
      'resourceStatus',
      'satisfiesPzi',
      'satisfiesPzs',
    ],
    unmodelled: [
      'asyncPrimaryDisk',
      'diskEncryptionKey',
      'enableConfidentialCompute',
      'guestOsFeatures',
      'licenseCodes',
      'licenses',
      'locationHint',
      'options',
      'params',
      'provisionedIops',
      'provisionedThroughput',
      'region',
      'replicaZones',
      'resourcePolicies',
      'sourceDisk',
      'sourceImageEncryptionKey',
      'sourceInstantSnapshot',
      'sourceSnapshot',
      'sourceSnapshotEncryptionKey',
      'sourceStorageObject',
      'storagePool',
    ],
  },
);

export const resizeMessage = message({ sizeGb: whole });

export const labelsMessage = message({ labels: mapOf(text), labelFingerprint: text });

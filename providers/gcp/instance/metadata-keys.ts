import type { Mark } from '../../../src/core/observed.ts';
import type { Labels } from '../../../src/core/resource.ts';
import { lastOf } from '../links.ts';
import { readLabels } from '../marks/labels.ts';
import type { Instance, Metadata } from '../messages.ts';

/** Setpoint's metadata keys: inputs of the launch that the API does not return. */
export const metadataKeys = {
  image: 'setpoint-image',
  userData: 'setpoint-user-data',
  access: 'setpoint-access',
  mark: 'setpoint-mark',
} as const;

export const markOf = (instance: Instance, project: string): Mark | undefined =>
  readLabels(instance.labels ?? {}, placeIn(instance, project), readMetadata(instance.metadata)[metadataKeys.mark]);

export const placeIn = ({ zone }: Instance, project: string): string => `gcp/${project}/${lastOf(zone ?? '')}`;

export const readMetadata = (metadata: Metadata | null | undefined): Labels =>
  Object.fromEntries((metadata?.items ?? []).flatMap(({ key, value }) => (key ? [[key, value ?? '']] : [])));

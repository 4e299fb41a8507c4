import { fingerprint } from './fingerprint.ts';
import type { Image } from './images.ts';
import { BASE } from './place.ts';
import type { Json } from './records.ts';
import { timestamp } from './timestamp.ts';

/** https://docs.cloud.google.com/compute/docs/reference/rest/v1/images */
export function imageJson({ number, name, createdAt, description, project, content, shelf }: Image): Json {
  const { family, labels, replacedBy } = shelf;
  const link = (image: string): string => `${BASE}projects/${project}/global/images/${image}`;
  return {
    kind: 'compute#image',
    id: number,
    creationTimestamp: timestamp(createdAt),
    name,
    ...(description === undefined ? {} : { description }),
    sourceType: 'RAW',
    ...(replacedBy === undefined ? {} : { deprecated: { state: 'DEPRECATED', replacement: link(replacedBy) } }),
    status: 'READY',
    diskSizeGb: String(content.diskSizeGb),
    ...(content.licenses.length > 0 ? { licenses: content.licenses.map((license) => `${BASE}${license}`) } : {}),
    ...(family === undefined ? {} : { family }),
    selfLink: link(name),
    ...(labels.size > 0 ? { labels: Object.fromEntries(labels) } : {}),
    labelFingerprint: fingerprint(labels),
    architecture: content.architecture,
    enableConfidentialCompute: false,
  };
}

import { listOf, mapOf, object, optional } from '../json.ts';
import { oneOf, pattern, scalar } from '../json-scalar.ts';
import { ZONES } from './zones.ts';

/**
 * The machines of a project, as a file says them: what `instances`, `disks` and `images` of `estate-form.ts` hold. All of
 * it is optional but what a line marks as required.
 *
 * ```json
 * { "images": [{ "name": "web-v1",                             required
 *     "family": "web", "sizeGb": 20, "architecture": "ARM64", "labels": {} }],
 *   "disks": [{ "name": "data", "zone": "europe-west1-b",      required
 *     "sizeGb": 100, "type": "pd-ssd", "image": "…", "labels": {} }],
 *   "instances": [{ "name": "web", "zone": "europe-west1-b", "subnetwork": "app",     required
 *     "count": 3,                                              web-0, web-1, web-2
 *     "machineType": "e2-small", "image": "projects/debian-cloud/global/images/family/debian-12",
 *     "status": "TERMINATED", "externalIp": true, "address": "10.0.1.5", "labels": {}, "tags": ["web"], "metadata": {},
 *     "serviceAccount": "web@acme-prod.iam.gserviceaccount.com", "deletionProtection": true, "canIpForward": true,
 *     "disk": { "sizeGb": 20, "type": "pd-ssd", "autoDelete": false, "labels": {} }, "description": "…" }] }
 * ```
 */
const text = scalar('string');

const number = scalar('number');

const flag = scalar('boolean');

const labels = optional(mapOf(text));

const zone = oneOf(...ZONES.map(({ name }) => name));

const name = pattern(/^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$/, 'a name of lower-case letters, digits and dashes');

const image = object({
  name,
  family: optional(name),
  sizeGb: optional(number),
  architecture: optional(oneOf('X86_64', 'ARM64')),
  description: optional(text),
  labels,
});

const disk = object({
  name,
  zone,
  sizeGb: optional(number),
  type: optional(text),
  image: optional(text),
  description: optional(text),
  labels,
});

const instance = object({
  name,
  zone,
  subnetwork: name,
  count: optional(number),
  machineType: optional(text),
  image: optional(text),
  status: optional(oneOf('RUNNING', 'TERMINATED')),
  externalIp: optional(flag),
  address: optional(text),
  labels,
  tags: optional(listOf(text)),
  metadata: optional(mapOf(text)),
  serviceAccount: optional(text),
  deletionProtection: optional(flag),
  canIpForward: optional(flag),
  disk: optional(object({ sizeGb: optional(number), type: optional(text), autoDelete: optional(flag), labels })),
  description: optional(text),
});

/** Fields of a project's form. */
export const machineFields = {
  images: optional(listOf(image)),
  disks: optional(listOf(disk)),
  instances: optional(listOf(instance)),
} as const;

export type ImageForm = ReturnType<typeof image>;

export type DiskForm = ReturnType<typeof disk>;

export type InstanceForm = ReturnType<typeof instance>;

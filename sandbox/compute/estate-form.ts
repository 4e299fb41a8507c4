import { listOf, mapOf, object, oneOf, optional, pattern, type Reader, scalar } from '../json.ts';
import { REGIONS, ZONES } from './zones.ts';

/**
 * The machines of a project, as a file says them: what `instances`, `disks` and `images` hold. All of
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
const machineFields = {
  images: optional(listOf(image)),
  disks: optional(listOf(disk)),
  instances: optional(listOf(instance)),
} as const;

export type ImageForm = ReturnType<typeof image>;

export type DiskForm = ReturnType<typeof disk>;

export type InstanceForm = ReturnType<typeof instance>;

/**
 * The contents of projects, as a file gives them. Every field is optional unless its line says "required".
 *
 * ```json
 * { "projects": [{
 *   "project": "acme-prod",                                    required
 *   "networks": [{
 *     "name": "core",                                          required
 *     "description": "…", "mtu": 1460, "routingMode": "GLOBAL",
 *     "internet": true,                                        default: with the default route to the internet
 *     "subnetworks": [{ "name": "app", "region": "europe-west1", "cidr": "10.0.1.0/24", "description": "…" }],
 *     "firewalls": [{ "name": "web", "allowed": [{ "IPProtocol": "tcp", "ports": ["443"] }] }],
 *     "routes": [{ "name": "…", "destRange": "…", "nextHopGateway": "…" }]
 *   }],
 *   "images": […], "disks": […], "instances": […]              their form: below
 * }] }
 * ```
 *
 * Firewalls and routes are told as the API's own messages, without their network.
 */
/** Kept as it is; read later by whoever knows its form. */
const anything: Reader<unknown> = (value) => value;

const subnetwork = object({
  name,
  region: oneOf(...REGIONS.map((region) => region.name)),
  cidr: text,
  description: optional(text),
});

const network = object({
  name,
  description: optional(text),
  mtu: optional(scalar('number')),
  routingMode: optional(oneOf('REGIONAL', 'GLOBAL')),
  internet: optional(scalar('boolean')),
  subnetworks: optional(listOf(subnetwork)),
  firewalls: optional(listOf(anything)),
  routes: optional(listOf(anything)),
});

const project = object({
  project: text,
  networks: optional(listOf(network)),
  ...machineFields,
});

export const readEstate = object({ projects: listOf(project) });

export type ProjectForm = ReturnType<typeof project>;

export type NetworkForm = ReturnType<typeof network>;

import { listOf, object, optional, type Reader } from '../json.ts';
import { oneOf, pattern, scalar } from '../json-scalar.ts';
import { machineFields } from './instance-estate-form.ts';
import { REGIONS } from './zones.ts';

/**
 * What projects hold, as a file says it. All of it is optional but what a line marks as required.
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
 *   "images": […], "disks": […], "instances": […]              their form: `instance-estate-form.ts`
 * }] }
 * ```
 *
 * Firewalls and routes are told as the API's own messages, without their network.
 */
const text = scalar('string');

/** Kept as it is; read later by whoever knows its form. */
const anything: Reader<unknown> = (value) => value;

const name = pattern(/^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$/, 'a name of lower-case letters, digits and dashes');

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

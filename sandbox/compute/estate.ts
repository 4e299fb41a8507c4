import { type Cidr, overlaps } from '../cidr.ts';
import { JsonProblem, listOf, mapOf, moment, object, oneOf, optional, pattern, type Reader, scalar } from '../json.ts';
import { Refused } from '../protocol.ts';
import { plannedDisk } from './disk.ts';
import { firewallContent, firewallMessage } from './firewall.ts';
import { policyRule, policyRuleMessage, predefinedRules } from './firewall-policy.ts';
import { IMAGE_STATES, type Image } from './images.ts';
import { freshExternalAddress, type InstanceMessage } from './instance.ts';
import { putInstance } from './instance-insert.ts';
import { withNat } from './instance-power.ts';
import { networkContent } from './network.ts';
import { peeringContent, refreshPeeringRoutes } from './peering.ts';
import { freshNumber, type Project } from './project.ts';
import type { Network, Peering } from './records.ts';
import { checkedName, mustBeFree } from './resource.ts';
import { addInternetRoute, addSubnetworkRoutes, routeContent, routeMessage } from './route.ts';
import { newRouter, routerMessage } from './router.ts';
import { blocksIn, checkedRange, secondaryOf } from './subnetwork.ts';
import { REGIONS, ZONES, zoneNamed } from './zones.ts';

/**
 * The machines of a project, as a file says them: what `instances`, `disks` and `images` hold. All of
 * it is optional but what a line marks as required.
 *
 * ```json
 * { "images": [{ "name": "web-v1",                             required
 *     "family": "web", "sizeGb": 20, "architecture": "ARM64", "labels": {}, "creationTimestamp": "2023-01-31T08:00:00Z",
 *     "deprecated": { "state": "OBSOLETE", "replacement": "web-v2" } }],
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
  creationTimestamp: optional(moment),
  deprecated: optional(object({ state: oneOf(...IMAGE_STATES), replacement: optional(name) })),
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

type ImageForm = ReturnType<typeof image>;

type DiskForm = ReturnType<typeof disk>;

type InstanceForm = ReturnType<typeof instance>;

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
 *     "internalIpv6Range": "fd20:0:1::/48",
 *     "subnetworks": [{ "name": "app", "region": "europe-west1", "cidr": "10.0.1.0/24", "description": "…",
 *       "secondaryRanges": [{ "name": "pods", "cidr": "10.8.0.0/16" }], "privateGoogleAccess": true,
 *       "internalIpv6Prefix": "fd20:0:1::/64", "externalIpv6Prefix": "2600:1900:4000:1::/64" }],
 *     "firewalls": [{ "name": "web", "allowed": [{ "IPProtocol": "tcp", "ports": ["443"] }] }],
 *     "routes": [{ "name": "…", "destRange": "…", "nextHopGateway": "…" }],
 *     "routers": [{ "name": "hub", "region": "europe-west1", "nats": [{ "name": "…", … }] }],
 *     "peerings": [{ "name": "far", "network": "projects/acme-prod/global/networks/far",
 *       "connected": true }]                                   of another project: that its network leads back
 *   }],
 *   "policies": [{ "parent": "organizations/1", "shortName": "baseline", "rules": [{ "priority": 100, … }] }],
 *                                                              firewall policies above the project, the highest first
 *   "images": […], "disks": […], "instances": […]              their form: below
 * }],
 * "imageProjects": [{ "project": "somebody", "images": […] }] }   both required; projects of others, who let everybody use these
 * ```
 *
 * Firewalls, routes, routers and rules of policies are told as the API's own messages, without their network.
 */
/** Kept as it is; read later by whoever knows its form. */
const anything: Reader<unknown> = (value) => value;

const region = oneOf(...REGIONS.map((one) => one.name));

const subnetwork = object({
  name,
  region,
  cidr: text,
  description: optional(text),
  secondaryRanges: optional(listOf(object({ name, cidr: text }))),
  privateGoogleAccess: optional(flag),
  internalIpv6Prefix: optional(text),
  externalIpv6Prefix: optional(text),
});

const network = object({
  name,
  description: optional(text),
  mtu: optional(scalar('number')),
  routingMode: optional(oneOf('REGIONAL', 'GLOBAL')),
  internet: optional(scalar('boolean')),
  internalIpv6Range: optional(text),
  enforcementOrder: optional(oneOf('AFTER_CLASSIC_FIREWALL', 'BEFORE_CLASSIC_FIREWALL')),
  subnetworks: optional(listOf(subnetwork)),
  firewalls: optional(listOf(anything)),
  routes: optional(listOf(anything)),
  routers: optional(listOf(anything)),
  peerings: optional(listOf(object({ name, network: text, connected: optional(flag) }))),
});

const project = object({
  project: text,
  networks: optional(listOf(network)),
  policies: optional(listOf(object({ parent: text, shortName: name, rules: listOf(anything) }))),
  ...machineFields,
});

const imageProject = object({
  project: pattern(/^[a-z][a-z0-9-]{2,28}[a-z0-9]$/, 'the id of a project'),
  images: listOf(image),
});

export const readEstate = object({ projects: listOf(project), imageProjects: optional(listOf(imageProject)) });

/** `imageProject`: a project of somebody else, which exists from then on. */
interface ProjectsOf {
  readonly project: (id: string) => Project;
  readonly imageProject: (id: string) => Project;
}

type ProjectForm = ReturnType<typeof project>;

type NetworkForm = ReturnType<typeof network>;

/** Puts what a file says into the world, as if it had long been there. Throws a `JsonProblem` that says where. */
export function loadEstate(document: unknown, of: ProjectsOf, now: number): void {
  const { projects, imageProjects = [] } = readEstate(document, '');
  imageProjects.forEach(({ project: id, images }, index) => {
    const loading = { project: of.imageProject(id), now, path: `imageProjects[${index}]` };
    loadMachines(loading, { images, disks: undefined, instances: undefined });
  });
  projects.forEach((form, index) => {
    const path = `projects[${index}]`;
    const project = explained({ path }, () => of.project(form.project));
    loadProject({ project, now, path }, form);
  });
}

function loadProject(loading: Loading, { networks = [], policies = [], ...machines }: ProjectForm): void {
  policies.forEach((policy, index) => {
    loadPolicy(within(loading, `policies[${index}]`), policy);
  });
  networks.forEach((network, index) => {
    loadNetwork(within(loading, `networks[${index}]`), network);
  });
  if (networks.some(({ peerings }) => peerings?.length)) refreshPeeringRoutes(loading.project);
  loadMachines(loading, machines);
}

/** Its name is a number, "a numeric ID allocated by Google Cloud", says the discovery document. */
function loadPolicy(
  loading: Loading,
  { parent, shortName, rules }: NonNullable<ProjectForm['policies']>[number],
): void {
  const { project, now } = loading;
  const number = freshNumber(project);
  const own = explained(loading, () =>
    rules.map((rule, index) => policyRule(policyRuleMessage(rule, `rules[${index}]`), `rules[${index}]`)),
  );
  project.inheritedPolicies.push({
    ...{ id: `locations/global/firewallPolicies/${number}`, number, name: number, scope: 'global', createdAt: now },
    description: undefined,
    rules: [...own, ...predefinedRules],
    associations: [],
    parent: { id: parent, shortName },
  });
}

function loadNetwork(loading: Loading, form: NetworkForm): void {
  const { project, now } = loading;
  const { name, description, mtu, routingMode, internalIpv6Range, enforcementOrder } = form;
  const id = `global/networks/${name}`;
  const network = explained(loading, (): Network => {
    mustBeFree(project, project.networks, id);
    const content = networkContent(project, {
      autoCreateSubnetworks: false,
      ...(description === undefined ? {} : { description }),
      ...(mtu === undefined ? {} : { mtu }),
      ...(routingMode === undefined ? {} : { routingConfig: { routingMode } }),
      ...(enforcementOrder === undefined ? {} : { networkFirewallPolicyEnforcementOrder: enforcementOrder }),
      ...(internalIpv6Range === undefined ? {} : { enableUlaInternalIpv6: true, internalIpv6Range }),
    });
    return { id, number: freshNumber(project), name, scope: 'global', createdAt: now, peerings: [], ...content };
  });
  project.networks.put(withPeerings(loading, network, form.peerings ?? []));
  if (form.internet ?? true) addInternetRoute(project, network);
  loadSubnetworks(loading, network, form.subnetworks ?? []);
  form.firewalls?.forEach((each, index) => {
    loadFirewall(within(loading, `firewalls[${index}]`), network, each);
  });
  form.routes?.forEach((each, index) => {
    loadRoute(within(loading, `routes[${index}]`), network, each);
  });
  form.routers?.forEach((each, index) => {
    loadRouter(within(loading, `routers[${index}]`), network, each);
  });
}

function withPeerings(loading: Loading, network: Network, forms: NonNullable<NetworkForm['peerings']>): Network {
  const peerings: Peering[] = [];
  for (const [index, { name, network: peer, connected = false }] of forms.entries()) {
    const networkPeering = { name, network: peer, exchangeSubnetRoutes: true };
    const peering = explained(within(loading, `peerings[${index}]`), () =>
      peeringContent(loading.project, { ...network, peerings }, { networkPeering }),
    );
    peerings.push({ ...peering, isConnected: connected });
  }
  return { ...network, peerings };
}

function loadRouter(loading: Loading, network: Network, form: unknown): void {
  const { project, now } = loading;
  explained(loading, () => {
    const given = routerMessage(form, 'router');
    const scope = `regions/${region(given.region, `${loading.path}.region`)}` as const;
    project.routers.put(newRouter(project, given, { scope, network: network.id, createdAt: now }));
  });
}

/** Overlaps are looked for once over all, in order of range: one by one they would cost the square of thousands. */
function loadSubnetworks(loading: Loading, network: Network, forms: NonNullable<NetworkForm['subnetworks']>): void {
  const { project, now } = loading;
  const ranges = forms.flatMap((form, index) => {
    const { name, region, cidr, description } = form;
    const here = within(loading, `subnetworks[${index}]`);
    const scope = `regions/${region}` as const;
    const id = `${scope}/subnetworks/${name}`;
    const [range, secondary] = explained(here, () => {
      mustBeFree(project, project.subnetworks, id);
      const secondaryIpRanges = (form.secondaryRanges ?? []).map((one) => ({
        rangeName: one.name,
        ipCidrRange: one.cidr,
      }));
      return [checkedRange(cidr), secondaryOf({ secondaryIpRanges })];
    });
    const subnetwork = project.subnetworks.put({
      id,
      number: freshNumber(project),
      name,
      scope,
      createdAt: now,
      description,
      network: network.id,
      cidr: range.text,
      secondary,
      ipv6: { internal: form.internalIpv6Prefix, external: form.externalIpv6Prefix },
      privateGoogleAccess: form.privateGoogleAccess ?? false,
      log: undefined,
    });
    addSubnetworkRoutes(project, subnetwork);
    return blocksIn(subnetwork).map((block) => ({ range: block, path: here.path }));
  });
  mustNotOverlap(ranges);
}

function mustNotOverlap(ranges: readonly { readonly range: Cidr; readonly path: string }[]): void {
  const sorted = ranges.toSorted((a, b) => (a.range.first < b.range.first ? -1 : 1));
  for (const [index, { range, path }] of sorted.entries()) {
    const before = sorted[index - 1];
    if (before && overlaps(before.range, range))
      throw new JsonProblem(`${path}.cidr: ${range.text} overlaps ${before.range.text} of ${before.path}`);
  }
}

function loadFirewall(loading: Loading, network: Network, form: unknown): void {
  const { project, now } = loading;
  explained(loading, () => {
    const given = firewallMessage(form, 'firewall');
    const name = checkedName(given.name);
    const id = `global/firewalls/${name}`;
    mustBeFree(project, project.firewalls, id);
    const content = firewallContent(given);
    const place = { id, number: freshNumber(project), name, scope: 'global', createdAt: now } as const;
    project.firewalls.put({ ...place, network: network.id, ...content });
  });
}

function loadRoute(loading: Loading, network: Network, form: unknown): void {
  const { project, now } = loading;
  explained(loading, () => {
    const given = routeMessage(form, 'route');
    const name = checkedName(given.name);
    const id = `global/routes/${name}`;
    mustBeFree(project, project.routes, id);
    const content = routeContent(project, given);
    const place = { id, number: freshNumber(project), name, scope: 'global', createdAt: now } as const;
    project.routes.put({ ...place, network: network.id, ...content });
  });
}

interface MachineForms {
  readonly images: readonly ImageForm[] | undefined;
  readonly disks: readonly DiskForm[] | undefined;
  readonly instances: readonly InstanceForm[] | undefined;
}

/** Machines that have long been there, after the networks that they are in. */
function loadMachines(loading: Loading, { images = [], disks = [], instances = [] }: MachineForms): void {
  const each = <T>(forms: readonly T[], name: string, load: (loading: Loading, form: T) => void): void => {
    for (const [index, form] of forms.entries()) {
      const here = within(loading, `${name}[${index}]`);
      explained(here, () => load(here, form));
    }
  };
  each(images, 'images', loadImage);
  each(disks, 'disks', loadDisk);
  each(instances, 'instances', loadInstances);
}

function loadImage({ project, now }: Loading, form: ImageForm): void {
  const { name, family, sizeGb = 10, architecture = 'X86_64', description, labels = new Map<string, string>() } = form;
  const { creationTimestamp: createdAt = now, deprecated } = form;
  const image: Image = {
    id: `global/images/${name}`,
    number: freshNumber(project),
    name,
    scope: 'global',
    createdAt,
    description,
    project: project.id,
    content: { diskSizeGb: sizeGb, architecture, licenses: [] },
    metadata: { family, labels, deprecated },
  };
  mustBeFree(project, project.images, image.id);
  project.images.put(image);
}

function loadDisk({ project, now }: Loading, { name, zone, image, type, sizeGb, description, labels }: DiskForm): void {
  const draft = {
    name,
    scope: `zones/${zone}`,
    image,
    type: type === undefined ? undefined : `zones/${zone}/diskTypes/${type}`,
    sizeGb,
    about: { labels, description },
  } as const;
  const fields = { name: 'name', image: 'image', type: 'type', size: 'sizeGb', labels: 'labels' };
  const disk = plannedDisk(project, now, draft, fields);
  mustBeFree(project, project.disks, disk.id);
  project.disks.put(disk);
}

function loadInstances(loading: Loading, form: InstanceForm): void {
  const { count, name } = form;
  if (form.address !== undefined && count !== undefined && count > 1)
    throw new JsonProblem(`${loading.path}: ${count} instances cannot share one address`);
  const names = count === undefined ? [name] : Array.from({ length: count }, (_, index) => `${name}-${index}`);
  for (const each of names) loadInstance(loading, each, form);
}

function loadInstance({ project, now }: Loading, name: string, form: InstanceForm): void {
  const instance = putInstance({ project, now }, `zones/${form.zone}`, messageOf(name, form));
  const running = form.status !== 'TERMINATED';
  project.instances.put({
    ...instance,
    nic: withNat(instance.nic, running ? freshExternalAddress(project) : undefined),
    power: { status: running ? 'RUNNING' : 'TERMINATED', startedAt: now, stoppedAt: running ? undefined : now },
  });
}

const IMAGE = 'projects/debian-cloud/global/images/family/debian-12';

function messageOf(name: string, form: InstanceForm): InstanceMessage {
  const { zone, machineType = 'e2-small', image = IMAGE, disk, metadata = new Map<string, string>() } = form;
  const { description, deletionProtection = false, canIpForward = false, labels = new Map<string, string>() } = form;
  return {
    name,
    machineType: `zones/${zone}/machineTypes/${machineType}`,
    deletionProtection,
    canIpForward,
    labels,
    ...(description === undefined ? {} : { description }),
    tags: { items: form.tags ?? [] },
    metadata: { items: [...metadata].map(([key, value]) => ({ key, value })) },
    serviceAccounts: form.serviceAccount === undefined ? [] : [{ email: form.serviceAccount }],
    networkInterfaces: [nicOf(form)],
    disks: [{ boot: true, autoDelete: disk?.autoDelete ?? true, initializeParams: paramsOf(zone, image, disk) }],
  };
}

function nicOf({ zone, subnetwork, externalIp, address }: InstanceForm) {
  return {
    subnetwork: `regions/${zoneNamed(zone)?.region}/subnetworks/${subnetwork}`,
    ...(address === undefined ? {} : { networkIP: address }),
    accessConfigs: externalIp ? [{}] : [],
  };
}

function paramsOf(zone: string, sourceImage: string, disk: InstanceForm['disk']) {
  return {
    sourceImage,
    ...(disk?.sizeGb === undefined ? {} : { diskSizeGb: disk.sizeGb }),
    ...(disk?.type === undefined ? {} : { diskType: `zones/${zone}/diskTypes/${disk.type}` }),
    ...(disk?.labels === undefined ? {} : { labels: disk.labels }),
  };
}

/** An estate half loaded. */
interface Loading {
  readonly project: Project;
  readonly now: number;
  /** The current position in the document. */
  readonly path: string;
}

/** The same, further in. */
function within(loading: Loading, step: string): Loading {
  return { ...loading, path: `${loading.path}.${step}` };
}

/** Adds the position in the document to a refusal of the API. */
export function explained<T>({ path }: Pick<Loading, 'path'>, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof Refused) throw new JsonProblem(`${path}: ${error.refusal.message}`, { cause: error });
    throw error;
  }
}

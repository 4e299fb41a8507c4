import { type Cidr, contains, parseCidr } from '../cidr.ts';
import { JsonProblem, listOf, mapOf, moment, object, oneOf, optional, pattern, type Reader, scalar } from '../json.ts';
import { explained, idOf, type Loading, named, subnetOf } from './estate-loading.ts';
import {
  addMainRoute,
  loadNatGateway,
  loadPeering,
  loadRouteTable,
  natGateway,
  peering,
  routeTable,
} from './estate-routing.ts';
import { checkedCredits } from './instance.ts';
import { associateProfile } from './instance-profile.ts';
import { checkedUserData } from './launch.ts';
import { freshPublicIp, launchInterface, takeAddress } from './network-interface.ts';
import type {
  FurtherBlock,
  Image,
  Instance,
  Ipv6Block,
  Power,
  SecurityGroup,
  StateReason,
  Subnet,
  Vpc,
} from './records.ts';
import { freshId, type Region } from './region.ts';
import { type Permission, rulesOf } from './security-group-rules.ts';
import { tagsIn } from './sharing.ts';
import { noTags } from './tags.ts';
import { diskOf } from './volume.ts';
import { allowAllEgress, blocksOf, makeVpcParts } from './vpc.ts';

/**
 * The contents of accounts, as a file gives them. Every field is optional unless its line says "required".
 *
 * ```json
 * { "regions": [{
 *   "account": "111122223333", "region": "eu-west-1",          required
 *   "defaultVpc": true,                                        as AWS makes it, with a subnet in each zone
 *   "images": [{ "id": "ami-…", "name": "…", "rootSize": 8,
 *     "owner": "444455556666", "ownerAlias": "aws-marketplace",  left out: the account; none
 *     "creationDate": "2023-01-31T08:00:00Z", "deprecationTime": "2025-01-31T08:00:00Z" }],
 *   "vpcs": [{
 *     "key": "core", "cidr": "10.0.0.0/16",                    required
 *     "sharedBy": "444455556666",                              another account shares it, and all in it, through RAM
 *     "id": "vpc-…", "tags": { "Name": "core" }, "dnsHostnames": true, "ipv6": "2600:1f18:…::/56",
 *     "further": ["10.1.0.0/16"],                              blocks besides these two
 *     "gateway": { "id": "igw-…", "tags": {} },
 *     "subnets": [{ "key": "app", "cidr": "10.0.1.0/24", "zone": "a", "id": "…", "tags": {}, "publicIp": true, "ipv6": "…::/64" }],
 *     "routeTables": [{ "id": "…", "tags": {}, "subnets": ["app"],
 *       "routes": [{ "to": "0.0.0.0/0", "via": "gateway" }, { "to": "pl-…", "via": "vpce-…" },
 *         { "to": "10.9.0.0/16", "via": "vgw-…", "propagated": true }] }],
 *     "groups": [{ "key": "web", "name": "web", "description": "…", "id": "…", "tags": {},
 *       "ingress": [{ "protocol": "tcp", "ports": "443", "peers": ["0.0.0.0/0", "web", "pl-…"], "description": "…", "tags": {} }],
 *       "egress": [] }]                                        left out: everything out, as AWS has it
 *   }],
 *   "instances": [{ "subnet": "app", "groups": ["web"],        required; by key or id
 *     "count": 3, "id": "i-…", "image": "ami-…", "size": "t3.small", "state": "stopped", "tags": {}, "clientToken": "…",
 *     "disk": { "size": 20, "type": "gp3", "encrypted": true, "tags": {} }, "userData": "base64", "profile": "name",
 *     "publicIp": true, "protect": true, "keyName": "…", "interfaceTags": {} }],
 *   "interfaces": [{ "subnet": "app", "groups": ["web"], "description": "ELB app/x", "requester": "amazon-elb",
 *     "type": "interface", "id": "…", "tags": {}, "publicIp": true }],
 *   "natGateways": [{ "subnet": "app", "id": "nat-…", "tags": {}, "state": "failed", "connectivity": "private" }],
 *   "peerings": [{ "requester": "core", "accepter": "vpc-…",  one of them by another account or region:
 *     "account": "444455556666", "region": "eu-central-1", "cidr": "10.7.0.0/16",
 *     "id": "pcx-…", "tags": {}, "status": "pending-acceptance" }]
 * }] }
 * ```
 *
 * Keys name things within their region; a tag may begin with `aws:`, as those of services do.
 */
const text = scalar('string');

const number = scalar('number');

const flag = scalar('boolean');

const tags = optional(mapOf(text));

const keyed = { key: pattern(/^[\w.-]+$/, 'a key of letters, digits, . _ -'), tags };

const id = (prefix: string): Reader<string | undefined> =>
  optional(
    pattern(new RegExp(`^${prefix}-(?:[0-9a-f]{8}|[0-9a-f]{17})$`), `an id such as ${prefix}-0123456789abcdef0`),
  );

const image = object({
  id: pattern(/^ami-(?:[0-9a-f]{8}|[0-9a-f]{17})$/, 'an image id'),
  name: optional(text),
  architecture: optional(oneOf('x86_64', 'arm64')),
  rootDevice: optional(text),
  rootSize: optional(number),
  owner: optional(text),
  ownerAlias: optional(oneOf('amazon', 'aws-marketplace', 'aws-backup-vault')),
  creationDate: optional(moment),
  deprecationTime: optional(moment),
});

const rule = object({
  protocol: text,
  ports: optional(pattern(/^-?\d+(?:-\d+|\/-?\d+)?$/, 'a port, a range such as 80-90, or an ICMP type/code')),
  peers: listOf(text),
  description: optional(text),
  tags,
});

const group = object({
  ...keyed,
  id: id('sg'),
  name: optional(text),
  description: optional(text),
  ingress: optional(listOf(rule)),
  egress: optional(listOf(rule)),
});

const vpc = object({
  ...keyed,
  id: id('vpc'),
  cidr: text,
  ipv6: optional(text),
  further: optional(listOf(text)),
  sharedBy: optional(pattern(/^\d{12}$/, 'twelve digits')),
  dnsHostnames: optional(flag),
  gateway: optional(object({ id: id('igw'), tags })),
  subnets: optional(
    listOf(
      object({
        ...keyed,
        id: id('subnet'),
        cidr: text,
        zone: optional(oneOf('a', 'b', 'c')),
        ipv6: optional(text),
        publicIp: optional(flag),
      }),
    ),
  ),
  routeTables: optional(listOf(routeTable)),
  groups: optional(listOf(group)),
});

const instance = object({
  id: id('i'),
  count: optional(number),
  subnet: text,
  groups: listOf(text),
  image: optional(text),
  size: optional(text),
  state: optional(oneOf('running', 'stopped', 'terminated')),
  tags,
  clientToken: optional(text),
  disk: optional(object({ size: optional(number), type: optional(text), encrypted: optional(flag), tags })),
  userData: optional(text),
  profile: optional(text),
  publicIp: optional(flag),
  protect: optional(flag),
  keyName: optional(text),
  interfaceTags: tags,
});

const loneInterface = object({
  id: id('eni'),
  subnet: text,
  groups: listOf(text),
  description: optional(text),
  requester: optional(text),
  type: optional(text),
  publicIp: optional(flag),
  tags,
});

const region = object({
  account: pattern(/^\d{12}$/, 'twelve digits'),
  region: pattern(/^[a-z]{2}(?:-[a-z]+)+-\d$/, 'a region such as eu-west-1'),
  defaultVpc: optional(flag),
  images: optional(listOf(image)),
  vpcs: optional(listOf(vpc)),
  instances: optional(listOf(instance)),
  interfaces: optional(listOf(loneInterface)),
  natGateways: optional(listOf(natGateway)),
  peerings: optional(listOf(peering)),
});

export const readEstate = object({ regions: listOf(region) });

type RegionForm = ReturnType<typeof region>;

type VpcForm = ReturnType<typeof vpc>;

type GroupForm = ReturnType<typeof group>;

type InstanceForm = ReturnType<typeof instance>;

type InterfaceForm = ReturnType<typeof loneInterface>;

/** Puts what a file says into the world, as if it had long been there. Throws a `JsonProblem` that says where. */
export function loadEstate(document: unknown, regionOf: (account: string, name: string) => Region, now: number): void {
  readEstate(document, '').regions.forEach((form, index) => {
    const region = regionOf(form.account, form.region);
    loadRegion({ region, now, path: `regions[${index}]`, ids: new Map() }, form);
  });
}

function loadRegion(loading: Loading, form: RegionForm): void {
  const { region } = loading;
  const { images = [], vpcs = [], instances = [], interfaces = [], natGateways = [], peerings = [] } = form;
  for (const image of images) {
    const {
      id,
      name = id,
      architecture = 'x86_64',
      rootDevice = '/dev/xvda',
      rootSize = 8,
      owner = region.account,
      ownerAlias,
      creationDate: createdAt = loading.now,
      deprecationTime: deprecatedAt,
    } = image;
    const of = { ownerId: owner, ownerAlias, createdAt, deprecatedAt };
    region.images.put({ id, tags: noTags, name, architecture, rootDevice, rootSize, ...of });
  }
  if (form.defaultVpc) loadVpc({ ...loading, path: `${loading.path}.defaultVpc` }, defaultVpc(region), true);
  vpcs.forEach((vpc, index) => {
    loadVpc({ ...loading, path: `${loading.path}.vpcs[${index}]` }, vpc, false);
  });
  instances.forEach((each, index) => {
    const here = { ...loading, path: `${loading.path}.instances[${index}]` };
    explained(here, () => loadInstance(here, each));
  });
  interfaces.forEach((each, index) => {
    const here = { ...loading, path: `${loading.path}.interfaces[${index}]` };
    explained(here, () => loadInterface(here, each));
  });
  natGateways.forEach((each, index) => {
    loadNatGateway({ ...loading, path: `${loading.path}.natGateways[${index}]` }, each);
  });
  peerings.forEach((each, index) => {
    loadPeering({ ...loading, path: `${loading.path}.peerings[${index}]` }, each);
  });
}

function loadVpc(loading: Loading, form: VpcForm, isDefault: boolean): void {
  const { region, path } = loading;
  const { tags = noTags, dnsHostnames: hostnames = false, subnets = [], routeTables = [], groups = [] } = form;
  const vpc: Vpc = {
    id: named(loading, form.key, form.id ?? freshId(region, 'vpc')),
    tags: tagsIn(form, tags),
    sharedBy: form.sharedBy,
    cidr: blockAt(`${path}.cidr`, form.cidr, 'ipv4').text,
    associationId: freshId(region, 'vpc-cidr-assoc'),
    ipv6: form.ipv6 === undefined ? undefined : ipv6Block(region, blockAt(`${path}.ipv6`, form.ipv6, 'ipv6')),
    further: (form.further ?? []).map((block, index) => furtherBlock(region, `${path}.further[${index}]`, block)),
    isDefault,
    tenancy: 'default',
    dns: { support: true, hostnames, addressMetrics: false },
  };
  region.vpcs.put(vpc);
  makeVpcParts(region, vpc);
  const gatewayId = loadGateway(region, vpc, form);
  loadSubnets(loading, vpc, subnets);
  if (isDefault && gatewayId) addMainRoute(region, vpc.id, gatewayId);
  routeTables.forEach((table, index) => {
    loadRouteTable({ ...loading, path: `${path}.routeTables[${index}]` }, { vpc, gatewayId }, table);
  });
  loadGroups(loading, vpc, groups);
}

function loadGateway(region: Region, vpc: Vpc, { gateway }: VpcForm): string | undefined {
  if (!gateway) return undefined;
  const { id = freshId(region, 'igw'), tags = noTags } = gateway;
  return region.gateways.put({ id, tags, vpcId: vpc.id }).id;
}

function blockAt(path: string, value: string, family: 'ipv4' | 'ipv6'): Cidr {
  const cidr = parseCidr(value, family);
  if (!cidr) throw new JsonProblem(`${path}: "${value}" is not a CIDR block of ${family}`);
  return cidr;
}

function ipv6Block(region: Region, cidr: Cidr): Ipv6Block {
  return { associationId: freshId(region, 'vpc-cidr-assoc'), cidr: cidr.text };
}

function furtherBlock(region: Region, path: string, text: string): FurtherBlock {
  const family = text.includes(':') ? 'ipv6' : 'ipv4';
  const { cidr, associationId } = ipv6Block(region, blockAt(path, text, family));
  return { associationId, family, cidr, state: 'associated' };
}

function loadSubnets(loading: Loading, vpc: Vpc, forms: NonNullable<VpcForm['subnets']>): void {
  const { region, path } = loading;
  const wholes = blocksOf(vpc).flatMap(({ family, cidr }) => parseCidr(cidr, family) ?? []);
  const blocks = forms.map((form, index) => {
    const cidr = parseCidr(form.cidr, 'ipv4');
    const where = `${path}.subnets[${index}].cidr`;
    if (!cidr || !wholes.some((whole) => contains(whole, cidr)))
      throw new JsonProblem(`${where}: "${form.cidr}" is no IPv4 CIDR block within ${vpc.cidr}`);
    region.subnets.put({
      id: named(loading, form.key, form.id ?? freshId(region, 'subnet')),
      tags: tagsIn(vpc, form.tags),
      vpcId: vpc.id,
      cidr: cidr.text,
      zone: `${region.name}${form.zone ?? 'a'}`,
      ipv6:
        form.ipv6 === undefined
          ? undefined
          : ipv6Block(region, blockAt(`${path}.subnets[${index}].ipv6`, form.ipv6, 'ipv6')),
      defaultForAz: vpc.isDefault,
      onLaunch: { publicIp: form.publicIp ?? false, ipv6: false },
    });
    return { cidr, where };
  });
  const sorted = blocks.toSorted((a, b) => Number(a.cidr.first - b.cidr.first));
  sorted.forEach(({ cidr, where }, index) => {
    const before = sorted[index - 1]?.cidr;
    if (before && before.last >= cidr.first) throw new JsonProblem(`${where}: ${cidr.text} overlaps ${before.text}`);
  });
}

/** https://docs.aws.amazon.com/vpc/latest/userguide/default-vpc-components.html */
function defaultVpc(region: Region): VpcForm {
  const absent = { id: undefined, tags: undefined };
  const subnets = (['a', 'b', 'c'] as const).map((zone, index) => ({
    ...absent,
    key: `default-${region.name}${zone}`,
    cidr: `172.31.${index * 16}.0/20`,
    zone,
    ipv6: undefined,
    publicIp: true,
  }));
  return {
    ...absent,
    key: 'default',
    cidr: '172.31.0.0/16',
    ipv6: undefined,
    further: undefined,
    sharedBy: undefined,
    dnsHostnames: true,
    gateway: absent,
    subnets,
    routeTables: undefined,
    groups: undefined,
  };
}

/** First all groups, then their rules: rules may name any of them. */
function loadGroups(loading: Loading, vpc: Vpc, forms: readonly GroupForm[]): void {
  const { region, path } = loading;
  const groups = forms.map((form): SecurityGroup => {
    const id = named(loading, form.key, form.id ?? freshId(region, 'sg'));
    const { name = form.key, description = name } = form;
    return region.groups.put({
      id,
      tags: tagsIn(vpc, form.tags),
      sharedBy: vpc.sharedBy,
      name,
      description,
      vpcId: vpc.id,
    });
  });
  groups.forEach((group, index) => {
    const form = forms[index];
    const here = { ...loading, path: `${path}.groups[${index}]` };
    explained(here, () => {
      for (const rule of form?.ingress ?? []) loadRule(here, group, rule, false);
      for (const rule of form?.egress ?? []) loadRule(here, group, rule, true);
      if (form?.egress === undefined) allowAllEgress(region, group.id, vpc);
    });
  });
}

type RuleForm = NonNullable<GroupForm['ingress']>[number];

function loadRule(loading: Loading, group: SecurityGroup, form: RuleForm, egress: boolean): void {
  const { region } = loading;
  const [from, to] = portsOf(form);
  const permissions = form.peers.map((peer): Permission => {
    const traffic = { IpProtocol: form.protocol, FromPort: from, ToPort: to };
    if (peer.startsWith('pl-'))
      return { ...traffic, PrefixListIds: [{ PrefixListId: peer, Description: form.description }] };
    if (/^[0-9a-f.:]+\/\d+$/i.test(peer)) {
      return peer.includes(':')
        ? { ...traffic, Ipv6Ranges: [{ CidrIpv6: peer, Description: form.description }] }
        : { ...traffic, IpRanges: [{ CidrIp: peer, Description: form.description }] };
    }
    const [userId, groupId] = peer.includes('/') ? peer.split('/') : [undefined, idOf(loading, peer)];
    return { ...traffic, Groups: [{ UserId: userId, GroupId: groupId, Description: form.description }] };
  });
  for (const content of rulesOf(region, group, permissions)) {
    region.rules.put({ id: freshId(region, 'sgr'), tags: form.tags ?? noTags, groupId: group.id, egress, ...content });
  }
}

/** `443`, `8000-8100`, or ICMP's type and code as `8/-1`; nothing for all. */
function portsOf({ protocol, ports }: RuleForm): readonly [number | undefined, number | undefined] {
  const [, from, to] = /^(-?\d+)(?:[-/](-?\d+))?$/.exec(ports ?? '') ?? [];
  if (from !== undefined) return [Number(from), Number(to ?? from)];
  if (/^(?:tcp|udp|6|17)$/.test(protocol)) return [0, 65535];
  return /^(?:icmp|icmpv6|1|58)$/.test(protocol) ? [-1, -1] : [undefined, undefined];
}

const IMAGE = 'ami-0abcdef1234567890';

/** One line of the document: `count` equal instances, in one launch. */
function loadInstance(loading: Loading, form: InstanceForm): void {
  const { region } = loading;
  const { count = 1, tags = noTags, clientToken = '', size: type = 't3.small', state = 'running' } = form;
  if (count > 1 && form.id !== undefined)
    throw new JsonProblem(`${loading.path}: ${count} instances cannot share one id`);
  const subnet = subnetOf(loading, form.subnet);
  const image = region.images.get(form.image ?? IMAGE);
  if (!image) throw new JsonProblem(`${loading.path}.image: no image ${form.image}`);
  const reservationId = freshId(region, 'r');
  for (let index = 0; index < count; index++) {
    const id = form.id ?? freshId(region, 'i');
    const gone = state === 'terminated';
    const instance: Instance = {
      id,
      tags,
      launch: {
        reservationId,
        index,
        imageId: image.id,
        clientToken,
        place: { subnetId: subnet.id, vpcId: subnet.vpcId, zone: subnet.zone, tenancy: 'default' },
        keyName: form.keyName,
      },
      size: { type, ebsOptimized: false },
      power: powerOf(state, loading.now),
      parts: gone ? { interfaceIds: [], volumeIds: [] } : partsOf(loading, { form, subnet, image, id }),
      settings: { ...settingsOf(form, subnet), credits: checkedCredits(type) },
    };
    region.instances.put(instance);
    if (gone)
      region.timeline.schedule(loading.now + region.durations.terminatedListed, () => region.instances.remove(id));
    if (form.profile && !gone)
      associateProfile({ region, now: loading.now, answerFaults: {} }, id, { Name: form.profile });
  }
}

function powerOf(state: Power, now: number): Instance['power'] {
  const reason: StateReason | undefined =
    state === 'running'
      ? undefined
      : {
          code: 'Client.UserInitiatedShutdown',
          message: 'Client.UserInitiatedShutdown: User initiated shutdown',
          transition: 'User initiated',
        };
  return { state, reason, since: now, startedAt: now };
}

function settingsOf(form: InstanceForm, subnet: Subnet): Omit<Instance['settings'], 'credits'> {
  return {
    userData: checkedUserData(form.userData),
    protect: { termination: form.protect ?? false, stop: false },
    onShutdown: 'stop',
    metadata: { tokens: 'optional', hops: 1, endpoint: 'enabled', tags: 'disabled' },
    monitoring: false,
    publicIp: form.publicIp ?? subnet.onLaunch.publicIp,
  };
}

interface Machine {
  readonly form: InstanceForm;
  readonly subnet: Subnet;
  readonly image: Image;
  readonly id: string;
}

function partsOf(loading: Loading, { form, subnet, image, id }: Machine): Instance['parts'] {
  const { region, now } = loading;
  const publicIp = (form.publicIp ?? subnet.onLaunch.publicIp) && form.state !== 'stopped';
  const nic = launchInterface(region, {
    subnet,
    groups: groupsOf(loading, form.groups),
    privateIp: undefined,
    publicIp,
    tags: form.interfaceTags ?? noTags,
    attachment: { instanceId: id, deviceIndex: 0, deleteOnTermination: true, at: now, description: '' },
  });
  const { size = image.rootSize, type = 'gp3', encrypted = false, tags = noTags } = form.disk ?? {};
  const volume = region.volumes.put({
    id: freshId(region, 'vol'),
    tags,
    zone: subnet.zone,
    createdAt: now,
    disk: diskOf({ size, type, encrypted, snapshotId: `snap-${image.id.slice(4)}` }),
    attachment: { instanceId: id, device: image.rootDevice, deleteOnTermination: true, at: now },
    modification: undefined,
  });
  return { interfaceIds: [nic.id], volumeIds: [volume.id] };
}

/** An interface that belongs to no instance: a load balancer's, a NAT gateway's, or somebody's forgotten one. */
function loadInterface(loading: Loading, form: InterfaceForm): void {
  const { region, now } = loading;
  const subnet = subnetOf(loading, form.subnet);
  const managed = form.requester !== undefined;
  region.interfaces.put({
    id: form.id ?? freshId(region, 'eni'),
    tags: form.tags ?? noTags,
    place: { subnetId: subnet.id, vpcId: subnet.vpcId, zone: subnet.zone },
    groups: groupsOf(loading, form.groups),
    address: {
      privateIp: takeAddress(region, subnet),
      publicIp: form.publicIp ? freshPublicIp(region) : undefined,
      mac: '02:00:00:00:00:01',
      ipv6: [],
    },
    attachment: managed
      ? { id: freshId(region, 'eni-attach'), instanceId: '', deviceIndex: 1, deleteOnTermination: false, at: now }
      : undefined,
    description: form.description ?? '',
    requester: { id: form.requester, managed, type: form.type ?? 'interface', sourceDestCheck: true },
  });
}

function groupsOf(loading: Loading, references: readonly string[]): readonly string[] {
  return references.map((reference) => {
    const id = idOf(loading, reference);
    if (!loading.region.groups.get(id)) throw new JsonProblem(`${loading.path}.groups: no group "${reference}"`);
    return id;
  });
}

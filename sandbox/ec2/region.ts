import { makeTimeline, type Timeline } from '../clock.ts';
import type { Lag } from '../lag.ts';
import { hexDigits, type Random } from '../random.ts';
import { Table } from '../table.ts';
import type {
  ElasticAddress,
  GroupRule,
  Image,
  Instance,
  InternetGateway,
  NatGateway,
  NetworkAcl,
  NetworkInterface,
  Peering,
  ProfileAssociation,
  RouteTable,
  SecurityGroup,
  Subnet,
  Volume,
  Vpc,
} from './records.ts';
import { noTags } from './tags.ts';

const AMAZON = '137112412989';

const CANONICAL = '099720109477';

const day = 86_400_000;

/** "the upper limit is 2 years from the creation date": https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ami-deprecate.html */
const publicLife = 730 * day;

interface BaseImage extends Omit<Image, 'tags' | 'createdAt' | 'deprecatedAt'> {
  readonly ageDays: number;
}

/**
 * The public images that every region of the sandbox knows, by their age as the region begins. An estate may add more. Owners that AWS has
 * verified bear its alias: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/sharing-amis.html#verified-ami-provider
 */
const BASE_IMAGES: readonly BaseImage[] = [
  {
    id: 'ami-0abc0abc0abc0abc0',
    name: 'al2023-ami-2023.5.20240624.0-kernel-6.1-x86_64',
    architecture: 'x86_64',
    rootDevice: '/dev/xvda',
    rootSize: 8,
    ownerId: AMAZON,
    ownerAlias: 'amazon',
    ageDays: 30,
  },
  {
    id: 'ami-0a64a64a64a64a640',
    name: 'al2023-ami-2023.5.20240624.0-kernel-6.1-arm64',
    architecture: 'arm64',
    rootDevice: '/dev/xvda',
    rootSize: 8,
    ownerId: AMAZON,
    ownerAlias: 'amazon',
    ageDays: 30,
  },
  {
    id: 'ami-0abcdef1234567890',
    name: 'ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-amd64-server-20240701',
    architecture: 'x86_64',
    rootDevice: '/dev/sda1',
    rootSize: 8,
    ownerId: CANONICAL,
    ownerAlias: 'amazon',
    ageDays: 30,
  },
  {
    id: 'ami-12c6146b',
    name: 'ubuntu/images/hvm-ssd/ubuntu-xenial-16.04-amd64-server-20170721',
    architecture: 'x86_64',
    rootDevice: '/dev/sda1',
    rootSize: 8,
    ownerId: CANONICAL,
    ownerAlias: 'amazon',
    ageDays: 3400,
  },
];

interface NetworkTables {
  readonly vpcs: Table<Vpc>;
  readonly subnets: Table<Subnet>;
  readonly gateways: Table<InternetGateway>;
  readonly routeTables: Table<RouteTable>;
  readonly acls: Table<NetworkAcl>;
  readonly natGateways: Table<NatGateway>;
  readonly elasticAddresses: Table<ElasticAddress>;
  readonly peerings: Table<Peering>;
}

interface FirewallTables {
  readonly groups: Table<SecurityGroup>;
  readonly rules: Table<GroupRule>;
}

interface ComputeTables {
  readonly instances: Table<Instance>;
  readonly volumes: Table<Volume>;
  readonly interfaces: Table<NetworkInterface>;
  readonly images: Table<Image>;
  readonly profiles: Table<ProfileAssociation>;
}

interface Place {
  readonly account: string;
  readonly name: string;
  readonly zones: readonly string[];
  readonly quotas: Quotas;
}

interface Workings {
  readonly timeline: Timeline;
  readonly random: Random;
  readonly durations: Durations;
  /** Client tokens by action and token: what was asked, and what it made. */
  readonly tokens: Map<string, { readonly asked: string; readonly made: readonly string[]; readonly at: number }>;
  /** Addresses in use, by subnet. */
  readonly addresses: Map<string, Set<string>>;
}

export type Region = Place & NetworkTables & FirewallTables & ComputeTables & Workings;

interface RegionOptions {
  readonly account: string;
  readonly name: string;
  readonly lag: Lag;
  readonly random: Random;
  readonly durations: Durations;
  readonly quotas: Quotas;
}

export function makeRegion({ account, name, lag, random, durations, quotas }: RegionOptions): Region {
  const region: Region = {
    account,
    name,
    quotas,
    zones: ['a', 'b', 'c'].map((letter) => `${name}${letter}`),
    vpcs: new Table(lag),
    subnets: new Table<Subnet>(lag, inVpc),
    gateways: new Table(lag),
    routeTables: new Table<RouteTable>(lag, inVpc),
    acls: new Table<NetworkAcl>(lag, inVpc),
    natGateways: new Table<NatGateway>(lag, inVpc),
    elasticAddresses: new Table(lag),
    peerings: new Table(lag),
    groups: new Table<SecurityGroup>(lag, inVpc),
    rules: new Table<GroupRule>(lag, (rule) => rule.groupId),
    instances: new Table<Instance>(lag, (instance) => instance.launch.place.subnetId),
    volumes: new Table(lag),
    interfaces: new Table<NetworkInterface>(lag, (eni) => eni.place.subnetId),
    images: new Table(lag),
    profiles: new Table<ProfileAssociation>(lag, (association) => association.instanceId),
    timeline: makeTimeline(),
    random,
    durations,
    tokens: new Map(),
    addresses: new Map(),
  };
  for (const { ageDays, ...image } of BASE_IMAGES) {
    const createdAt = lag.now() - ageDays * day;
    region.images.put({ ...image, tags: noTags, createdAt, deprecatedAt: createdAt + publicLife });
  }
  return region;
}

/** A fresh id such as `vpc-0123456789abcdef0`. */
export function freshId(region: Region, prefix: string): string {
  return `${prefix}-0${hexDigits(region.random, 16)}`;
}

/** The interfaces of an instance as a reader is told: late news of a change, but never an instance without its interface. */
export function interfacesSeen(region: Region, ids: readonly string[]): readonly NetworkInterface[] {
  return ids.flatMap((id) => region.interfaces.see(id) ?? region.interfaces.get(id) ?? []);
}

function inVpc(record: { readonly vpcId: string }): string {
  return record.vpcId;
}

/** Quotas of one account and region. Defaults: https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html */
export interface Quotas {
  readonly vpcs: number;
  readonly subnetsPerVpc: number;
  /** Counted apart per direction, and for IPv4 and IPv6; a reference to a group counts in both. */
  readonly rulesPerGroup: number;
  readonly groupsPerInterface: number;
  readonly groups: number;
  readonly instances: number;
}

export const QUOTAS: Quotas = {
  vpcs: 5,
  subnetsPerVpc: 200,
  rulesPerGroup: 60,
  groupsPerInterface: 5,
  groups: 2500,
  instances: 5000,
};

/** In milliseconds of the sandbox's clock. */
export interface Durations {
  readonly start: number;
  readonly stop: number;
  readonly terminate: number;
  /** From running until the first status checks have an answer; a minute, says
   * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/monitoring-system-instance-status-check.html */
  readonly check: number;
  readonly modifyVolume: number;
  /** Of a NAT gateway to stand, and to go. */
  readonly natGateway: number;
  /** A terminated instance stays listed this long; about an hour, says
   * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/terminating-instances.html */
  readonly terminatedListed: number;
  /** As long a deleted NAT gateway, peering or block stays listed; about an hour, says
   * https://docs.aws.amazon.com/vpc/latest/userguide/nat-gateway-troubleshooting.html */
  readonly deletedListed: number;
}

export const DURATIONS: Durations = {
  start: 5_000,
  stop: 5_000,
  terminate: 5_000,
  check: 5_000,
  modifyVolume: 5_000,
  natGateway: 5_000,
  terminatedListed: 3_600_000,
  deletedListed: 3_600_000,
};

import type { Lag } from '../lag.ts';
import { hexDigits, type Random } from '../random.ts';
import { Table } from '../table.ts';
import { makeTimeline, type Timeline } from '../timeline.ts';
import type { Durations } from './durations.ts';
import { BASE_IMAGES } from './images.ts';
import type { Quotas } from './quotas.ts';
import type {
  GroupRule,
  Image,
  Instance,
  InternetGateway,
  NetworkAcl,
  NetworkInterface,
  ProfileAssociation,
  RouteTable,
  SecurityGroup,
  Subnet,
  Volume,
  Vpc,
} from './records.ts';

interface NetworkTables {
  readonly vpcs: Table<Vpc>;
  readonly subnets: Table<Subnet>;
  readonly gateways: Table<InternetGateway>;
  readonly routeTables: Table<RouteTable>;
  readonly acls: Table<NetworkAcl>;
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

export interface RegionOptions {
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
  for (const image of BASE_IMAGES) region.images.put(image);
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

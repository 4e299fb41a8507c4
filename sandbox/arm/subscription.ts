import { makeTimeline, type Timeline } from '../clock.ts';
import type { Lag } from '../lag.ts';
import type { Random } from '../random.ts';
import { Table } from '../table.ts';
import type { ArmRefusal } from './errors.ts';
import type {
  ApplicationSecurityGroup,
  Disk,
  NatGateway,
  NetworkInterface,
  NetworkSecurityGroup,
  PublicAddress,
  ResourceGroup,
  RouteTable,
  VirtualMachine,
  VirtualNetwork,
} from './records.ts';
import { keyOf, parentPath } from './resource-id.ts';

/** All keyed by the lower-cased id; `of` looks up by the lower-cased id of the resource group where no line says otherwise. */
interface NetworkTables {
  readonly networks: Table<VirtualNetwork>;
  readonly securityGroups: Table<NetworkSecurityGroup>;
  readonly applicationGroups: Table<ApplicationSecurityGroup>;
  /** `of` looks up by the lower-cased id of the virtual network, in which an interface stays for life. */
  readonly interfaces: Table<NetworkInterface>;
  readonly addresses: Table<PublicAddress>;
  readonly routeTables: Table<RouteTable>;
  readonly natGateways: Table<NatGateway>;
  readonly adminRules: AdminRule[];
}

/** An image that boots badly: its machines shut down so many ms after they began to run, or never report that they have booted. */
export type BadBoot = { readonly stopsAfterMs: number } | 'times out' | 'loses its agent';

/**
 * A security admin rule of a network manager, which lies outside of the subscription: here it is told of the networks that it holds for.
 * https://learn.microsoft.com/azure/virtual-network-manager/concept-security-admins#security-admin-rules
 */
export interface AdminRule {
  /** The id of the rule in its network manager. */
  readonly path: string;
  /** The key of the virtual network. */
  readonly network: string;
  readonly priority: number;
  readonly access: 'Allow' | 'Deny' | 'AlwaysAllow';
  readonly direction: 'Inbound' | 'Outbound';
  /** `Any`, `Tcp`, `Udp` and the like. */
  readonly protocol: string;
  readonly ports: readonly string[];
  /** Blocks or service tags; `*` is any. */
  readonly sources: readonly string[];
  readonly destinations: readonly string[];
}

/** A version of a platform image that an estate states: https://learn.microsoft.com/rest/api/compute/virtual-machine-images/get */
export interface PlatformVersion {
  readonly publisher: string;
  readonly offer: string;
  readonly sku: string;
  readonly version: string;
  readonly deprecation: ImageDeprecation | undefined;
}

/** `scheduledAt`: from then on its state is `Deprecated`. */
interface ImageDeprecation {
  readonly state: 'Active' | 'ScheduledForDeprecation' | 'Deprecated';
  readonly scheduledAt: number | undefined;
}

/** An image of somebody's own, or a version in a gallery: https://learn.microsoft.com/rest/api/compute/gallery-image-versions/get */
export interface StatedImage {
  readonly path: string;
  readonly publishedAt: number;
  readonly endOfLifeAt: number | undefined;
  readonly excludedFromLatest: boolean;
  /** Locations with a replica of it. Undefined: the answers name none. */
  readonly targetRegions: readonly string[] | undefined;
}

interface ComputeTables {
  readonly platformVersions: PlatformVersion[];
  /** By key. Of other images in `outside` no more is known than that they are there. */
  readonly images: Map<string, StatedImage>;
  readonly machines: Table<VirtualMachine>;
  readonly disks: Table<Disk>;
  /** By what an image is called in all requests that name it: `publisher:offer:sku`, or its path, in lower case. */
  readonly badBoots: Map<string, BadBoot>;
}

interface Place {
  readonly id: string;
  readonly groups: Table<ResourceGroup>;
  readonly quotas: Quotas;
  readonly durations: Durations;
  /** Whole seconds between polls that answers ask for; 0: they do not. */
  readonly retryAfter: number;
}

interface Workings {
  readonly timeline: Timeline;
  readonly random: Random;
  readonly operations: Map<string, Operation>;
  /** The running operation of a resource, by the resource's key. */
  readonly running: Map<string, Operation>;
  /** Keys of resources of other kinds or subscriptions that may be referred to: they are known, and no more. */
  readonly outside: Set<string>;
  /** The holder of each private address, by subnet and address. An entry of a former holder does not count. */
  readonly privateAddresses: Map<string, Map<string, string>>;
}

export type Subscription = Place & NetworkTables & ComputeTables & Workings;

interface SubscriptionOptions {
  readonly id: string;
  readonly lag: Lag;
  readonly random: Random;
  readonly durations: Durations;
  readonly quotas: Quotas;
  readonly retryAfter: number;
}

export function makeSubscription({
  id,
  lag,
  random,
  durations,
  quotas,
  retryAfter,
}: SubscriptionOptions): Subscription {
  return {
    id,
    groups: new Table(lag),
    quotas,
    durations,
    retryAfter,
    networks: new Table<VirtualNetwork>(lag, inGroup, namedByNetwork),
    securityGroups: new Table<NetworkSecurityGroup>(lag, inGroup, namedByRules),
    applicationGroups: new Table<ApplicationSecurityGroup>(lag, inGroup),
    interfaces: new Table<NetworkInterface>(lag, networkOf, namedByInterface),
    addresses: new Table<PublicAddress>(lag, inGroup),
    routeTables: new Table<RouteTable>(lag, inGroup),
    natGateways: new Table<NatGateway>(lag, inGroup, ({ addresses }) => keys(addresses)),
    adminRules: [],
    platformVersions: [],
    images: new Map(),
    machines: new Table<VirtualMachine>(lag, inGroup),
    disks: new Table<Disk>(lag, inGroup),
    badBoots: new Map(),
    timeline: makeTimeline(),
    random,
    operations: new Map(),
    running: new Map(),
    outside: new Set(),
    privateAddresses: new Map(),
  };
}

/** The key of the resource group: `/subscriptions/…/resourcegroups/…`. */
function inGroup({ id }: { readonly id: string }): string {
  return id.split('/').slice(0, 5).join('/');
}

function namedByNetwork({ subnets }: VirtualNetwork): readonly string[] {
  return keys(subnets.flatMap(({ securityGroup, routeTable, natGateway }) => [securityGroup, routeTable, natGateway]));
}

function namedByRules({ rules }: NetworkSecurityGroup): readonly string[] {
  return keys(rules.flatMap(({ source, destination }) => [...source.groups, ...destination.groups]));
}

function namedByInterface({ securityGroup, configurations }: NetworkInterface): readonly string[] {
  return keys([securityGroup, ...configurations.flatMap(({ subnet, groups }) => [subnet, ...groups])]);
}

function keys(paths: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(paths.flatMap((path) => (path === undefined ? [] : [keyOf(path)])))];
}

/** The key of the virtual network that an interface lies in. */
export function networkOf({ configurations }: NetworkInterface): string {
  return keyOf(parentPath(configurations[0]?.subnet ?? ''));
}

/**
 * Long-running operations:
 * https://learn.microsoft.com/azure/azure-resource-manager/management/async-operations
 */
export interface Operation {
  readonly id: string;
  readonly place: OperationPlace;
  /** The key of the resource it works on. */
  readonly on: string;
  readonly time: { readonly started: number; readonly due: number };
  readonly outcome: Outcome;
}

export interface OperationPlace {
  readonly namespace: 'Microsoft.Network' | 'Microsoft.Compute' | 'Microsoft.Resources';
  readonly location: string;
}

export type Outcome =
  | { readonly status: 'InProgress' }
  | { readonly status: 'Succeeded' }
  | { readonly status: 'Failed'; readonly refusal: ArmRefusal };

/**
 * Quotas of a subscription:
 * https://learn.microsoft.com/azure/azure-resource-manager/management/azure-subscription-service-limits#azure-resource-manager-virtual-networking-limits
 */
export interface Quotas {
  /** Per subscription and location. */
  readonly networks: number;
  readonly subnetsPerNetwork: number;
  /** Per subscription and location. */
  readonly securityGroups: number;
  /** Per subscription. */
  readonly applicationGroups: number;
  readonly rules: RuleQuotas;
  readonly machines: MachineQuotas;
}

/** Per subscription and location. Subscriptions begin with far fewer vCPUs: https://learn.microsoft.com/azure/virtual-machines/quotas */
interface MachineQuotas {
  readonly machines: number;
  /** vCPUs of all families together. */
  readonly cores: number;
  /** vCPUs of each family. */
  readonly coresPerFamily: number;
}

export interface RuleQuotas {
  readonly perSecurityGroup: number;
  /** Addresses and ranges on one side of a rule. */
  readonly prefixesPerSide: number;
  /** Application security groups in all rules of a security group together. */
  readonly applicationGroups: number;
}

export const QUOTAS: Quotas = {
  networks: 1000,
  subnetsPerNetwork: 3000,
  securityGroups: 5000,
  applicationGroups: 3000,
  rules: { perSecurityGroup: 1000, prefixesPerSide: 4000, applicationGroups: 100 },
  machines: { machines: 25_000, cores: 10_400_000, coresPerFamily: 10_400_000 },
};

/** Durations of operations, in milliseconds of the sandbox's clock. */
export interface Durations {
  readonly networkWrite: number;
  readonly networkDelete: number;
  readonly machineWrite: number;
  readonly machineDelete: number;
  readonly machinePower: number;
  readonly groupDelete: number;
}

export const DURATIONS: Durations = {
  networkWrite: 1_000,
  networkDelete: 1_000,
  machineWrite: 5_000,
  machineDelete: 5_000,
  machinePower: 5_000,
  groupDelete: 5_000,
};

/** Everything is done within the request that asks for it. */
export const AT_ONCE: Durations = {
  networkWrite: 0,
  networkDelete: 0,
  machineWrite: 0,
  machineDelete: 0,
  machinePower: 0,
  groupDelete: 0,
};

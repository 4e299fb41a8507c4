/** The records of one subscription. Records are immutable: a change is a new record under the same id. */

export type Tags = ReadonlyMap<string, string>;

export type ProvisioningState = 'Creating' | 'Updating' | 'Deleting' | 'Succeeded' | 'Failed';

/** Every write changes these fields. */
interface Version {
  readonly etag: string;
  readonly state: ProvisioningState;
  readonly changedAt: number;
}

/** A resource with a place and tags of its own; Azure calls it a tracked resource. */
export interface Tracked {
  /** The whole path in lower case: ARM compares ids without regard to case. */
  readonly id: string;
  /** The whole path as it was first written: what answers show. */
  readonly path: string;
  /** In Azure's short form, `westeurope`. */
  readonly location: string;
  readonly tags: Tags;
  readonly version: Version;
  /** `resourceGuid`, `vmId`, `uniqueId`: never moves. */
  readonly guid: string;
}

export interface ResourceGroup {
  readonly id: string;
  readonly path: string;
  readonly location: string;
  readonly tags: Tags;
  readonly state: ProvisioningState;
}

/** Properties that the sandbox keeps and gives back, and that change nothing in it. */
export type Kept = Readonly<Record<string, unknown>>;

export interface VirtualNetwork extends Tracked {
  readonly addressPrefixes: readonly string[];
  readonly subnets: readonly Subnet[];
  readonly peerings: readonly Peering[];
  readonly kept: Kept;
}

/** Its etag is its network's. */
export interface Subnet {
  readonly id: string;
  readonly path: string;
  readonly prefixes: SubnetPrefixes;
  /** The path of its security group, as its writer spelled it. */
  readonly securityGroup: string | undefined;
  /** The path of its route table, and of its NAT gateway. */
  readonly routeTable: string | undefined;
  readonly natGateway: string | undefined;
  /** Undefined: nobody said, and Azure gives machines a way out. */
  readonly defaultOutbound: boolean | undefined;
  readonly kept: Kept;
}

export interface SubnetPrefixes {
  readonly list: readonly string[];
  /** The last write's field, `addressPrefix` or `addressPrefixes`. Answers use the same one. */
  readonly spelling: 'singular' | 'plural';
}

/** One side of a peering. Its etag is its network's. */
export interface Peering {
  readonly id: string;
  readonly path: string;
  /** The path of the other network, as its writer spelled it. */
  readonly remote: string;
  /** The other side has been there since this one was written last. */
  readonly met: boolean;
  readonly kept: Kept;
}

export interface RouteTable extends Tracked {
  readonly routes: readonly Route[];
  readonly disableBgpRoutePropagation: boolean;
}

/** Its etag is its table's. All texts are as they were written. */
export interface Route {
  readonly id: string;
  readonly path: string;
  readonly addressPrefix: string;
  readonly nextHopType: string;
  readonly nextHopIpAddress: string | undefined;
  readonly nextHopIpAddresses: readonly string[] | undefined;
}

export interface NatGateway extends Tracked {
  readonly sku: string;
  readonly zones: readonly string[] | undefined;
  /** In minutes. */
  readonly idleTimeout: number;
  /** Paths of its public addresses. */
  readonly addresses: readonly string[];
  readonly kept: Kept;
}

export interface NetworkSecurityGroup extends Tracked {
  readonly rules: readonly SecurityRule[];
  readonly kept: Kept;
}

/** Its etag is its security group's. */
export interface SecurityRule {
  readonly id: string;
  readonly path: string;
  readonly description: string | undefined;
  readonly traffic: Traffic;
  readonly source: RuleSide;
  readonly destination: RuleSide;
}

export interface Traffic {
  /** As it was written: `Tcp`, `TCP`, `*`. */
  readonly protocol: string;
  readonly access: 'Allow' | 'Deny';
  readonly direction: 'Inbound' | 'Outbound';
  readonly priority: number;
}

/** One side of a rule, in the spellings it was written in. */
export interface RuleSide {
  readonly prefix: string | undefined;
  readonly prefixes: readonly string[];
  readonly portRange: string | undefined;
  readonly portRanges: readonly string[];
  /** Paths of application security groups. */
  readonly groups: readonly string[];
}

export type ApplicationSecurityGroup = Tracked;

/** The fate of a disk, interface or address when its machine is deleted. */
type DeleteOption = 'Delete' | 'Detach';

type Allocation = 'Dynamic' | 'Static';

export interface NetworkInterface extends Tracked {
  readonly configurations: readonly IpConfiguration[];
  /** Paths, as their writers spelled them. */
  readonly securityGroup: string | undefined;
  readonly machine: string | undefined;
  readonly kept: Kept;
}

export interface IpConfiguration {
  readonly name: string;
  readonly subnet: string;
  readonly privateAddress: string;
  readonly publicAddress: string | undefined;
  /** Paths of application security groups. */
  readonly groups: readonly string[];
  readonly settings: { readonly primary: boolean; readonly allocation: Allocation };
}

export interface PublicAddress extends Tracked {
  readonly sku: { readonly name: 'Basic' | 'Standard'; readonly tier: string };
  readonly allocation: Allocation;
  /** A dynamic one has none until a running machine uses it. */
  readonly address: string | undefined;
  /** The path of the IP configuration that uses it. */
  readonly usedBy: string | undefined;
  readonly deleteOption: DeleteOption | undefined;
  readonly kept: AddressKept;
}

interface AddressKept {
  readonly zones: readonly string[] | undefined;
  readonly properties: Kept;
}

export interface VirtualMachine extends Tracked {
  readonly size: string;
  readonly storage: MachineStorage;
  readonly os: OsProfile;
  readonly interfaces: readonly InterfaceReference[];
  readonly power: { readonly state: PowerState; readonly since: number };
  readonly settings: MachineSettings;
}

interface MachineStorage {
  readonly image: ImageReference;
  /** The path of the OS disk. */
  readonly osDisk: string;
  readonly deleteOption: DeleteOption;
  readonly caching: string;
}

/** As it was written, with the version that it stood for on that day. */
export interface ImageReference {
  readonly written: Kept;
  readonly exactVersion: string | undefined;
  readonly osType: 'Linux' | 'Windows';
}

export interface OsProfile {
  readonly shown: Kept;
  /** Written and never given back. */
  readonly hidden: { readonly customData: string | undefined; readonly adminPassword: string | undefined };
}

export interface InterfaceReference {
  readonly path: string;
  readonly primary: boolean | undefined;
  readonly deleteOption: DeleteOption | undefined;
}

/** https://learn.microsoft.com/azure/virtual-machines/states-billing */
export type PowerState = 'starting' | 'running' | 'stopping' | 'stopped' | 'deallocating' | 'deallocated';

/** Why provisioning failed, as an instance view says it. */
export interface Failing {
  readonly code: string;
  readonly message: string;
}

interface MachineSettings {
  readonly failing?: Failing;
  readonly createdAt: number;
  readonly zones: readonly string[] | undefined;
  readonly identity: Identity | undefined;
  readonly kept: Kept;
}

export interface Identity {
  readonly type: string;
  /** Of the system-assigned one. */
  readonly principalId: string | undefined;
  /** By the path of each user-assigned one. */
  readonly users: ReadonlyMap<string, { readonly principalId: string; readonly clientId: string }>;
}

export interface Disk extends Tracked {
  readonly sku: string;
  /** In GiB. */
  readonly size: number;
  readonly source: { readonly imageId: string; readonly osType: string; readonly generation: string };
  /** The path of the machine that has it. */
  readonly machine: string | undefined;
  readonly createdAt: number;
  readonly kept: { readonly zones: readonly string[] | undefined };
}

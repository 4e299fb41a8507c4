/**
 * The records of one project. Records are immutable: a change is a new record under the same id.
 */

export type Json = Readonly<Record<string, unknown>>;

/** `global`, `regions/europe-west1` or `zones/europe-west1-b`. */
export type Scope = 'global' | `regions/${string}` | `zones/${string}`;

export interface Resource {
  /** Its place below the project, such as `global/networks/core`. Another may have it later. */
  readonly id: string;
  /** The API's field `id`: a decimal number of 64 bits that is never used again. */
  readonly number: string;
  readonly name: string;
  readonly scope: Scope;
  readonly createdAt: number;
  readonly description: string | undefined;
}

export interface Network extends Resource {
  readonly routingMode: 'REGIONAL' | 'GLOBAL';
  /** Undefined: nobody said, and the network does not tell. */
  readonly mtu: number | undefined;
  readonly enforcementOrder: string;
  /** The internal IPv6 block, if it has one. */
  readonly internalIpv6: string | undefined;
  readonly peerings: readonly Peering[];
}

/** One side of a peering: it works when the other network has one that leads back. */
export interface Peering {
  readonly name: string;
  readonly peer: PeerNetwork;
  readonly exchanges: PeeringExchanges;
  readonly stackType: 'IPV4_ONLY' | 'IPV4_IPV6';
  /** Of a network of another project, which the sandbox does not look into: whether it leads back. */
  readonly isConnected: boolean;
}

export interface PeerNetwork {
  readonly project: string;
  /** Below its project: `global/networks/core`. */
  readonly id: string;
}

export interface PeeringExchanges {
  readonly exportCustomRoutes: boolean;
  readonly importCustomRoutes: boolean;
  readonly exportSubnetRoutesWithPublicIp: boolean;
  readonly importSubnetRoutesWithPublicIp: boolean;
}

export interface Subnetwork extends Resource {
  /** The network's id. */
  readonly network: string;
  readonly cidr: string;
  readonly secondary: readonly SecondaryRange[];
  readonly ipv6: { readonly internal: string | undefined; readonly external: string | undefined };
  readonly privateGoogleAccess: boolean;
  /** Undefined: nobody said, and the subnetwork does not tell. */
  readonly log: Json | undefined;
}

export interface SecondaryRange {
  readonly name: string;
  readonly cidr: string;
}

/** A Cloud Router. Its NAT gateways are part of it. */
export interface Router extends Resource {
  /** The network's id. */
  readonly network: string;
  readonly bgp: Json | undefined;
  readonly nats: readonly RouterNat[];
}

export interface RouterNat {
  readonly name: string;
  readonly type: 'PUBLIC' | 'PRIVATE';
  readonly ranges: NatRanges;
  /** Only of `LIST_OF_SUBNETWORKS`. */
  readonly subnetworks: readonly NatSubnetwork[] | undefined;
}

export type NatRanges =
  | 'ALL_SUBNETWORKS_ALL_IP_RANGES'
  | 'ALL_SUBNETWORKS_ALL_PRIMARY_IP_RANGES'
  | 'LIST_OF_SUBNETWORKS';

export interface NatSubnetwork {
  /** The id of the subnetwork. */
  readonly subnetwork: string;
  readonly ranges: readonly string[];
}

export interface Firewall extends Resource {
  /** The network's id. */
  readonly network: string;
  readonly direction: 'INGRESS' | 'EGRESS';
  readonly priority: number;
  readonly rule: FirewallRule;
  readonly log: Json;
  readonly disabled: boolean;
}

/** A network firewall policy, global or of a region; of an organisation or folder, `parent` names that. */
export interface FirewallPolicy extends Resource {
  readonly rules: readonly PolicyRule[];
  readonly associations: readonly { readonly name: string; readonly network: string }[];
  /** Of a hierarchical one alone, which is named by a number. */
  readonly parent?: { readonly id: string; readonly shortName: string };
}

export interface PolicyRule {
  readonly priority: number;
  readonly action: 'allow' | 'deny' | 'goto_next';
  readonly direction: 'INGRESS' | 'EGRESS';
  readonly description: string | undefined;
  readonly disabled: boolean;
  readonly traffic: readonly FirewallTraffic[];
  /** Undefined lists were not given: then any address. */
  readonly sources: readonly string[] | undefined;
  readonly destinations: readonly string[] | undefined;
  readonly accounts: readonly string[] | undefined;
}

export interface FirewallRule {
  readonly action: 'allow' | 'deny';
  readonly traffic: readonly FirewallTraffic[];
  /** Undefined lists were not given; they are not shown. */
  readonly sources: {
    readonly ranges: readonly string[] | undefined;
    readonly tags: readonly string[] | undefined;
    readonly accounts: readonly string[] | undefined;
  };
  readonly destinations: readonly string[] | undefined;
  readonly targets: { readonly tags: readonly string[] | undefined; readonly accounts: readonly string[] | undefined };
}

export interface FirewallTraffic {
  /** As Google keeps it: a name it knows, in lower case, or a number. */
  readonly protocol: string;
  /** `22` or `8000-8100`; undefined: all. */
  readonly ports: readonly string[] | undefined;
}

export interface Route extends Resource {
  /** The network's id. */
  readonly network: string;
  readonly destination: string;
  readonly priority: number;
  readonly tags: readonly string[] | undefined;
  readonly next: NextHop;
}

export type NextHop =
  /** The default internet gateway. */
  | { readonly kind: 'internet' }
  /** Within the network: the route of a subnetwork. */
  | { readonly kind: 'subnetwork'; readonly subnetwork: string }
  /** The peered network, by the name of the peering. */
  | { readonly kind: 'peering'; readonly peering: string }
  | { readonly kind: 'ip'; readonly address: string }
  | { readonly kind: 'instance'; readonly instance: string };

export interface Operation extends Resource {
  readonly type: string;
  /** Whom it is about; `link` is absolute. */
  readonly target: { readonly link: string; readonly number: string };
  readonly asked: { readonly by: string; readonly requestId: string | undefined };
  /** Milliseconds on the sandbox's clock; `end` is when it will be done. */
  readonly time: { readonly start: number; readonly end: number };
  readonly done: boolean;
  readonly failure: Failure | undefined;
}

export interface Failure {
  /** As operations spell it: `RESOURCE_IN_USE_BY_ANOTHER_RESOURCE`. */
  readonly code: string;
  readonly message: string;
  readonly status: number;
}

/** Machines and their disks as a project holds them; both lie in zones. */

export type Labels = ReadonlyMap<string, string>;

export interface Instance extends Resource {
  readonly power: Power;
  readonly hardware: Hardware;
  readonly nic: Nic;
  readonly disks: readonly AttachedDisk[];
  readonly marks: Marks;
  readonly settings: InstanceSettings;
}

/** https://docs.cloud.google.com/compute/docs/instances/instance-lifecycle; a stopped machine is TERMINATED. */
export type Status = 'PROVISIONING' | 'STAGING' | 'RUNNING' | 'STOPPING' | 'TERMINATED';

interface Power {
  readonly status: Status;
  readonly startedAt: number | undefined;
  readonly stoppedAt: number | undefined;
}

export interface Hardware {
  readonly machineType: string;
  readonly cpuPlatform: string;
  readonly canIpForward: boolean;
  readonly shielded: Shielded;
}

interface Shielded {
  readonly secureBoot: boolean;
  readonly vtpm: boolean;
  readonly integrityMonitoring: boolean;
}

export interface Nic {
  readonly name: string;
  /** The id of the network. */
  readonly network: string;
  /** The id of the subnetwork. */
  readonly subnetwork: string;
  readonly address: string;
  readonly access: AccessConfig | undefined;
}

export interface AccessConfig {
  readonly name: string;
  readonly tier: NetworkTier;
  /** Ephemeral: absent while the machine is stopped, another one after each start. */
  readonly natIp: string | undefined;
}

type NetworkTier = 'PREMIUM' | 'STANDARD';

export interface AttachedDisk {
  /** The id of the disk. */
  readonly diskId: string;
  readonly deviceName: string;
  readonly boot: boolean;
  readonly autoDelete: boolean;
  readonly mode: DiskMode;
}

type DiskMode = 'READ_WRITE' | 'READ_ONLY';

export interface Marks {
  readonly labels: Labels;
  readonly tags: readonly string[];
  readonly metadata: Labels;
}

export interface InstanceSettings {
  readonly deletionProtection: boolean;
  readonly scheduling: Scheduling;
  readonly serviceAccounts: readonly ServiceAccount[];
}

export interface Scheduling {
  readonly onHostMaintenance: 'MIGRATE' | 'TERMINATE';
  readonly automaticRestart: boolean;
  readonly preemptible: boolean;
  readonly provisioningModel: 'STANDARD' | 'SPOT';
}

export interface ServiceAccount {
  readonly email: string;
  readonly scopes: readonly string[];
}

export interface Disk extends Resource {
  readonly type: string;
  readonly sizeGb: number;
  readonly labels: Labels;
  readonly source: DiskSource | undefined;
  /** Ids of the instances that hold it. */
  readonly users: readonly string[];
  readonly touched: { readonly attachedAt: number | undefined; readonly detachedAt: number | undefined };
}

/** The image it was made from, as it then was. */
export interface DiskSource {
  readonly project: string;
  readonly image: string;
  readonly imageNumber: string;
  readonly architecture: 'X86_64' | 'ARM64';
  readonly licenses: readonly string[];
}

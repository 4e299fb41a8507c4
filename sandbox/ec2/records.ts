/** The records of one account and region. Records are immutable: a change is a new record under the same id. */

export type Tags = ReadonlyMap<string, string>;

export interface Tagged {
  readonly id: string;
  readonly tags: Tags;
}

export interface Ipv6Block {
  readonly associationId: string;
  readonly cidr: string;
}

/** A block besides the first IPv4 and IPv6 one. A removed one is listed for a while. */
export interface FurtherBlock {
  readonly associationId: string;
  readonly family: 'ipv4' | 'ipv6';
  readonly cidr: string;
  readonly state: 'associated' | 'disassociated';
}

export interface Vpc extends Tagged {
  /**
   * The account that shares it with this one, with all that stands in it; undefined: it is this account's own.
   * https://docs.aws.amazon.com/vpc/latest/userguide/vpc-sharing.html
   */
  readonly sharedBy?: string | undefined;
  readonly cidr: string;
  readonly associationId: string;
  readonly ipv6: Ipv6Block | undefined;
  readonly further: readonly FurtherBlock[];
  readonly isDefault: boolean;
  readonly tenancy: string;
  readonly dns: { readonly support: boolean; readonly hostnames: boolean; readonly addressMetrics: boolean };
}

export interface Subnet extends Tagged {
  readonly vpcId: string;
  readonly cidr: string;
  readonly zone: string;
  readonly ipv6: Ipv6Block | undefined;
  readonly defaultForAz: boolean;
  readonly onLaunch: { readonly publicIp: boolean; readonly ipv6: boolean };
}

export interface InternetGateway extends Tagged {
  readonly vpcId: string | undefined;
}

export interface Route {
  readonly destination: string;
  readonly family: 'ipv4' | 'ipv6' | 'prefix-list';
  /** `local`, or the id of a gateway, peering or interface. */
  readonly target: string;
  readonly origin: 'CreateRouteTable' | 'CreateRoute' | 'EnableVgwRoutePropagation';
}

export interface ElasticAddress extends Tagged {
  readonly publicIp: string;
}

export interface NatGateway extends Tagged {
  readonly vpcId: string;
  readonly subnetId: string;
  readonly connectivity: 'public' | 'private';
  readonly state: 'pending' | 'available' | 'failed' | 'deleting' | 'deleted';
  readonly interfaceId: string;
  readonly address: { readonly privateIp: string; readonly publicIp: string | undefined };
  readonly createdAt: number;
  readonly deletedAt: number | undefined;
}

export type PeeringStatus = (typeof allPeeringStatuses)[number];

/** https://docs.aws.amazon.com/vpc/latest/peering/vpc-peering-basics.html#vpc-peering-lifecycle */
export const allPeeringStatuses = [
  'initiating-request',
  'pending-acceptance',
  'failed',
  'expired',
  'rejected',
  'provisioning',
  'active',
  'deleting',
  'deleted',
] as const;

export interface Peering extends Tagged {
  readonly requester: PeeredVpc;
  readonly accepter: PeeredVpc;
  readonly status: PeeringStatus;
  readonly expiresAt: number;
}

/** One side of a peering. `cidrs`: unknown of another account's VPC until that accepts. */
export interface PeeredVpc {
  readonly vpcId: string;
  readonly account: string;
  readonly region: string;
  readonly cidrs: readonly string[];
}

export interface RouteTableAssociation {
  readonly id: string;
  /** Undefined: this is the VPC's main table. */
  readonly subnetId: string | undefined;
}

export interface RouteTable extends Tagged {
  readonly vpcId: string;
  readonly routes: readonly Route[];
  readonly associations: readonly RouteTableAssociation[];
}

/** The last denial of each direction is not in `entries`. `associations`: of a default one none: it has the subnets of no other. */
export interface NetworkAcl extends Tagged {
  readonly vpcId: string;
  readonly isDefault: boolean;
  readonly entries: readonly AclEntry[];
  readonly associations: readonly { readonly id: string; readonly subnetId: string }[];
}

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_NetworkAclEntry.html */
export interface AclEntry {
  readonly number: number;
  readonly egress: boolean;
  readonly action: 'allow' | 'deny';
  /** A number as text; -1 is all. */
  readonly protocol: string;
  readonly family: 'ipv4' | 'ipv6';
  readonly cidr: string;
  /** Ports at the receiving end, of TCP and UDP. */
  readonly ports: { readonly from: number; readonly to: number } | undefined;
  /** Of ICMP; -1 is all. */
  readonly icmp: { readonly type: number; readonly code: number } | undefined;
}

export interface SecurityGroup extends Tagged {
  /** The account that shares it with this one: https://docs.aws.amazon.com/vpc/latest/userguide/security-group-sharing.html */
  readonly sharedBy?: string | undefined;
  readonly name: string;
  readonly description: string;
  readonly vpcId: string;
}

export type Peer =
  | { readonly kind: 'ipv4' | 'ipv6'; readonly cidr: string }
  | { readonly kind: 'prefix-list'; readonly prefixListId: string }
  | { readonly kind: 'group'; readonly groupId: string; readonly userId: string };

export interface Traffic {
  /** As EC2 reports it: tcp, udp, icmp, icmpv6, -1, or another number. */
  readonly protocol: string;
  /** Ports, or ICMP type and code. Undefined where the protocol has none. */
  readonly from: number | undefined;
  readonly to: number | undefined;
}

export interface GroupRule extends Tagged {
  readonly groupId: string;
  readonly egress: boolean;
  readonly traffic: Traffic;
  readonly peer: Peer;
  readonly description: string | undefined;
}

export interface NetworkInterface extends Tagged {
  readonly place: { readonly subnetId: string; readonly vpcId: string; readonly zone: string };
  readonly groups: readonly string[];
  readonly address: {
    readonly privateIp: string;
    readonly publicIp: string | undefined;
    /** Where the public address is an elastic one. */
    readonly elastic?: { readonly allocationId: string; readonly associationId: string } | undefined;
    readonly mac: string;
    readonly ipv6: readonly string[];
  };
  readonly attachment: InterfaceAttachment | undefined;
  readonly description: string;
  /** The requester is an instance's owner, or a service such as `amazon-elb`. */
  readonly requester: {
    readonly id: string | undefined;
    readonly managed: boolean;
    readonly type: string;
    readonly sourceDestCheck: boolean;
  };
}

export interface InterfaceAttachment {
  readonly id: string;
  readonly instanceId: string;
  readonly deviceIndex: number;
  readonly deleteOnTermination: boolean;
  readonly at: number;
}

export interface Volume extends Tagged {
  readonly zone: string;
  readonly createdAt: number;
  readonly disk: Disk;
  readonly attachment: VolumeAttachment | undefined;
  readonly modification: VolumeModification | undefined;
}

export interface Disk {
  readonly size: number;
  readonly type: string;
  readonly iops: number | undefined;
  readonly throughput: number | undefined;
  readonly encrypted: boolean;
  readonly snapshotId: string;
}

export interface VolumeAttachment {
  readonly instanceId: string;
  readonly device: string;
  readonly deleteOnTermination: boolean;
  readonly at: number;
}

export interface VolumeModification {
  readonly state: 'modifying' | 'optimizing' | 'completed';
  readonly original: Disk;
  readonly target: Disk;
  readonly startedAt: number;
  readonly endedAt: number | undefined;
}

export type Power = 'pending' | 'running' | 'stopping' | 'stopped' | 'shutting-down' | 'terminated';

export interface Instance extends Tagged {
  readonly launch: Launch;
  readonly size: { readonly type: string; readonly ebsOptimized: boolean };
  readonly power: {
    readonly state: Power;
    readonly reason: StateReason | undefined;
    readonly since: number;
    readonly startedAt: number;
  };
  readonly parts: { readonly interfaceIds: readonly string[]; readonly volumeIds: readonly string[] };
  readonly settings: InstanceSettings;
}

export interface StateReason {
  readonly code: string;
  readonly message: string;
  readonly transition: string;
}

export interface Launch {
  readonly reservationId: string;
  readonly index: number;
  readonly imageId: string;
  readonly clientToken: string;
  readonly place: {
    readonly subnetId: string;
    readonly vpcId: string;
    readonly zone: string;
    readonly tenancy: string;
  };
  readonly keyName: string | undefined;
}

export interface InstanceSettings {
  readonly userData: string | undefined;
  readonly protect: { readonly termination: boolean; readonly stop: boolean };
  readonly onShutdown: string;
  readonly metadata: {
    readonly tokens: string;
    readonly hops: number;
    readonly endpoint: string;
    readonly tags: string;
  };
  readonly monitoring: boolean;
  /** `standard` or `unlimited`; undefined of a type that earns no credits. */
  readonly credits: string | undefined;
  readonly publicIp: boolean;
}

export interface ProfileAssociation extends Tagged {
  readonly instanceId: string;
  readonly profile: { readonly arn: string; readonly profileId: string };
  readonly state: 'associating' | 'associated' | 'disassociating';
  readonly at: number;
}

export interface Image extends Tagged {
  readonly name: string;
  readonly architecture: string;
  readonly rootDevice: string;
  readonly rootSize: number;
  readonly ownerId: string;
  /** `amazon`, `aws-marketplace` or `aws-backup-vault`. Only AWS sets it. */
  readonly ownerAlias: string | undefined;
  readonly createdAt: number;
  /** From then on EC2 lists it to its owner, by its id, or with `IncludeDeprecated`. */
  readonly deprecatedAt: number | undefined;
  /** The fault of its machines: EC2 ends them so many ms after their launch, or their status checks never pass. */
  readonly broken?: { readonly diesAfterMs: number } | 'impaired';
}

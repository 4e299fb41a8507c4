/** What one subscription holds. Records are immutable: a change is a new record under the same id. */

export type Tags = ReadonlyMap<string, string>;

export type ProvisioningState = 'Creating' | 'Updating' | 'Deleting' | 'Succeeded' | 'Failed';

/** What moves with every write. */
export interface Version {
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
  readonly kept: Kept;
}

/** Its etag is its network's. */
export interface Subnet {
  readonly id: string;
  readonly path: string;
  readonly prefixes: SubnetPrefixes;
  /** The path of its security group, as its writer spelled it. */
  readonly securityGroup: string | undefined;
  /** Undefined: nobody said, and Azure gives machines a way out. */
  readonly defaultOutbound: boolean | undefined;
  readonly kept: Kept;
}

export interface SubnetPrefixes {
  readonly list: readonly string[];
  /** Whether it was written as `addressPrefix` or as `addressPrefixes`: it is reported the same way. */
  readonly spelling: 'singular' | 'plural';
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

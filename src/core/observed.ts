import type { DeletionPolicy } from './desired.ts';
import type {
  Address,
  Attributes,
  allUnlistedSettings,
  CloudId,
  Kind,
  MachineSettings,
  NetworkSettings,
  ScopeKey,
  SubnetSettings,
} from './resource.ts';

/** One resource as a cloud reported it, in the same normalised form as a desired one; its Refs are raw cloud ids. */
export interface Observed<K extends Kind = Kind> {
  readonly kind: K;
  readonly id: CloudId;
  /** The cloud's display name; '' where it has none. */
  readonly name: string;
  readonly attributes: Attributes[K];
  readonly signs: Signs;
  readonly condition: Condition;
}

/** The signs of ownership on the cloud. They prove nothing by themselves: see claim.ts. */
export interface Signs {
  readonly mark?: Mark;
  /** AWS group; Azure: the network whose NSG it is. A rule inside it is owned through it. */
  readonly container?: CloudId;
  /** Azure subnets bear no mark: the VNet through whose mark, and the store's word, they are ours. */
  readonly parent?: CloudId;
  /** The slot that its name takes, where the cloud keeps names unique, as `slotOf` in address.ts returns it. */
  readonly slot?: string;
  /** AWS, a machine of a batched launch: the ordinal that the launch began with. A mark of its own takes it away. */
  readonly first?: number;
  /** Its likely origin when no estate created it. */
  readonly origin?: Origin;
}

export interface Origin {
  /** `shared`: another account owns it, and lets this one use it. */
  readonly why: 'provider-default' | 'service-child' | 'other-tool' | 'shared';
  /** For people: "default security group of vpc-0a1", "made by eks.amazonaws.com". */
  readonly detail: string;
  /** The service or tool that made it, equal for all that it made: "EKS", "Terraform". Absent where the cloud made it, or another account. */
  readonly maker?: string;
}

/**
 * Our mark, as tags, labels or a description state it. Where adopted objects have equal marks, theirs has no address and nothing
 * that follows it: the store and the document's `adopt` tell the address. See plan/marks.ts.
 */
export interface Mark {
  readonly estate: string;
  readonly store: string;
  readonly address?: Address;
  readonly deletionPolicy?: DeletionPolicy;
  readonly intent?: string;
  readonly attempt?: number;
}

/** As written in the creating call. */
export interface AddressedMark extends Mark {
  readonly address: Address;
}

/**
 * `state`: `gone` is still listed but dead (a terminated instance); `deleting` will be; neither counts as present.
 * `version`: etag or fingerprint, sent back so that a stale write is refused. `missing`: parts that are half made.
 */
export interface Condition {
  readonly state: 'ready' | 'pending' | 'deleting' | 'gone';
  readonly version?: string;
  /** The cloud's own words on why it ended. */
  readonly reason?: string;
  readonly parts?: readonly Part[];
  readonly missing?: readonly string[];
  /** False when something of ours or others stands in it; absent where nobody looked. Twins are deleted only if empty. */
  readonly empty?: boolean;
  /** Of a network or subnet: blocks of addresses besides its `cidr`, in canonical text. */
  readonly furtherBlocks?: readonly string[];
  /** Settings that security people ask about and that a document does not compare unless it states them, in order. */
  readonly unstated?: readonly Setting[];
  /** Settings that no document can state and that differ from the cloud's default. Only `explain` and import show them. */
  readonly inexpressible?: readonly Pick<Setting, 'field' | 'detail'>[];
  /** Of a machine: settings whose values the cloud chose, or may have chosen. Import does not state them. */
  readonly assigned?: readonly (keyof MachineSettings)[];
  /** Settings whose listing failed or was short. They are not in its attributes. */
  readonly unlisted?: readonly UnlistedSetting[];
  /**
   * Azure: the security groups on a subnet or on the interface of a machine, and the one that holds a rule. Of a network's own security
   * group the id of the network. Absent where nobody told.
   */
  readonly filters?: readonly CloudId[] | undefined;
  /** True of a machine with disks that a stop empties. Absent where the cloud does not say: it may have some. */
  readonly ephemeral?: boolean;
  /** Of a machine: its disks for data, in order: besides the one that it boots from, and those that a stop empties. */
  readonly dataDisks?: readonly DataDisk[];
}

/** `id`: for people. `isDeletedWithMachine`: the cloud deletes it with its machine, or may do so. */
export interface DataDisk {
  readonly id: string;
  readonly isDeletedWithMachine: boolean;
}

/**
 * `field`: in the cloud's words, unique within its object. `detail`: for people, after the name of its object; no secret. `statedBy`:
 * the key of `settings` that can state it.
 */
export interface Setting {
  readonly field: string;
  readonly detail: string;
  readonly statedBy?: keyof MachineSettings | keyof NetworkSettings | keyof SubnetSettings;
}

/** `code`, `reason`: of the failed listing, in the cloud's words where it has any. */
export interface UnlistedSetting {
  readonly setting: (typeof allUnlistedSettings)[number];
  readonly code: string;
  readonly reason: string;
}

/** An object that stands and falls with a resource: gateway, route table, NIC, disk. */
export interface Part {
  readonly part: string;
  readonly id: CloudId;
}

/** One look at a scope. */
export interface Observation {
  readonly scope: ScopeKey;
  /** Milliseconds since the epoch, when the look began. */
  readonly at: number;
  readonly resources: readonly Observed[];
  readonly gaps: readonly Gap[];
  /** Regions of some of the scope's targets that the cloud does not have. Where it has none of them, each kind has a gap. */
  readonly unknownRegions?: readonly UnknownRegion[];
  /** Ids that our store knows, that the listing missed, and whose last write is too recent to judge. */
  readonly pending: readonly CloudId[];
  /** Absent: the cloud has none, no machine stands, or nobody listed them. */
  readonly outerFilters?: OuterFilters;
  /** Absent: no policy asks for facts of images, or nobody read them. */
  readonly images?: ImageFacts;
  /** Requests it took. */
  readonly calls: number;
}

/**
 * Facts of images, as the cloud reports them. `at`: when the reading began, ms since the epoch. `unread`: the images of which it reports
 * none, each with the reason.
 */
export interface ImageFacts {
  readonly at: number;
  readonly read: readonly ImageFact[];
  readonly unread: readonly UnreadImage[];
}

/**
 * - `image`: as the spec names it, such as `ami-0abc` or `Debian:debian-12:12-gen2:latest`. A family, and a version that is `latest`, stand
 *   for the image that a launch would take now.
 * - `owner`: the account (AWS), project (Google Cloud), or publisher (Azure) that published it; of an own image on Azure the subscription.
 * - `verified`: the cloud itself vouches for the owner: see docs/policies.md.
 * - `deprecated`: the owner advises against it, or its date of deprecation is over.
 * - `createdAt`: ms since the epoch. Absent: the cloud does not report it, as for images of Azure's marketplace.
 */
export interface ImageFact {
  readonly image: string;
  readonly owner: string;
  readonly verified: boolean;
  readonly deprecated: boolean;
  readonly createdAt?: number;
}

/** `reason`: a sentence for people, in the cloud's words where it has any; no secret. */
export interface UnreadImage {
  readonly image: string;
  readonly reason: string;
}

/**
 * Filters that decide on traffic besides security groups and firewall rules, such as network ACLs of AWS, firewall policies of Google
 * Cloud and security admin rules of Azure. `at`: when their listing began, ms since the epoch. `subnets`: those that held a machine then.
 */
export interface OuterFilters {
  readonly at: number;
  readonly subnets: readonly SubnetFilters[];
}

/**
 * `filters`: the names of those that may decide on some traffic of the subnet, in the cloud's words. `unlisted`: the listings that failed,
 * with the reason. Both empty: nothing but rules decides.
 */
export interface SubnetFilters {
  readonly subnet: CloudId;
  readonly filters: readonly string[];
  readonly unlisted: readonly string[];
}

/** `reason`: a sentence with the places of the region in the specs, and the way to list the right ones. */
export interface UnknownRegion {
  readonly region: string;
  readonly reason: string;
}

/** A listing that failed or was cut short: absence of that kind proves nothing. */
export interface Gap {
  readonly kind: Kind;
  readonly code: string;
  readonly reason: string;
}

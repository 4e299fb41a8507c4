import { compareText } from './text.ts';

/** Clouds we speak to; `memory` is the reference provider. */
export type Cloud = 'aws' | 'gcp' | 'azure' | 'memory';

/** The unit that a provider lists, locks and limits together, as text: `aws/111122223333/eu-west-1`. */
export type ScopeKey = string;

/** Our stable name: `aws/111122223333/eu-west-1/subnet/core.app`. See the word list in the design. */
export type Address = string;

/** The cloud's own name for an object. Never parsed outside its provider. */
export type CloudId = string;

/** Points at another resource: its `Address` where it is ours, else the raw `CloudId` that the cloud reported. */
export type Ref = string;

/** User labels (tags). Owned per key: a key that nobody stated is not ours. */
export type Labels = Readonly<Record<string, string>>;

/**
 * The owned attributes of each kind, in one normalised form for desired and observed. Adding a kind starts with one line here.
 * In a desired resource an absent key is unowned: neither compared nor changed. Nested objects are owned per key.
 */
export interface Attributes {
  readonly network: NetworkAttributes;
  readonly subnet: SubnetAttributes;
  readonly group: GroupAttributes;
  readonly 'firewall-rule': RuleAttributes;
  readonly instance: InstanceAttributes;
}
export type Kind = keyof Attributes;

/**
 * - `internet`: the way out stands complete (AWS: gateway and default route; GCP: the default route).
 * - `filter`: the network's own filter stands, and is marked as ours (Azure: its NSG).
 *
 * Observed `'partial'` when only some of the parts are there. Each is stated only where the cloud has it.
 */
export interface NetworkAttributes {
  readonly cidr?: string;
  readonly internet?: boolean | 'partial';
  readonly filter?: boolean | 'partial';
  readonly settings?: NetworkSettings;
  readonly labels: Labels;
}

/**
 * Settings of an existing network that Setpoint compares and does not change yet. Owned per key; each only where the cloud has it and
 * was asked for it. All lists are sorted.
 *
 * - `secondaryCidrs`, `ipv6Cidrs`: its blocks of addresses besides `cidr`.
 * - `routes`: Google Cloud: without those that the cloud makes for subnets and peerings. By destination, then by next hop.
 * - `natGateways`: AWS: ids. Google Cloud: `<region>/<router>/<name>`.
 * - `peerings`: by name.
 */
export interface NetworkSettings {
  readonly secondaryCidrs?: readonly string[];
  readonly ipv6Cidrs?: readonly string[];
  readonly routes?: readonly Route[];
  readonly natGateways?: readonly string[];
  readonly peerings?: readonly Peering[];
}

/**
 * `nextHop`: the id or the name of a gateway, peering, machine or address that the cloud sends the packets to. Google Cloud: `priority`
 * unless it is the usual one, and the tags of the machines that it is for unless it is for all; tags are sorted.
 */
export interface Route {
  readonly destination: string;
  readonly nextHop: string;
  readonly priority?: number;
  readonly tags?: readonly string[];
}

/** "The default value is 1000": https://docs.cloud.google.com/compute/docs/reference/rest/v1/routes */
const usualPriority = 1000;

/** The priority and the tags of a route where they are not the usual ones. */
export const routeTerms = (
  priority: number | undefined,
  tags: readonly string[] | undefined,
): Pick<Route, 'priority' | 'tags'> => ({
  ...(priority === undefined || priority === usualPriority ? {} : { priority }),
  ...(tags === undefined || tags.length === 0 ? {} : { tags: tags.toSorted(compareText) }),
});

export const sortRoutes = (routes: readonly Route[]): readonly Route[] =>
  routes.toSorted(
    (a, b) =>
      compareText(a.destination, b.destination) ||
      compareText(a.nextHop, b.nextHop) ||
      (a.priority ?? usualPriority) - (b.priority ?? usualPriority) ||
      compareText((a.tags ?? []).join(' '), (b.tags ?? []).join(' ')),
  );

/** `name`: of the peering; AWS: its id. `network`: the id of the other network; Google Cloud: its path. */
export interface Peering {
  readonly name: string;
  readonly network: string;
}

/**
 * `internet`: instances here reach the network's gateway (AWS: our route table is associated). `filter`: the network's own
 * filter is on it (Azure: the NSG), and nothing leaves by a way that nobody asked for.
 */
export interface SubnetAttributes {
  readonly network: Ref;
  readonly cidr: string;
  readonly zone?: string;
  readonly internet?: boolean | 'partial';
  readonly filter?: boolean;
  readonly settings?: SubnetSettings;
  readonly labels: Labels;
}

/**
 * Settings of an existing subnet that Setpoint compares and does not change yet. Owned per key; each only where the cloud has it and
 * was asked for it. All lists are sorted.
 *
 * - `secondaryCidrs`, `ipv6Cidrs`: its blocks of addresses besides `cidr`.
 * - `secondaryRanges`: by name.
 * - `routes`: of the route table that holds here, without those that the cloud makes by itself. By destination, then by next hop.
 * - `natGateway`: its name in the resource group of the network; in another one its id.
 */
export interface SubnetSettings {
  readonly secondaryCidrs?: readonly string[];
  readonly ipv6Cidrs?: readonly string[];
  readonly secondaryRanges?: readonly { readonly name: string; readonly cidr: string }[];
  readonly privateGoogleAccess?: boolean;
  readonly publicIpOnLaunch?: boolean;
  readonly routes?: readonly Route[];
  readonly natGateway?: string;
}

/** Settings that need a listing of their own: asked for where a document states them. */
export const allListedSettings = ['routes', 'natGateways', 'peerings'] as const;
export type ListedSetting = (typeof allListedSettings)[number];

/**
 * Settings whose value may be unlisted though the rest of the object is known. Azure lists public addresses apart from the interface
 * that names them.
 */
export const allUnlistedSettings = [...allListedSettings, 'staticPublicIp'] as const;

/**
 * `defaultEgress` is spoken at creation only and never compared: afterwards the atoms speak for themselves. `description`: only on
 * clouds that have it.
 */
interface GroupAttributes {
  readonly network: Ref;
  readonly defaultEgress?: 'allow' | 'deny';
  readonly description?: string;
  readonly labels: Labels;
}

/**
 * One atom: the smallest rule its cloud holds.
 *
 * - `group`: the Ref of the group that holds it and that it applies to (AWS); absent where its network holds it.
 * - `protocol`: `tcp` `udp` `icmp` `icmpv6` `all`, or a number as text.
 * - `ports`: canonical text: `all`, `443`, `8000-8100`, several joined by `,` where the cloud's rule holds a list;
 *   for icmp `type/code`, `type/all`, or `all`.
 * - `peers`: sorted; a canonical CIDR, `group:<Ref>`, `tag:<name>`, `prefix-list:<id>`, `service-tag:<name>` or `any`.
 * - `targets`: sorted; where the network holds the rule, whom it applies to: Refs of groups, or `tag:<name>` where groups
 *   are only names (GCP). Empty: everyone in the network.
 */
export interface RuleAttributes {
  readonly network: Ref;
  readonly group?: Ref;
  readonly match: RuleMatch;
  readonly description: string;
  /** Only on clouds that have them. */
  readonly order?: { readonly priority: number; readonly disabled?: boolean; readonly log?: boolean };
}

export interface RuleMatch {
  readonly direction: 'ingress' | 'egress';
  readonly action: 'allow' | 'deny';
  readonly protocol: string;
  readonly ports: string;
  readonly peers: readonly string[];
  readonly targets?: readonly Ref[];
}

/** `userData` and `access` are hashes: the text itself never stands in a plan, a ledger or an answer. */
export interface InstanceAttributes {
  readonly placement: { readonly subnet: Ref; readonly zone?: string; readonly publicIp: boolean };
  readonly groups?: readonly Ref[];
  readonly machine: {
    readonly image?: string;
    readonly size: string;
    readonly identity?: string;
    readonly power: 'running' | 'stopped';
  };
  readonly disk?: { readonly size?: number; readonly type?: string; readonly encrypted?: boolean };
  readonly boot?: { readonly userData?: string; readonly access?: string };
  readonly settings?: MachineSettings;
  readonly labels: Labels;
}

/**
 * Settings of an existing machine that Setpoint compares and does not change yet. Owned per key; each only where the cloud has it.
 *
 * - `ipForwarding`: it may send and receive packets of others. On AWS: its source/destination check is off.
 * - `scopes`: sorted; full URLs.
 * - `privateIp`, `staticPublicIp`: IPv4 addresses of the primary interface.
 * - `dataDisks`, `interfaces`: sorted ids or names, without the boot disk and the primary interface.
 */
export interface MachineSettings {
  readonly keyPair?: string;
  readonly spot?: boolean;
  readonly ipForwarding?: boolean;
  readonly metadataTokens?: 'required' | 'optional';
  readonly scopes?: readonly string[];
  readonly privateIp?: string;
  readonly staticPublicIp?: string;
  readonly zone?: string;
  readonly availabilitySet?: string;
  readonly bootDiagnostics?: boolean;
  readonly dataDisks?: readonly string[];
  readonly interfaces?: readonly string[];
}

/** `aws/1111/eu-west-1/subnet/core.app` → `core.app`. Names hold no `/` before the last kind, so the kind finds the cut. */
export function nameIn(address: Address, kind: Kind): string {
  const cut = address.indexOf(`/${kind}/`);
  return cut < 0 ? address : address.slice(cut + kind.length + 2);
}

/** `aws/1111/eu-west-1/group/core.web` → `aws/1111/eu-west-1`. */
export function prefixIn(address: Address, kind: Kind): string {
  const cut = address.indexOf(`/${kind}/`);
  return cut < 0 ? address : address.slice(0, cut);
}

/** `aws/1111/eu-west-1/instance/web` → `instance web`, for people. */
export const shortAddress = (address: Address): string => address.split('/').slice(-2).join(' ');

/** The document of a replica: `…/instance/web-3` → `…/instance/web`. */
export const documentOfReplica = (address: Address): Address => address.replace(/-\d+$/, '');

/** True where it is one of our addresses, and no id of a cloud's: Azure's and Google's hold slashes too. */
export const isAddress = (ref: Ref | Address | CloudId): boolean =>
  /^(?:aws|gcp|azure|memory)\/.*\/(?:network|subnet|group|firewall-rule|instance)\/[^/]+$/.test(ref);

/** The place that a name takes where the cloud keeps names unique: `gcp/acme/global/network/core`. Azure tells no case apart. */
export const slotOf = (prefix: string, kind: Kind, name: string): string => `${prefix}/${kind}/${name}`.toLowerCase();

/** All that specs may name; `memory` is nobody's, for tests and first steps. */
export const clouds = ['aws', 'gcp', 'azure', 'memory'] as const satisfies readonly Cloud[];

import type { Labels, Ref } from './resource.ts';

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
  readonly labels: Labels;
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
  readonly labels: Labels;
}

/** `defaultEgress` is spoken at creation only and never compared: afterwards the atoms speak for themselves. */
export interface GroupAttributes {
  readonly network: Ref;
  readonly defaultEgress?: 'allow' | 'deny';
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
    readonly image: string;
    readonly size: string;
    readonly identity?: string;
    readonly power: 'running' | 'stopped';
  };
  readonly disk?: { readonly size?: number; readonly type?: string; readonly encrypted?: boolean };
  readonly boot?: { readonly userData?: string; readonly access?: string };
  readonly labels: Labels;
}

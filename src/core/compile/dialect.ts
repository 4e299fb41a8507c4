import type { RuleAttributes } from '../attributes.ts';
import type { Presence } from '../desired.ts';
import type { Address, Cloud, Kind, ScopeKey } from '../resource.ts';

/** How one cloud says what a spec means: pure, so that planning needs no SDK. Each provider exports one. */
export interface Dialect {
  readonly cloud: Cloud;
  /** `aws/<account>/<region>`. */
  scope(place: Place): ScopeKey;
  /** What stands before `/<kind>/<name>` in an address: `aws/1111/eu-west-1`, `gcp/acme/global`. */
  prefix(kind: Kind, place: Place): string;
  /** What the object is called on the cloud: `core`, `core-app`, `core-web`, `web-0`. */
  objectName(kind: Kind, name: string): string;
  /** Whether groups are objects (AWS, Azure, memory) or only names (GCP tags). */
  readonly groupObjects: boolean;
  readonly rules: RuleDialect;
}

export interface RuleDialect {
  /** One rule document as this cloud's atoms. Refs are addresses. */
  atoms(rule: RuleDraft): readonly RuleAttributes[];
  /** The atoms that say the network's `default` here, for each group that exists. */
  defaults(network: NetworkDraft): readonly DefaultAtom[];
  /**
   * What tells an atom apart from its neighbours in a container: the end of its address. Two atoms with one name are one.
   * `refName` gives a short text for a Ref.
   */
  atomName(atom: RuleAttributes, refName: (ref: string) => string): string;
}

export interface DefaultAtom {
  readonly atom: RuleAttributes;
  readonly presence: Presence;
}

/** A rule with everything about spelling already settled: canonical CIDRs, port ranges merged, groups as addresses. */
export interface RuleDraft {
  readonly network: Address;
  readonly group: Address;
  readonly base: Pick<RuleAttributes['match'], 'direction' | 'action' | 'protocol'>;
  /** Canonical single ranges (`443`, `8000-8100`) or [`all`]; icmp `8/0`, `8/all`. */
  readonly ports: readonly string[];
  readonly peers: readonly string[];
  readonly extra: {
    readonly description: string;
    readonly priority: number;
    readonly disabled: boolean;
    readonly log: boolean;
  };
}

export interface NetworkDraft {
  readonly network: Address;
  readonly groups: readonly Address[];
  readonly default: { readonly ingress: 'allow' | 'deny'; readonly egress: 'allow' | 'deny' };
}

/** Where a target is. */
export interface Place {
  readonly account: string;
  readonly region: string;
  readonly zone?: string;
  readonly resourceGroup?: string;
}

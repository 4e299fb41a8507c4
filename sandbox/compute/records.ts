/**
 * What one project holds. Records are immutable: a change is a new record under the same id. Instances and disks are in
 * `instance-records.ts`.
 */

export type Json = Readonly<Record<string, unknown>>;

/** `global`, `regions/europe-west1` or `zones/europe-west1-b`. */
export type Scope = 'global' | `regions/${string}` | `zones/${string}`;

export interface Resource {
  /** Its place below the project, such as `global/networks/core`. Another may have it later. */
  readonly id: string;
  /** What the API calls `id`: a decimal number of 64 bits that never comes again. */
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
}

export interface Subnetwork extends Resource {
  /** The network's id. */
  readonly network: string;
  readonly cidr: string;
  readonly privateGoogleAccess: boolean;
  /** Undefined: nobody said, and the subnetwork does not tell. */
  readonly log: Json | undefined;
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

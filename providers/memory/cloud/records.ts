import type { RuleMatch } from '../../../src/core/resource.ts';

/** The fields of every object. `tags` may be written by anyone who may write at all; those beginning `cloud:` only by the cloud. */
export interface Tagged {
  readonly id: string;
  readonly tags: Readonly<Record<string, string>>;
}

export interface NetworkRecord extends Tagged {
  readonly cidr: string;
  readonly isDefault: boolean;
}

/** Free, or attached to one network. */
export interface GatewayRecord extends Tagged {
  readonly network?: string;
}

/** `gateway`: where its default route leads. `subnets`: those that use it. */
export interface RouteTableRecord extends Tagged {
  readonly network: string;
  readonly gateway?: string;
  readonly subnets: readonly string[];
}

export interface SubnetRecord extends Tagged {
  readonly network: string;
  readonly cidr: string;
  readonly zone: string;
}

export interface GroupRecord extends Tagged {
  readonly network: string;
  readonly name: string;
  readonly isDefault: boolean;
}

/** One atom in its group. It bears no tags. `peer` as in `RuleAttributes.match.peers`; ports −1 to −1 mean all. */
export interface RuleRecord {
  readonly id: string;
  readonly group: string;
  readonly description: string;
  readonly match: RuleShape;
}

export interface RuleShape {
  readonly direction: RuleMatch['direction'];
  readonly protocol: string;
  readonly from: number;
  readonly to: number;
  readonly peer: string;
}

/** `index`: its place in its launch, from 0. */
export interface InstanceRecord extends Tagged {
  readonly launch: { readonly token: string; readonly index: number };
  readonly place: {
    readonly network: string;
    readonly subnet: string;
    readonly zone: string;
    readonly publicIp: boolean;
  };
  readonly groups: readonly string[];
  readonly hardware: Hardware;
  readonly power: Power;
}

export interface Hardware {
  readonly image: string;
  readonly size: string;
  readonly identity?: string;
  readonly disk: Disk;
}

export interface Disk {
  readonly size: number;
  readonly type: string;
  readonly encrypted: boolean;
}

/** The requested state and its time: the current state follows from the clock. */
export interface Power {
  readonly sent: 'run' | 'stop' | 'terminate';
  readonly at: number;
}

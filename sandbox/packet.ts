/** "May A reach B?" answered from what a cloud holds. Clouds give the gates; which gate says no is the reason. */

export interface Packet {
  /** tcp, udp, icmp, icmpv6, or a number as text. */
  readonly protocol: string;
  /** The port at the receiving end; for ICMP the type. Absent: a protocol without ports. */
  readonly port: number | undefined;
}

/** One end of the way, as the other end's rules see it. */
export interface Party {
  readonly name: string;
  readonly address: string;
  /** Security groups or network tags that count on this way. */
  readonly labels: readonly string[];
}

/** One rule of any cloud's filter. Of the rules that match, the lowest `priority` decides; at a tie `deny` does. */
export interface FilterRule {
  readonly name: string;
  readonly action: 'allow' | 'deny';
  readonly priority: number;
  readonly covers: (packet: Packet) => boolean;
  readonly matches: (peer: Party) => boolean;
}

export interface Gate {
  readonly name: string;
  readonly decide: () => Decision;
}

export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

export interface Verdict {
  readonly allowed: boolean;
  /** Every gate up to the first that refused. */
  readonly steps: readonly (Decision & { readonly gate: string })[];
}

export interface Filter {
  readonly rules: readonly FilterRule[];
  /** What happens to a packet that no rule matches. */
  readonly otherwise: 'allow' | 'deny';
}

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

interface Decision {
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
  /** The verdict on a packet that no rule matches. */
  readonly otherwise: 'allow' | 'deny';
}

export function checkPacket(gates: readonly Gate[]): Verdict {
  const steps: (Decision & { readonly gate: string })[] = [];
  for (const gate of gates) {
    const decision = gate.decide();
    steps.push({ gate: gate.name, ...decision });
    if (!decision.allowed) return { allowed: false, steps };
  }
  return { allowed: true, steps };
}

/** A stateful filter: only the first packet of a conversation is asked about. */
export function filterGate(name: string, filter: Filter, packet: Packet, peer: Party): Gate {
  return {
    name,
    decide: () => {
      const first = decidingRule(filter.rules, packet, peer);
      if (!first)
        return { allowed: filter.otherwise === 'allow', reason: `no rule matches ${peer.name} (${peer.address})` };
      return { allowed: first.action === 'allow', reason: `${first.name} ${first.action}s it` };
    },
  };
}

/** The rule that decides on a packet; undefined where none matches. */
export function decidingRule<R extends FilterRule>(rules: readonly R[], packet: Packet, peer: Party): R | undefined {
  const hits = rules.filter((rule) => rule.covers(packet) && rule.matches(peer));
  return hits.toSorted(
    (a, b) => a.priority - b.priority || Number(a.action === 'allow') - Number(b.action === 'allow'),
  )[0];
}

export function gate(name: string, allowed: boolean, reason: string): Gate {
  return { name, decide: () => ({ allowed, reason }) };
}

import type { Decision, Filter, Gate, Packet, Party, Verdict } from './packet.ts';

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
      const hits = filter.rules.filter((rule) => rule.covers(packet) && rule.matches(peer));
      const first = hits.toSorted(
        (a, b) => a.priority - b.priority || Number(a.action === 'allow') - Number(b.action === 'allow'),
      )[0];
      if (!first)
        return { allowed: filter.otherwise === 'allow', reason: `no rule matches ${peer.name} (${peer.address})` };
      return { allowed: first.action === 'allow', reason: `${first.name} ${first.action}s it` };
    },
  };
}

export function gate(name: string, allowed: boolean, reason: string): Gate {
  return { name, decide: () => ({ allowed, reason }) };
}

import type { RuleMatch } from '../../src/core/resource.ts';
import type { RuleShape } from './cloud/records.ts';

/** The cloud's numbers as the canonical text of `RuleAttributes`. */
export function matchOf({ direction, protocol, from, to, peer }: RuleShape): RuleMatch {
  const name = NUMBERS[protocol] ?? protocol;
  return { direction, action: 'allow', protocol: name, ports: portsText(name, from, to), peers: [peer] };
}

/** And back. A direction's rules are one call, so it is not part of it. */
export function shapeOf({ protocol, ports, peers }: RuleMatch): Omit<RuleShape, 'direction'> {
  const peer = peers[0] ?? '';
  if (ports === 'all')
    return { protocol, ...(ported(protocol) ? { from: 0, to: 65_535 } : { from: -1, to: -1 }), peer };
  const [first = '', second = first] = ports.split(/[-/]/);
  return { protocol, from: Number(first), to: second === 'all' ? -1 : Number(second), peer };
}

/** The cloud knows some protocols by number only: https://www.iana.org/assignments/protocol-numbers */
const NUMBERS: Readonly<Record<string, string>> = { '58': 'icmpv6' };

const ported = (protocol: string): boolean => protocol === 'tcp' || protocol === 'udp';

function portsText(protocol: string, from: number, to: number): string {
  if (ported(protocol)) {
    if (from === 0 && to === 65_535) return 'all';
    return from === to ? `${from}` : `${from}-${to}`;
  }
  if (!protocol.startsWith('icmp') || from === -1) return 'all';
  return `${from}/${to === -1 ? 'all' : to}`;
}

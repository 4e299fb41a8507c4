import { type PortRange, parsePorts } from '../../src/core/port-set.ts';
import { formatPort } from '../../src/core/port-text.ts';

/**
 * Protocols and ports as Compute Engine spells them, and the one spelling we compare.
 *
 * https://cloud.google.com/compute/docs/reference/rest/v1/firewalls: "This value can either be one of the following well known
 * protocol strings (tcp, udp, icmp, esp, ah, ipip, sctp) or the IP protocol number"; ports "only apply to TCP, UDP and SCTP",
 * and "if not specified, this rule applies to connections through any port".
 */
export interface Entry {
  readonly IPProtocol?: string | null;
  readonly ports?: string[] | null;
}

/** What the entries of one firewall say together. Several protocols are only ever somebody else's: `tcp,udp`, `tcp:80;udp:53`. */
export interface Traffic {
  readonly protocol: string;
  readonly ports: string;
}

export function canonicalProtocol(text: string): string {
  const lower = text.toLowerCase();
  return names[lower] ?? lower;
}

/** The ports of one rule, merged: `443,8000-8100`; `all` where no port is named or every one is. */
export function canonicalPorts(protocol: string, texts: readonly string[]): string {
  if (!portful.has(protocol) || texts.length === 0 || texts.includes('all')) return 'all';
  const ranges = parsePorts(texts);
  if (ranges === undefined) throw new RangeError(`${texts.join(', ')} are no ports`);
  return portsText(ranges);
}

/** What a firewall's entries say. One that names `all` says it for every protocol. */
export function readTraffic(entries: readonly Entry[]): Traffic {
  const byProtocol = new Map<string, readonly string[]>();
  for (const { IPProtocol, ports } of entries) {
    const protocol = canonicalProtocol(IPProtocol ?? '');
    const before = byProtocol.get(protocol);
    const these = ports?.length ? ports : ['all'];
    byProtocol.set(protocol, [...(before ?? []), ...these]);
  }
  if (byProtocol.has('all')) return { protocol: 'all', ports: 'all' };
  const each = [...byProtocol].map(([protocol, ports]) => ({ protocol, ports: readPorts(protocol, ports) }));
  const [only] = each;
  if (only !== undefined && each.length === 1) return only;
  const sorted = each.toSorted((a, b) => (a.protocol < b.protocol ? -1 : 1));
  return {
    protocol: sorted.map(({ protocol }) => protocol).join(','),
    ports: sorted.map(({ protocol, ports }) => `${protocol}:${ports}`).join(';'),
  };
}

/** The other way round: what we send for one protocol. icmpv6 has no name there. */
export function writeTraffic({ protocol, ports }: Traffic): { IPProtocol: string; ports?: string[] } {
  const IPProtocol = protocol === 'icmpv6' ? '58' : protocol;
  return ports === 'all' ? { IPProtocol } : { IPProtocol, ports: ports.split(',') };
}

/** IANA numbers of what has a name: https://www.iana.org/assignments/protocol-numbers. The core knows four names. */
const names: Readonly<Record<string, string>> = {
  '1': 'icmp',
  '6': 'tcp',
  '17': 'udp',
  '58': 'icmpv6',
  'ipv6-icmp': 'icmpv6',
  esp: '50',
  ah: '51',
  ipip: '94',
  sctp: '132',
};

const portful: ReadonlySet<string> = new Set(['tcp', 'udp', '132']);

/** What the cloud says is kept even where it is no port that we know, so that it differs from all that we would write. */
function readPorts(protocol: string, texts: readonly string[]): string {
  if (!portful.has(protocol) || texts.includes('all')) return 'all';
  const ranges = parsePorts(texts);
  return ranges === undefined ? texts.toSorted().join(',') : portsText(ranges);
}

/** `ranges` are merged. */
function portsText(ranges: readonly PortRange[]): string {
  const [first] = ranges;
  if (first === undefined || (first.from === 0 && first.to === 65_535)) return 'all';
  return ranges.map(formatPort).join(',');
}

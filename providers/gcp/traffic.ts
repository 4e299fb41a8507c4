import { formatPort, mergePorts, type PortRange, parsePorts } from '../../src/core/port-set.ts';

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

/** The entries of one firewall, combined. Only foreign firewalls have several protocols: `tcp,udp`, `tcp:80;udp:53`. */
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
  if (!protocolsWithPorts.has(protocol) || texts.length === 0 || texts.includes('all')) return 'all';
  const ranges = parsePorts(texts);
  if (ranges === undefined) throw new RangeError(`${texts.join(', ')} are no ports`);
  return portsText(ranges);
}

/** Combines a firewall's entries. An entry with `all` applies to every protocol. */
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

/** The other way round: one entry for each protocol. icmpv6 has no name there. */
export function writeTraffic(traffic: Traffic): { IPProtocol: string; ports?: string[] }[] {
  return eachProtocol(traffic).map(({ protocol, ports }) => {
    const IPProtocol = protocol === 'icmpv6' ? '58' : protocol;
    return ports === 'all' ? { IPProtocol } : { IPProtocol, ports: ports.split(',') };
  });
}

/** Undoes the joining of `readTraffic`: `tcp,udp` and `tcp:80;udp:53` are two. */
function eachProtocol({ protocol, ports }: Traffic): readonly Traffic[] {
  if (!protocol.includes(',')) return [{ protocol, ports }];
  return ports.split(';').map((text) => {
    const [name = '', ...rest] = text.split(':');
    return { protocol: name, ports: rest.join(':') };
  });
}

/**
 * Traffic as sets that can be compared: `tcp:443-443`. Ranges are cut where a range of any of them begins or ends, so two sets never
 * share a part of a segment. Ports that are no numbers are one segment, as they stand.
 */
export function segmentsOf<const T extends readonly Traffic[]>(traffics: T): { [K in keyof T]: readonly string[] } {
  const each = traffics.map((traffic) =>
    eachProtocol(traffic).map(({ protocol, ports }) => ({ protocol, ports, ranges: rangesOf(ports) })),
  );
  const cuts = new Map<string, number[]>();
  for (const { protocol, ranges = [] } of each.flat())
    for (const { from, to } of ranges) cuts.set(protocol, [...(cuts.get(protocol) ?? []), from, to + 1]);
  const segments = each.map((entries) =>
    entries.flatMap(({ protocol, ports, ranges }) => {
      if (ranges === undefined) return [`${protocol}:${ports}`];
      const points = (cuts.get(protocol) ?? []).toSorted((a, b) => a - b);
      return ranges.flatMap((range) => cutAt(points, range)).map(({ from, to }) => `${protocol}:${from}-${to}`);
    }),
  );
  // why: a list of the same length, one answer for each
  return segments as { [K in keyof T]: readonly string[] };
}

const everyPort: PortRange = { from: 0, to: 65_535 };
const rangesOf = (ports: string): readonly PortRange[] | undefined =>
  ports === 'all' ? [everyPort] : parsePorts(ports.split(','));

/** `points` ascend. */
function cutAt(points: readonly number[], { from, to }: PortRange): readonly PortRange[] {
  const starts = [from, ...new Set(points.filter((point) => point > from && point <= to))];
  return starts.map((start, i) => ({ from: start, to: (starts[i + 1] ?? to + 1) - 1 }));
}

/** The traffic that these segments are. */
export function fromSegments(segments: readonly string[]): Traffic {
  const byProtocol = Map.groupBy(segments, (segment) => segment.slice(0, segment.indexOf(':')));
  const entries = [...byProtocol].map(([IPProtocol, list]) => {
    const texts = list.map((segment) => segment.slice(IPProtocol.length + 1));
    const ranges = parsePorts(texts);
    const ports = ranges === undefined ? texts : portsText(mergePorts(ranges)).split(',');
    return { IPProtocol, ports: ports.includes('all') ? [] : ports };
  });
  return readTraffic(entries);
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

const protocolsWithPorts: ReadonlySet<string> = new Set(['tcp', 'udp', '132']);

/** Keeps the cloud's text even if it is no known port, so that it differs from everything that Setpoint would write. */
function readPorts(protocol: string, texts: readonly string[]): string {
  if (!protocolsWithPorts.has(protocol) || texts.includes('all')) return 'all';
  const ranges = parsePorts(texts);
  return ranges === undefined ? texts.toSorted().join(',') : portsText(ranges);
}

/** `ranges` are merged. */
function portsText(ranges: readonly PortRange[]): string {
  const [first] = ranges;
  if (first === undefined || (first.from === 0 && first.to === 65_535)) return 'all';
  return ranges.map(formatPort).join(',');
}

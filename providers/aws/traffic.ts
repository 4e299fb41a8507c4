/**
 * Protocols and ports as AWS spells them, and the one spelling we compare.
 *
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_IpPermission.html: tcp, udp, icmp and icmpv6 may come as names or
 * numbers, -1 is every protocol, and for -1 and other numbers "traffic on all ports is allowed, regardless of any ports
 * you specify".
 */

/** Traffic as the cloud reports it: `fromPort` and `toPort` are ICMP type and code for ICMP, -1 for "all". */
export interface Traffic {
  readonly protocol: string;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export function canonicalProtocol(text: string): string {
  const lower = text.toLowerCase();
  return protocolNames[lower] ?? lower;
}

/** One range or one ICMP type and code of a spec, in the one text for this protocol. `protocol` is canonical. */
export function canonicalPorts(protocol: string, text: string): string {
  switch (shapeOf(protocol)) {
    case 'none':
      return 'all';
    case 'icmp':
      return text === 'all' || text.startsWith('all/') ? 'all' : text;
    case 'ports': {
      const [from = '', to = from] = text.split('-');
      return text === 'all' ? 'all' : portText(Number(from), Number(to));
    }
  }
}

/** The traffic of a cloud's permission, in the form of `RuleMatch`. */
export function readTraffic({ protocol: spelled, from, to }: Traffic): {
  readonly protocol: string;
  readonly ports: string;
} {
  const protocol = canonicalProtocol(spelled);
  switch (shapeOf(protocol)) {
    case 'none':
      return { protocol, ports: 'all' };
    case 'icmp':
      return { protocol, ports: icmpText(from ?? -1, to ?? -1) };
    case 'ports':
      return { protocol, ports: from === undefined || from === -1 ? 'all' : portText(from, to ?? from) };
  }
}

/** The other way round: what we send for a `RuleMatch`. */
export function writeTraffic(protocol: string, ports: string): Traffic {
  switch (shapeOf(protocol)) {
    case 'none':
      return { protocol: protocol === 'all' ? '-1' : protocol };
    case 'icmp': {
      const [type = '', code = ''] = ports.split('/');
      return { protocol, from: icmpNumber(type), to: icmpNumber(code) };
    }
    case 'ports': {
      const [from = '0', to = from] = ports === 'all' ? ['0', `${maxPort}`] : ports.split('-');
      return { protocol, from: Number(from), to: Number(to) };
    }
  }
}

/** IANA numbers that AWS reports by name: https://www.iana.org/assignments/protocol-numbers */
const protocolNames: Readonly<Record<string, string>> = {
  '-1': 'all',
  '1': 'icmp',
  '6': 'tcp',
  '17': 'udp',
  '58': 'icmpv6',
};

const maxPort = 65535;

function shapeOf(protocol: string): 'ports' | 'icmp' | 'none' {
  if (protocol === 'tcp' || protocol === 'udp') return 'ports';
  return protocol === 'icmp' || protocol === 'icmpv6' ? 'icmp' : 'none';
}

function portText(from: number, to: number): string {
  if (from === 0 && to === maxPort) return 'all';
  return from === to ? `${from}` : `${from}-${to}`;
}

function icmpText(type: number, code: number): string {
  if (type === -1) return 'all';
  return code === -1 ? `${type}/all` : `${type}/${code}`;
}

const icmpNumber = (text: string): number => (text === '' || text === 'all' ? -1 : Number(text));

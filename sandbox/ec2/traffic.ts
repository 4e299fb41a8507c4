import { refused } from './errors.ts';
import type { Permission } from './permission-fields.ts';
import type { Traffic } from './records.ts';

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_IpPermission.html */
const PROTOCOLS: Readonly<Record<string, string>> = { '1': 'icmp', '6': 'tcp', '17': 'udp', '58': 'icmpv6', all: '-1' };

const NAMED: ReadonlySet<string> = new Set(['tcp', 'udp', 'icmp', 'icmpv6', '-1']);

export function trafficOf({
  IpProtocol = '',
  FromPort,
  ToPort,
}: Pick<Permission, 'IpProtocol' | 'FromPort' | 'ToPort'>): Traffic {
  const lower = IpProtocol.toLowerCase();
  const protocol = PROTOCOLS[lower] ?? lower;
  if (!NAMED.has(protocol) && !(/^\d{1,3}$/.test(protocol) && Number(protocol) <= 255)) {
    throw refused('InvalidParameterValue', `Invalid value '${IpProtocol}' for IP protocol. Unknown protocol.`);
  }
  if (protocol === 'tcp' || protocol === 'udp') return portTraffic(protocol, FromPort, ToPort);
  if (protocol === 'icmp' || protocol === 'icmpv6') return icmpTraffic(protocol, FromPort, ToPort);
  return { protocol, from: undefined, to: undefined };
}

function portTraffic(protocol: string, from: number | undefined, to: number | undefined): Traffic {
  if (from === undefined || to === undefined)
    throw refused('InvalidParameterValue', 'Must specify both from and to ports with TCP/UDP.');
  for (const port of [from, to])
    if (port < 0 || port > 65535) throw refused('InvalidParameterValue', `TCP/UDP port (${port}) out of range`);
  if (from > to) throw refused('InvalidParameterValue', `Invalid TCP/UDP port range (${from}:${to})`);
  return { protocol, from, to };
}

function icmpTraffic(protocol: string, type: number | undefined, code: number | undefined): Traffic {
  if (type === undefined && code === undefined && protocol === 'icmpv6') return { protocol, from: -1, to: -1 };
  if (type === undefined || code === undefined)
    throw refused('InvalidParameterValue', 'Must specify both ICMP type and code.');
  if (type < -1 || type > 255) throw refused('InvalidParameterValue', `ICMP type (${type}) out of range`);
  if (code < -1 || code > 255 || (type === -1 && code !== -1))
    throw refused('InvalidParameterValue', `ICMP code (${code}) out of range`);
  return { protocol, from: type, to: code };
}

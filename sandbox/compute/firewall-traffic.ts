import { invalid, required } from './errors.ts';
import type { FirewallTraffic } from './records.ts';

/** The names that https://docs.cloud.google.com/compute/docs/reference/rest/v1/firewalls lists, `all`, and their numbers. */
const NUMBERS: Readonly<Record<string, number>> = { icmp: 1, ipip: 4, tcp: 6, udp: 17, esp: 50, ah: 51, sctp: 132 };

/** Ports are for these: https://docs.cloud.google.com/firewall/docs/firewalls#protocols_and_ports */
const WITH_PORTS: ReadonlySet<string> = new Set(['tcp', 'udp', 'sctp', '6', '17', '132']);

interface Given {
  readonly IPProtocol?: string;
  readonly ports?: readonly string[];
}

export function trafficOf({ IPProtocol, ports: given }: Given, field: string): FirewallTraffic {
  if (!IPProtocol) throw required(`${field}.IPProtocol`);
  const protocol = IPProtocol.toLowerCase();
  const ports = orNone(given);
  if (protocol !== 'all' && protocolNumber(protocol) === undefined)
    throw invalid(`${field}.IPProtocol`, IPProtocol, 'Must be a well known protocol name or a number from 0 to 255.');
  if (ports && !WITH_PORTS.has(protocol))
    throw invalid(`${field}.ports`, ports, 'Ports are only for protocols TCP, UDP and SCTP.');
  ports?.forEach((port, index) => {
    if (!isPort(port)) throw invalid(`${field}.ports[${index}]`, port, 'Must be a port or a range such as 8000-8100.');
  });
  return { protocol, ports };
}

/** Undefined for what is no protocol, and for `all`. */
export function protocolNumber(protocol: string): number | undefined {
  const number = NUMBERS[protocol] ?? (/^\d{1,3}$/.test(protocol) ? Number(protocol) : Number.NaN);
  return number <= 255 ? number : undefined;
}

const PORT = /^(\d{1,5})(?:-(\d{1,5}))?$/;

/** First and last port of `22` or `8000-8100`. */
export function portRange(text: string): readonly [number, number] | undefined {
  const [, first, last = first] = PORT.exec(text) ?? [];
  return first === undefined ? undefined : [Number(first), Number(last)];
}

function isPort(text: string): boolean {
  const range = portRange(text);
  return range !== undefined && range[0] <= range[1] && range[1] <= 65_535;
}

/** An empty list is one that was left out: the SDK cannot send one, and others clear a list by it. */
export function orNone<T>(list: readonly T[] | undefined): readonly T[] | undefined {
  return list?.length ? list : undefined;
}

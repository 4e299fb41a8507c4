import { formatPort, mergePorts, parsePorts } from '../../src/core/port-set.ts';

/** A name or a number as specs and Azure have them, in our word for it. */
export function canonicalProtocol(text: string): string {
  const lower = text.toLowerCase();
  return protocolNames[lower] ?? lower;
}

/** Ranges as one text: merged and sorted, `all` where nothing is left out. */
export function canonicalPorts(ranges: readonly string[]): string {
  if (ranges.length === 0 || ranges.some((range) => range === '*' || range === 'all')) return 'all';
  const merged = parsePorts(ranges);
  if (merged === undefined) return [...new Set(ranges)].sort().join(',');
  const text = mergePorts(merged).map(formatPort).join(',');
  return text === `0-${lastPort}` ? 'all' : text;
}

const lastPort = 65_535;

/** https://www.iana.org/assignments/protocol-numbers, for the protocols that Azure has names for. */
const protocolNames: Readonly<Record<string, string>> = {
  '*': 'all',
  '-1': 'all',
  '1': 'icmp',
  '6': 'tcp',
  '17': 'udp',
  esp: '50',
  ah: '51',
};

/** Everything that Azure can say. */
export const protocolTexts: Readonly<Record<string, string>> = {
  all: '*',
  tcp: 'Tcp',
  udp: 'Udp',
  icmp: 'Icmp',
  '50': 'Esp',
  '51': 'Ah',
};

/** Only these have ports; `*` stands for all of them together. */
export const withPorts: ReadonlySet<string> = new Set(['tcp', 'udp', 'all']);

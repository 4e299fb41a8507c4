import { isWithin } from '../cidr.ts';
import type { Filter, FilterRule, Packet } from '../packet.ts';
import type { AclEntry, NetworkAcl, Vpc } from './records.ts';
import type { Region } from './region.ts';

/** Of a default ACL: https://docs.aws.amazon.com/vpc/latest/userguide/default-network-acl.html */
export function entriesAtBirth({ ipv6 }: Pick<Vpc, 'ipv6'>): readonly AclEntry[] {
  const all = { action: 'allow', protocol: '-1', ports: undefined, icmp: undefined } as const;
  return [true, false].flatMap((egress): readonly AclEntry[] => [
    { ...all, number: 100, egress, family: 'ipv4', cidr: '0.0.0.0/0' },
    ...(ipv6 === undefined ? [] : [{ ...all, number: 101, egress, family: 'ipv6', cidr: '::/0' } as const]),
  ]);
}

/** Those with it: every subnet has one. */
export function associationsOf(region: Region, acl: NetworkAcl): NetworkAcl['associations'] {
  if (!acl.isDefault) return acl.associations;
  const others = new Set([...region.acls.of(acl.vpcId)].flatMap((one) => one.associations.map((two) => two.subnetId)));
  const own = [...region.subnets.of(acl.vpcId)].filter(({ id }) => !others.has(id));
  return own.map(({ id }) => ({ id: `aclassoc-${id.slice('subnet-'.length)}`, subnetId: id }));
}

export function aclOf(
  region: Region,
  { vpcId, subnetId }: { readonly vpcId: string; readonly subnetId: string },
): NetworkAcl | undefined {
  const all = [...region.acls.of(vpcId)];
  return (
    all.find(({ associations }) => associations.some((one) => one.subnetId === subnetId)) ??
    all.find(({ isDefault }) => isDefault)
  );
}

/** The entry with the lowest number decides; the last one, of number `*`, denies. */
export const aclFilter = ({ id, entries }: NetworkAcl, egress: boolean): Filter => ({
  rules: entries.filter((entry) => entry.egress === egress).map((entry) => filterRule(id, entry)),
  otherwise: 'deny',
});

const filterRule = (acl: string, entry: AclEntry): FilterRule => ({
  name: `${acl} ${entry.number}`,
  action: entry.action,
  priority: entry.number,
  covers: (packet) => covers(entry, packet),
  matches: ({ address }) => isWithin(address, entry.cidr, entry.family),
});

const NUMBERS: Readonly<Record<string, string>> = { tcp: '6', udp: '17', icmp: '1', icmpv6: '58' };

function covers({ protocol, ports, icmp }: AclEntry, packet: Packet): boolean {
  if (protocol === '-1') return true;
  if (protocol !== (NUMBERS[packet.protocol] ?? packet.protocol)) return false;
  if (icmp !== undefined) return icmp.type === -1 || icmp.type === packet.port;
  if (ports === undefined) return true;
  return packet.port !== undefined && ports.from <= packet.port && packet.port <= ports.to;
}

/** The first port of those that IANA leaves to clients: https://www.rfc-editor.org/rfc/rfc6335#section-6 */
const CLIENT_PORT = 49_152;

/** The packet that comes back; undefined where none does. An echo request (8) has the answer 0: https://www.rfc-editor.org/rfc/rfc792 */
export function answerTo({ protocol, port }: Packet): Packet | undefined {
  if (protocol === 'tcp' || protocol === 'udp') return { protocol, port: CLIENT_PORT };
  if (protocol === 'icmp') return port === 8 ? { protocol, port: 0 } : undefined;
  return { protocol, port };
}

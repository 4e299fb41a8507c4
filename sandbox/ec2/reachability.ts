import { isWithin } from '../cidr.ts';
import {
  checkPacket,
  type FilterRule,
  filterGate,
  type Gate,
  gate,
  type Packet,
  type Party,
  type Verdict,
} from '../packet.ts';
import { aclFilter, aclOf, answerTo } from './network-acl.ts';
import type { GroupRule, Instance, NetworkInterface, Route, RouteTable } from './records.ts';
import type { Region } from './region.ts';
import { peerText } from './security-group-rules.ts';
import { mainRouteTable, routeState } from './vpc.ts';

/** An end of the way: an instance by its id, `internet`, or an outside IPv4 address. */
export interface PacketQuestion extends Packet {
  readonly from: string;
  readonly to: string;
}

/** The address of the end `internet`: a documentation address of RFC 5737. */
const INTERNET_ADDRESS = '203.0.113.10';

interface Machine {
  readonly instance: Instance;
  readonly nic: NetworkInterface;
}

/** Follows a first packet through what the region holds: power, groups, network ACLs, routes, addresses. */
export function mayReach(region: Region, question: PacketQuestion): Verdict {
  const from = endOf(region, question.from);
  const to = endOf(region, question.to);
  if (typeof from === 'string' && typeof to === 'string') {
    return checkPacket([gate('ends', false, 'neither end is an instance of this region')]);
  }
  const inside = typeof from !== 'string' && typeof to !== 'string' && from.nic.place.vpcId === to.nic.place.vpcId;
  const source = party(from, inside);
  const destination = party(to, inside);
  return checkPacket([
    ...(typeof from === 'string'
      ? []
      : leaving(region, from, { packet: question, peer: destination, egress: true }, to)),
    ...(typeof to === 'string' ? [] : arriving(region, to, { packet: question, peer: source, egress: false }, from)),
  ]);
}

function endOf(region: Region, name: string): Machine | string {
  if (!name.startsWith('i-')) return name === 'internet' ? INTERNET_ADDRESS : name;
  const instance = region.instances.get(name);
  const nic = region.interfaces.get(instance?.parts.interfaceIds[0] ?? '');
  return instance && nic ? { instance, nic } : name;
}

/** Inside a VPC machines know each other by private address and by groups; from outside only the public address counts. */
function party(end: Machine | string, inside: boolean): Party {
  if (typeof end === 'string') return { name: 'internet', address: end, labels: [] };
  const { privateIp, publicIp } = end.nic.address;
  return {
    name: end.instance.id,
    address: inside ? privateIp : (publicIp ?? ''),
    labels: inside ? end.nic.groups : [],
  };
}

function leaving(region: Region, machine: Machine, question: Question, to: Machine | string): readonly Gate[] {
  return [
    powerGate(machine, 'sender'),
    groupGate(region, machine, question),
    ...aclGates(region, machine, question, to),
    ...wayGates(region, machine, question.peer, 'from'),
  ];
}

function arriving(region: Region, machine: Machine, question: Question, from: Machine | string): readonly Gate[] {
  return [
    powerGate(machine, 'receiver'),
    ...wayGates(region, machine, question.peer, 'to'),
    ...aclGates(region, machine, question, from),
    groupGate(region, machine, question),
  ];
}

function powerGate({ instance }: Machine, role: string): Gate {
  return gate(`${role} runs`, instance.power.state === 'running', `${instance.id} is ${instance.power.state}`);
}

interface Question {
  readonly packet: Packet;
  readonly peer: Party;
  readonly egress: boolean;
}

function groupGate(region: Region, { instance, nic }: Machine, { packet, peer, egress }: Question): Gate {
  const rules = nic.groups.flatMap((id) => [...region.rules.of(id)]).filter((rule) => rule.egress === egress);
  const filter = { rules: rules.map(filterRule), otherwise: 'deny' } as const;
  return filterGate(`security groups of ${instance.id}, ${egress ? 'egress' : 'ingress'}`, filter, packet, peer);
}

function filterRule(rule: GroupRule): FilterRule {
  return {
    name: `${rule.groupId}/${rule.id} (${rule.traffic.protocol} ${peerText(rule.peer)})`,
    action: 'allow',
    priority: 0,
    covers: (packet) => covers(rule, packet),
    matches: (peer) => matches(rule, peer),
  };
}

function covers({ traffic }: GroupRule, { protocol, port }: Packet): boolean {
  if (traffic.protocol === '-1') return true;
  if (traffic.protocol !== protocol) return false;
  if (traffic.from === undefined || traffic.to === undefined) return true;
  if (protocol.startsWith('icmp')) return traffic.from === -1 || traffic.from === port;
  return port !== undefined && traffic.from <= port && port <= traffic.to;
}

function matches({ peer }: GroupRule, party: Party): boolean {
  switch (peer.kind) {
    case 'group':
      return party.labels.includes(peer.groupId);
    case 'prefix-list':
      return false;
    case 'ipv4':
    case 'ipv6':
      return isWithin(party.address, peer.cidr, peer.kind);
  }
}

/** An ACL keeps no state: answers pass it too. https://docs.aws.amazon.com/vpc/latest/userguide/nacl-basics.html */
function aclGates(region: Region, { nic }: Machine, { packet, peer, egress }: Question, other: Machine | string) {
  const { subnetId } = nic.place;
  if (typeof other !== 'string' && other.nic.place.subnetId === subnetId) return [];
  const acl = aclOf(region, nic.place);
  const name = `network ACL of ${subnetId}`;
  if (acl === undefined) return [gate(name, false, 'no network ACL')];
  const answer = answerTo(packet);
  return [
    filterGate(`${name}, ${egress ? 'leaving' : 'arriving'}`, aclFilter(acl, egress), packet, peer),
    ...(answer === undefined
      ? []
      : [
          filterGate(
            `${name}, ${egress ? 'answers arriving' : 'answers leaving'}`,
            aclFilter(acl, !egress),
            answer,
            peer,
          ),
        ]),
  ];
}

/** The route to the other end, and what the route's target asks for. Answers need a way back, so arrivals are asked too. */
function wayGates(region: Region, { nic }: Machine, peer: Party, direction: 'from' | 'to'): readonly Gate[] {
  const { table, route } = routeTo(region, nic, peer.address);
  const name = `route ${direction === 'from' ? 'to' : 'back to'} ${peer.address || peer.name}`;
  if (!route || !table)
    return [
      gate(
        name,
        false,
        peer.address ? `no route in ${table?.id ?? 'any table'}` : `${peer.name} has no public address`,
      ),
    ];
  if (route.target === 'local') return [gate(name, true, `${table.id} sends ${route.destination} within the VPC`)];
  const state = routeState(region, table, route);
  const through = gate(
    name,
    state === 'active',
    `${table.id} sends ${route.destination} to ${route.target}, which is ${state}`,
  );
  // https://docs.aws.amazon.com/vpc/latest/userguide/vpc-nat-gateway.html
  if (direction === 'to' && route.target.startsWith('nat-'))
    return [through, gate(`way in through ${route.target}`, false, 'nobody outside begins a connection through it')];
  if (!route.target.startsWith('igw-')) return [through];
  const publicIp = nic.address.publicIp;
  return [
    through,
    gate(
      `public address of ${nic.id}`,
      publicIp !== undefined,
      publicIp ?? 'none, so the internet gateway has nothing to translate to',
    ),
  ];
}

function routeTo(
  region: Region,
  nic: NetworkInterface,
  address: string,
): { readonly table: RouteTable | undefined; readonly route: Route | undefined } {
  const table = tableOf(region, nic.place);
  const hits = (table?.routes ?? []).filter(
    (route) => route.family === 'ipv4' && isWithin(address, route.destination, 'ipv4'),
  );
  const [route] = hits.toSorted((a, b) => prefixLength(b) - prefixLength(a));
  return { table, route };
}

function tableOf(region: Region, { vpcId, subnetId }: NetworkInterface['place']): RouteTable | undefined {
  for (const table of region.routeTables.of(vpcId)) {
    if (table.associations.some((association) => association.subnetId === subnetId)) return table;
  }
  return region.routeTables.get(mainRouteTable(region, vpcId) ?? '');
}

function prefixLength({ destination }: Route): number {
  return Number(destination.split('/')[1]);
}

import type { Gate, Packet, Party, Verdict } from '../packet.ts';
import { checkPacket, filterGate, gate } from '../packet-check.ts';
import { firewallFilter } from './firewall-filter.ts';
import type { Instance } from './instance-records.ts';
import { linkTo, nameIn } from './place.ts';
import type { Project } from './project.ts';
import { routeGates } from './route-gates.ts';

/** An end of the way: an instance by its id (`zones/europe-west1-b/instances/web`) or link, `internet`, or an outside IPv4 address. */
export interface PacketQuestion extends Packet {
  readonly from: string;
  readonly to: string;
}

/** Where on the internet "the internet" is when nobody says: a documentation address of RFC 5737. */
const SOMEWHERE = '203.0.113.10';

/**
 * Follows a first packet through what the project holds: power, firewalls, routes, addresses. Firewalls are stateful, so
 * answers pass them: https://docs.cloud.google.com/firewall/docs/firewalls#specifications
 */
export function mayReach(project: Project, question: PacketQuestion): Verdict {
  const from = endOf(project, question.from);
  const to = endOf(project, question.to);
  if (typeof from === 'string' && typeof to === 'string')
    return checkPacket([gate('ends', false, 'neither end is an instance of this project')]);
  const inside = typeof from !== 'string' && typeof to !== 'string' && from.nic.network === to.nic.network;
  const way = { project, packet: question };
  return checkPacket([
    ...(typeof from === 'string' ? [] : leaving(way, from, party(to, inside))),
    ...(typeof to === 'string' ? [] : arriving(way, to, party(from, inside))),
  ]);
}

interface Way {
  readonly project: Project;
  readonly packet: Packet;
}

function endOf(project: Project, name: string): Instance | string {
  if (name === 'internet') return SOMEWHERE;
  const root = linkTo(project, '');
  return project.instances.get(name.startsWith(root) ? name.slice(root.length) : name) ?? name;
}

/**
 * Inside a network machines know each other by internal address, tags and service accounts; from outside only the external
 * address counts: https://docs.cloud.google.com/firewall/docs/firewalls#sources_or_destinations_for_the_rule
 */
function party(end: Instance | string, inside: boolean): Party {
  if (typeof end === 'string') return { name: 'internet', address: end, labels: [] };
  const { nic, marks, name } = end;
  return {
    name,
    address: inside ? nic.address : (nic.access?.natIp ?? ''),
    labels: inside ? [...marks.tags, ...accountsOf(end)] : [],
  };
}

function leaving({ project, packet }: Way, machine: Instance, to: Party): readonly Gate[] {
  return [
    powerGate(machine, 'sender'),
    filterGate(`firewalls of ${machine.name}, egress`, firewallFilter(project, guarded(machine), 'EGRESS'), packet, to),
    ...routeGates(project, routed(machine), to, 'to'),
  ];
}

function arriving({ project, packet }: Way, machine: Instance, from: Party): readonly Gate[] {
  const filter = firewallFilter(project, guarded(machine), 'INGRESS');
  return [
    powerGate(machine, 'receiver'),
    ...routeGates(project, routed(machine), from, 'back to'),
    filterGate(`firewalls of ${machine.name}, ingress`, filter, packet, from),
  ];
}

function powerGate({ id, power }: Instance, role: string): Gate {
  return gate(`${role} runs`, power.status === 'RUNNING', `${nameIn(id)} is ${power.status}`);
}

function guarded(machine: Instance): Parameters<typeof firewallFilter>[1] {
  const { nic, marks } = machine;
  return { network: nic.network, address: nic.address, tags: marks.tags, accounts: accountsOf(machine) };
}

function routed({ name, nic, marks }: Instance): Parameters<typeof routeGates>[1] {
  return { name, network: nic.network, tags: marks.tags, external: nic.access?.natIp };
}

function accountsOf({ settings }: Instance): readonly string[] {
  return settings.serviceAccounts.map(({ email }) => email);
}

import type { ChangeEntry } from '../../providers/memory/cloud/history.ts';
import type {
  GroupRecord,
  InstanceRecord,
  RuleRecord,
  RuleShape,
  SubnetRecord,
  Tagged,
} from '../../providers/memory/cloud/records.ts';
import { markOf } from '../../providers/memory/marks.ts';
import { containsCidr, parseCidr } from '../../src/core/cidr.ts';
import type { Desired } from '../../src/core/desired.ts';
import type { InstanceAttributes, RuleAttributes } from '../../src/core/resource.ts';

/** One packet of a conversation. Its ends are machines by id, or addresses outside; at least one is a machine. */
export interface Packet {
  readonly from: string;
  readonly to: string;
  readonly protocol: string;
  readonly port: number;
}

/** Whoever lets packets through: the cloud as it stands at a moment, or the specs. */
export interface Filter {
  /** `at`: by the rules of one end only; absent: by those of both. */
  reaches(packet: Packet, at?: End): boolean;
  /** Returns whether the packet's machines exist. */
  standsAt(packet: Packet): boolean;
}

/** The place of a machine, as far as rules need it. */
export interface Place {
  readonly groups: readonly string[];
  readonly network: string;
}

type End = RuleShape['direction'];

interface Machine extends Place {
  readonly address: string;
}

type Atom = Pick<RuleRecord, 'group'> & { readonly match: RuleShape };

/** The state of the cloud in memory while its history goes by, as far as packets are concerned. */
export interface ReachWorld extends Filter {
  /** The packets that a change may let through or shut: judged before it, or after it, by `reaches`. */
  touched(change: ChangeEntry): readonly Packet[];
  apply(change: ChangeEntry): void;
  /** A filter of the current state, even after later changes. */
  now(): (packet: Packet) => boolean;
  /** A copy of the current state with only these rules and machines. Later changes of one do not affect the other. */
  fork(has: (id: string) => boolean): ReachWorld;
  isMachine(id: string): boolean;
  machines(): readonly string[];
  /** The current place of a machine, by our addresses, as far as these have one. */
  placeOf(id: string): Place | undefined;
  /** Puts something that nobody lists, as a load balancer, alone into each group that there ever was. */
  attachUnlisted(): void;
  /** The packets from and to a machine. */
  packetsOf(id: string): readonly Packet[];
  /** The rules that stand now, by id, in our addresses as far as these have one. */
  rules(): ReadonlyMap<string, NamedRule>;
  /** The packets that a rule which stands lets through at its end. */
  packetsBy(rule: string): readonly Packet[];
  /** Of these rules, those by which one end of this packet gets through. */
  letting(packet: Packet, rules: readonly string[]): readonly string[];
  /** The address of ours that its mark names. */
  addressOf(id: string): string | undefined;
  /** Its address in its subnet. */
  hostOf(id: string): string;
}

/** `ports`, `outside`: which ones are tried. */
export interface Tried {
  readonly ports: readonly number[];
  readonly outside: readonly string[];
}

/** The first and the last port of every rule there ever was, and an address in each block. */
export function triedIn(changes: readonly ChangeEntry[]): Tried {
  const shapes = changes.flatMap(({ after }) => (after !== undefined && isRule(after) ? [after.match] : []));
  const ports = shapes.flatMap(({ from, to }) => (from === -1 ? [] : [from, to]));
  const blocks = shapes.flatMap(({ peer }) => (peer.includes('.') ? [peer] : []));
  return {
    ports: [...new Set([22, ...ports])],
    outside: [...new Set(blocks)].map((block) =>
      block === '0.0.0.0/0' ? '8.8.8.8' : block.replace(/\.\d+\/\d+$/, '.77'),
    ),
  };
}

const groupPeer = 'group:';
const isRule = (record: Tagged | RuleRecord): record is RuleRecord => 'match' in record;
const isInstance = (record: Tagged | RuleRecord): record is InstanceRecord => 'launch' in record;
const isGroup = (record: Tagged | RuleRecord): record is GroupRecord => 'isDefault' in record && 'name' in record;
const isSubnet = (record: Tagged | RuleRecord): record is SubnetRecord => 'zone' in record && 'cidr' in record;
const isUp = (record: InstanceRecord): boolean => record.power.sent !== 'terminate';

export const reachWorld = (tried: Tried): ReachWorld =>
  worldOf(
    tried,
    { rules: new Map(), machines: new Map() },
    { hosts: new Map(), blocks: new Map(), groups: new Map(), marks: new Map() },
  );

/** By id, and of all that ever was: the address of a machine, the block of a subnet, the network of a group, our address that a mark names. */
interface Register {
  readonly hosts: Map<string, string>;
  readonly blocks: Map<string, string>;
  readonly groups: Map<string, string>;
  readonly marks: Map<string, string>;
}

function worldOf(tried: Tried, state: State, register: Register): ReachWorld {
  const { hosts, blocks, groups, marks } = register;
  const note = (id: string, record: InstanceRecord): void => {
    const address = hosts.get(id) ?? addressIn(blocks.get(record.place.subnet) ?? '10.0.0.0/24', hosts.size + 1);
    hosts.set(id, address);
    if (isUp(record)) state.machines.set(id, { groups: record.groups, network: record.place.network, address });
    else state.machines.delete(id);
  };
  // why: colleagues copy marks, and nobody wants anything for a copy
  const noteMark = (id: string, record: ChangeEntry['after'], caller: string): void => {
    if (record === undefined || !('tags' in record) || caller === 'outside') return;
    const { address } = markOf(record.tags, isInstance(record) ? record.launch.index : undefined) ?? {};
    if (address !== undefined) marks.set(id, address);
  };
  const named = (id: string): string => marks.get(id) ?? id;
  return {
    reaches: (packet, at) => reachesIn(state, packet, at),
    now: () => {
      const kept = { rules: new Map(state.rules), machines: new Map(state.machines) };
      return (packet) => reachesIn(kept, packet);
    },
    fork: (has) => {
      const kept = <T>(all: ReadonlyMap<string, T>) => new Map([...all].filter(([id]) => has(id)));
      const { rules, machines } = state;
      return worldOf(tried, { rules: kept(rules), machines: kept(machines) }, register);
    },
    isMachine: (id) => state.machines.has(id),
    machines: () => [...state.machines.keys()],
    standsAt: (packet) => standsIn(state, packet),
    addressOf: (id) => marks.get(id),
    placeOf: (id) => {
      const known = state.machines.get(id);
      return known && { groups: known.groups.map(named), network: named(known.network) };
    },
    rules: () =>
      new Map(
        [...state.rules].map(([id, { group, match }]) => {
          const { peer } = match;
          const other = peer.startsWith(groupPeer) ? groupPeer + named(peer.slice(groupPeer.length)) : peer;
          return [id, { group: named(group), match: { ...match, peer: other } }];
        }),
      ),
    attachUnlisted: () => {
      for (const [group, network] of groups)
        state.machines.set(`unlisted in ${group}`, { groups: [group], network, address: '10.255.255.254' });
    },
    packetsOf: (id) => (state.machines.has(id) ? packetsOf(id, state, tried) : []),
    packetsBy: (id) => {
      const rule = state.rules.get(id);
      return rule === undefined ? [] : packetsOfRule(rule, state, tried);
    },
    letting: (packet, ids) => ids.filter((id) => isLetting(state, packet, id)),
    hostOf: (id) => state.machines.get(id)?.address ?? '',
    touched: ({ id, before, after }) => {
      const record = after ?? before;
      if (record === undefined) return [];
      if (isRule(record)) return packetsOfRule(record, state, tried);
      if (!isInstance(record) || !state.machines.has(id) || !after) return [];
      return before && isInstance(before) && same(before.groups, record.groups) ? [] : packetsOf(id, state, tried);
    },
    apply: ({ id, after, before, caller }) => {
      if (after && isSubnet(after)) blocks.set(id, after.cidr);
      if (after && isGroup(after)) groups.set(id, after.network);
      noteMark(id, after, caller);
      if (after && isInstance(after)) note(id, after);
      if (after && isRule(after)) state.rules.set(id, after);
      if (!after && before) {
        state.rules.delete(id);
        state.machines.delete(id);
      }
    },
  };
}

interface State {
  readonly rules: Map<string, Atom>;
  readonly machines: Map<string, Machine>;
}

const same = (a: readonly string[], b: readonly string[]): boolean => a.toSorted().join() === b.toSorted().join();

/** Its own in its subnet; nobody asks the cloud which it is. */
const addressIn = (block: string, number: number): string => block.replace(/\.\d+\/\d+$/, `.${4 + (number % 240)}`);

const standsIn = ({ machines }: State, { from, to }: Packet): boolean =>
  [from, to].every((end) => !end.startsWith('ins-') || machines.has(end));

function reachesIn({ rules, machines }: State, packet: Packet, at?: End): boolean {
  const [source, target] = [machines.get(packet.from), machines.get(packet.to)];
  if (source && target && source.network !== target.network) return false;
  const all = [...rules.values()];
  return (
    (target === undefined || at === 'egress' || all.some((rule) => letsIn(rule, packet, machines))) &&
    (source === undefined || at === 'ingress' || all.some((rule) => letsOut(rule, packet, machines)))
  );
}

function isLetting({ rules, machines }: State, packet: Packet, id: string): boolean {
  const rule = rules.get(id);
  return rule !== undefined && (letsIn(rule, packet, machines) || letsOut(rule, packet, machines));
}

type Machines = State['machines'];

const letsIn = ({ group, match }: Atom, { from, to, protocol, port }: Packet, machines: Machines): boolean =>
  match.direction === 'ingress' &&
  machines.get(to)?.groups.includes(group) === true &&
  speaksOf(match, protocol, port) &&
  meets(match.peer, machines.get(from), from);

const letsOut = ({ group, match }: Atom, { from, to, protocol, port }: Packet, machines: Machines): boolean =>
  match.direction === 'egress' &&
  machines.get(from)?.groups.includes(group) === true &&
  speaksOf(match, protocol, port) &&
  meets(match.peer, machines.get(to), to);

const speaksOf = (match: RuleShape, protocol: string, port: number): boolean =>
  match.protocol === 'all' ||
  (match.protocol === protocol && ((match.from === -1 && match.to === -1) || (match.from <= port && port <= match.to)));

function meets(peer: string, machine: Machine | undefined, address: string): boolean {
  if (peer.startsWith(groupPeer)) return machine?.groups.includes(peer.slice(groupPeer.length)) === true;
  const [block, one] = [parseCidr(peer), parseCidr(`${machine?.address ?? address}/32`)];
  return block !== undefined && one !== undefined && containsCidr(block, one);
}

function packetsOfRule({ group, match }: Atom, state: State, tried: Tried): readonly Packet[] {
  const inside = [...state.machines].filter(([, { groups }]) => groups.includes(group)).map(([id]) => id);
  const others = [...state.machines.keys(), ...tried.outside].filter((one) =>
    meets(match.peer, state.machines.get(one), one),
  );
  const ports = tried.ports.filter((port) => speaksOf(match, 'tcp', port));
  return inside.flatMap((id) =>
    others
      .filter((other) => other !== id)
      .flatMap((other) => ports.map((port) => packet(match.direction, id, other, port))),
  );
}

const packet = (direction: RuleShape['direction'], id: string, other: string, port: number): Packet =>
  direction === 'ingress'
    ? { from: other, to: id, protocol: 'tcp', port }
    : { from: id, to: other, protocol: 'tcp', port };

function packetsOf(id: string, { machines }: State, { ports, outside }: Tried): readonly Packet[] {
  const others = [...machines.keys(), ...outside].filter((one) => one !== id);
  return others.flatMap((other) =>
    ports.flatMap((port) => [packet('ingress', id, other, port), packet('egress', id, other, port)]),
  );
}

/** A rule in our addresses. */
export type NamedRule = Atom;

/** The traffic that the specs permit between their machines. A machine without a spec gets nothing. */
export function wantedFilter(desired: readonly Desired[], world: ReachWorld): Pick<Filter, 'reaches'> {
  const places = wantedPlaces(desired);
  const rules = desired.filter(({ terms }) => terms.presence !== 'tolerated').flatMap(namedRulesOf);
  return filterOf(rules, world, (id) => places.get(world.addressOf(id) ?? ''));
}

/** Between the machines of a world, in these places, by these rules. A machine without a place reaches nobody. */
export function filterOf(
  rules: readonly NamedRule[],
  world: ReachWorld,
  placeOf: (id: string) => Place | undefined,
): Pick<Filter, 'reaches'> {
  const numbered = new Map(rules.map((rule, at) => [`${at}`, rule]));
  return {
    reaches: ({ from, to, ...service }, at) => {
      const machines = new Map<string, Machine>();
      for (const end of [from, to].filter(world.isMachine)) {
        const place = placeOf(end);
        if (place === undefined) return false;
        machines.set(end, { ...place, address: world.hostOf(end) });
      }
      return reachesIn({ rules: numbered, machines }, { from, to, ...service }, at);
    },
  };
}

/** The places of machines as the specs define them, by address. */
export const wantedPlaces = (desired: readonly Desired[]): ReadonlyMap<string, Place> =>
  new Map(
    desired.flatMap(({ kind, address, attributes }) => {
      if (kind !== 'instance') return [];
      const { groups = [], placement } = attributes as InstanceAttributes; // why: the kind was checked
      const network = placement.subnet.replace('/subnet/', '/network/').replace(/\.[^.]*$/, '');
      return [[address, { groups, network }] as const];
    }),
  );

export function namedRulesOf({ kind, attributes }: Desired): readonly NamedRule[] {
  if (kind !== 'firewall-rule') return [];
  const { group = '', match } = attributes as RuleAttributes; // why: the kind was checked
  const { direction, protocol, ports, peers } = match;
  const [from = -1, to = from] = ports === 'all' ? [] : ports.split('-').map(Number);
  return peers.map((peer) => ({ group, match: { direction, protocol, from, to, peer } }));
}

/** Two rules with the same key mean the same: no ports are all ports. */
export const keyOfRule = ({ group, match: { direction, protocol, from, to, peer } }: NamedRule): string =>
  [group, direction, protocol, ...(from === 0 && to === 65_535 ? [-1, -1] : [from, to]), peer].join(' ');

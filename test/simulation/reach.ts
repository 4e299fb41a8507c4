import type { ChangeEntry } from '../../providers/memory/cloud/history.ts';
import type {
  InstanceRecord,
  RuleRecord,
  RuleShape,
  SubnetRecord,
  Tagged,
} from '../../providers/memory/cloud/records.ts';
import { markOf } from '../../providers/memory/marks.ts';
import type { InstanceAttributes, RuleAttributes } from '../../src/core/attributes.ts';
import { containsCidr, parseCidr } from '../../src/core/cidr.ts';
import type { Desired } from '../../src/core/desired.ts';

/** One packet of a conversation. Its ends are machines by id, or addresses outside; at least one is a machine. */
export interface Packet {
  readonly from: string;
  readonly to: string;
  readonly protocol: string;
  readonly port: number;
}

/** Whoever lets packets through: the cloud as it stands at a moment, or the specs. */
export interface Filter {
  reaches(packet: Packet): boolean;
  /** Whether the machines of it are there. */
  standsAt(packet: Packet): boolean;
}

interface Machine {
  readonly groups: readonly string[];
  readonly network: string;
  readonly address: string;
}

type Atom = Pick<RuleRecord, 'group'> & { readonly match: RuleShape };

/** The state of the cloud in memory while its history goes by, as far as packets are concerned. */
export interface ReachWorld extends Filter {
  /** The packets that a change may let through or shut: judged before it, or after it, by `reaches`. */
  touched(change: ChangeEntry): readonly Packet[];
  apply(change: ChangeEntry): void;
  /** Whether packets get through as it stands now, whatever changes. */
  now(): (packet: Packet) => boolean;
  isMachine(id: string): boolean;
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

const isRule = (record: Tagged | RuleRecord): record is RuleRecord => 'match' in record;
const isInstance = (record: Tagged | RuleRecord): record is InstanceRecord => 'launch' in record;
const isSubnet = (record: Tagged | RuleRecord): record is SubnetRecord => 'zone' in record && 'cidr' in record;
const isUp = (record: InstanceRecord): boolean => record.power.sent !== 'terminate';

export function reachWorld(tried: Tried): ReachWorld {
  const state: State = { rules: new Map(), machines: new Map() };
  const blocks = new Map<string, string>();
  const marks = new Map<string, string>();
  let born = 0;
  const note = (id: string, record: InstanceRecord, isStrangers: boolean): void => {
    const known = state.machines.get(id);
    const address = known?.address ?? addressIn(blocks.get(record.place.subnet) ?? '10.0.0.0/24', ++born);
    // why: colleagues copy marks, and nobody wants anything for a copy
    const mark = isStrangers ? undefined : markOf(record.tags, record.launch.index);
    if (mark) marks.set(id, mark.address);
    if (isUp(record)) state.machines.set(id, { groups: record.groups, network: record.place.network, address });
    else state.machines.delete(id);
  };
  return {
    reaches: (packet) => reachesIn(state, packet),
    now: () => {
      const kept = { rules: new Map(state.rules), machines: new Map(state.machines) };
      return (packet) => reachesIn(kept, packet);
    },
    isMachine: (id) => state.machines.has(id),
    standsAt: (packet) => standsIn(state, packet),
    addressOf: (id) => marks.get(id),
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
      if (after && isInstance(after)) note(id, after, caller === 'outside');
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

function reachesIn({ rules, machines }: State, { from, to, protocol, port }: Packet): boolean {
  const [source, target] = [machines.get(from), machines.get(to)];
  if (source && target && source.network !== target.network) return false;
  const lets = (
    machine: Machine | undefined,
    direction: RuleShape['direction'],
    other: Machine | undefined,
    at: string,
  ) =>
    machine === undefined ||
    [...rules.values()].some(
      ({ group, match }) =>
        machine.groups.includes(group) &&
        match.direction === direction &&
        speaksOf(match, protocol, port) &&
        meets(match.peer, other, at),
    );
  return lets(target, 'ingress', source, from) && lets(source, 'egress', target, to);
}

const speaksOf = (match: RuleShape, protocol: string, port: number): boolean =>
  match.protocol === 'all' ||
  (match.protocol === protocol && ((match.from === -1 && match.to === -1) || (match.from <= port && port <= match.to)));

function meets(peer: string, machine: Machine | undefined, address: string): boolean {
  if (peer.startsWith('group:')) return machine?.groups.includes(peer.slice('group:'.length)) === true;
  const [block, one] = [parseCidr(peer), parseCidr(`${machine?.address ?? address}/32`)];
  return block !== undefined && one !== undefined && containsCidr(block, one);
}

function packetsOfRule({ group, match }: RuleRecord, state: State, tried: Tried): readonly Packet[] {
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

/** What the specs want to get through, between machines as they want them to be. */
export function wantedFilter(desired: readonly Desired[], world: ReachWorld): Pick<Filter, 'reaches'> {
  const rules = desired.flatMap(({ kind, attributes, terms }, at) => {
    if (kind !== 'firewall-rule' || terms.presence === 'tolerated') return [];
    return atomsOf(attributes as RuleAttributes).map((atom, n) => [`${at} ${n}`, atom] as const); // why: the kind was checked
  });
  const groupsOf = new Map(
    desired.flatMap(({ kind, address, attributes }) => {
      if (kind !== 'instance') return [];
      const { groups = [], placement } = attributes as InstanceAttributes; // why: the kind was checked
      return [[address, { groups, network: placement.subnet.replace(/\.[^.]*$/, '') }] as const];
    }),
  );
  const machines = (end: string): readonly (readonly [string, Machine])[] => {
    const wanted = groupsOf.get(world.addressOf(end) ?? '');
    return wanted && world.isMachine(end) ? [[end, { ...wanted, address: world.hostOf(end) }]] : [];
  };
  return {
    // why: nothing is wanted for a machine that no spec asks for
    reaches: (packet) => {
      const ends = [packet.from, packet.to];
      if (ends.some((end) => world.isMachine(end) && machines(end).length === 0)) return false;
      return reachesIn({ rules: new Map(rules), machines: new Map(ends.flatMap(machines)) }, packet);
    },
  };
}

function atomsOf({ group = '', match }: RuleAttributes): readonly Atom[] {
  const { direction, protocol, ports, peers } = match;
  const [from = -1, to = from] = ports === 'all' ? [] : ports.split('-').map(Number);
  return peers.map((peer) => ({ group, match: { direction, protocol, from, to, peer } }));
}

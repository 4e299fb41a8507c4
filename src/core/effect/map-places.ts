import { formatCidr } from '../cidr.ts';
import type { Status } from '../inventory/row.ts';
import type { Ref, ScopeKey } from '../resource.ts';
import { compareText } from '../text.ts';
import type { Flows, MapGroup } from './map-flows.ts';
import type { Machine, Network, Subnet, TrafficState } from './state.ts';
import type { Sees } from './visible-state.ts';
import { kindOf } from './way.ts';

/** Something of the inventory as its status tells. `isDrift`: the cloud moved it, even where its drift is withheld. `violations`: rules of policies that it breaks. */
export interface MapCondition {
  readonly status: Status;
  readonly isDrift: boolean;
  readonly violations: number;
}

/** One scope of a map. `conditions`: by ids of the cloud, of everything that is not as it should be. */
export interface MapScope {
  readonly scope: ScopeKey;
  readonly state: TrafficState;
  readonly flows: Flows;
  readonly conditions: ReadonlyMap<string, MapCondition>;
  readonly sees: Sees;
  /** Draws networks and subnets without a machine, too. */
  readonly withEmpty: boolean;
}

/** The number of machines, or of other resources, with each sort of trouble. */
export interface Trouble {
  readonly exposed: number;
  readonly violating: number;
  readonly drifted: number;
  readonly failed: number;
  readonly maybeExposed: number;
}

/** A place of the map with all that is in it. `groups`: in it, at any depth. `address`: of the resource, or its id; absent: it is of several. */
export interface Place {
  readonly id: string;
  readonly kind: 'scope' | 'network' | 'subnet' | 'group' | 'instance';
  readonly name: string;
  readonly scope: ScopeKey;
  readonly address?: string;
  readonly cidrs: readonly string[];
  /** The groups of its machines, by their Refs. */
  readonly memberships: readonly Ref[];
  readonly machines: number;
  readonly condition?: MapCondition;
  readonly exposure?: MapGroup['exposure'];
  readonly doubts: readonly string[];
  readonly trouble: Trouble;
  readonly groups: readonly MapGroup[];
  readonly children: readonly Place[];
}

/** The sorts of trouble, the worst first. */
const sorts = [
  'exposed',
  'violating',
  'drifted',
  'failed',
  'maybeExposed',
] as const satisfies readonly (keyof Trouble)[];

export const sumOf = (all: readonly Trouble[]): Trouble => ({
  exposed: sum(all, 'exposed'),
  violating: sum(all, 'violating'),
  drifted: sum(all, 'drifted'),
  failed: sum(all, 'failed'),
  maybeExposed: sum(all, 'maybeExposed'),
});

const sum = (all: readonly Trouble[], sort: keyof Trouble): number => all.reduce((n, one) => n + one[sort], 0);

export const isTroubled = (trouble: Trouble): boolean => sorts.some((sort) => trouble[sort] > 0);

/** The worst sort of trouble decides, then the number of those with it. */
export function worstFirst(a: Place, b: Place): number {
  for (const sort of sorts) {
    const has = Number(b.trouble[sort] > 0) - Number(a.trouble[sort] > 0);
    if (has !== 0) return has;
  }
  for (const sort of sorts) if (a.trouble[sort] !== b.trouble[sort]) return b.trouble[sort] - a.trouble[sort];
  return compareText(a.name, b.name) || compareText(a.id, b.id);
}

const troubleOf = (condition: MapCondition | undefined, exposed?: 'yes' | 'no' | 'unknown'): Trouble => ({
  exposed: Number(exposed === 'yes'),
  violating: Number((condition?.violations ?? 0) > 0),
  drifted: Number(condition?.isDrift === true),
  failed: Number(condition?.status === 'Failed'),
  maybeExposed: Number(exposed === 'unknown'),
});

/** The networks, subnets, groups and machines of a scope, each in the one around it. */
export function placesOf(given: MapScope): readonly Place[] {
  const { scope, state, flows } = given;
  const bySubnet = Map.groupBy(flows.groups, ({ subnet }) => subnet);
  const inNetwork = Map.groupBy(state.subnets.values(), ({ network }) => network);
  const networks = [...state.networks.values()].flatMap((network) =>
    networkPlace(network, inNetwork.get(network.ref) ?? [], { given, bySubnet }),
  );
  const unplaced = flows.groups
    .filter(({ network }) => network === undefined || !state.networks.has(network))
    .map((group) => groupPlace(group, given));
  const children = [...networks, ...unplaced];
  if (children.length === 0 && !given.withEmpty) return [];
  return [placeOf({ id: scope, kind: 'scope', name: scope, scope, cidrs: [], doubts: [] }, children)];
}

interface Within {
  readonly given: MapScope;
  readonly bySubnet: ReadonlyMap<Ref, readonly MapGroup[]>;
}

function networkPlace(network: Network, all: readonly Subnet[], { given, bySubnet }: Within): readonly Place[] {
  const subnets = all.flatMap((subnet) => subnetPlace(subnet, bySubnet.get(subnet.ref) ?? [], given));
  const isSeen = given.sees(network.ref);
  if (subnets.length === 0 && !(isSeen && given.withEmpty)) return [];
  const peerings = network.peerings ?? [];
  const doubts = peerings.map(({ network: other }) => leadingTo('a peering', isSeen ? other : elsewhere));
  const itsSubnets = new Set(all.flatMap(({ blocks }) => blocks));
  const blocks = network.blocks.filter((block) => !itsSubnets.has(block));
  const own = ownOf({ ...network, blocks }, subnets, given);
  return [placeOf({ ...own, kind: 'network', scope: given.scope, doubts: [...new Set(doubts)] }, subnets)];
}

const elsewhere = 'a place outside of your grants';

const leadingTo = (way: string, end: string): string => `${way} leads to ${end}, which Setpoint does not evaluate`;

type Own = Pick<Place, 'id' | 'kind' | 'name' | 'scope' | 'cidrs' | 'doubts' | 'address' | 'condition'>;

function placeOf(own: Own, children: readonly Place[]): Place {
  return {
    ...own,
    children,
    groups: children.flatMap(({ groups }) => groups),
    memberships: [],
    machines: children.reduce((n, { machines }) => n + machines, 0),
    trouble: sumOf([troubleOf(own.condition), ...children.map(({ trouble }) => trouble)]),
  };
}

/** A container that the caller may not see has no address, and the id of the first thing in it that they see: it always has one. */
function ownOf(
  { ref, id, name, blocks }: Pick<Network | Subnet, 'ref' | 'id' | 'name' | 'blocks'>,
  [first]: readonly Place[],
  { sees, scope, conditions }: MapScope,
) {
  if (!sees(ref)) return { id: `around ${first?.id}`, name, cidrs: [] };
  const condition = conditions.get(id);
  return {
    ...{ id: idIn(scope, ref), name, address: ref, cidrs: blocks.map(formatCidr) },
    ...(condition === undefined ? {} : { condition }),
  };
}

/** Ids of a cloud are unique in a scope only. */
const idIn = (scope: ScopeKey, ref: Ref): string => (ref.startsWith(`${scope}/`) ? ref : `${scope} ${ref}`);

function subnetPlace(subnet: Subnet, groups: readonly MapGroup[], given: MapScope): readonly Place[] {
  const isSeen = given.sees(subnet.ref);
  if (groups.length === 0 && !(isSeen && given.withEmpty)) return [];
  const doubts = (subnet.routes ?? [])
    .filter(({ nextHop }) => kindOf(nextHop) === 'other' && nextHop !== 'local')
    .map(({ destination, nextHop }) =>
      isSeen ? leadingTo(`a route to ${destination}`, nextHop) : leadingTo('a route', elsewhere),
    );
  const children = groups.map((group) => groupPlace(group, given));
  const own = ownOf(subnet, children, given);
  return [placeOf({ ...own, kind: 'subnet', scope: given.scope, doubts: [...new Set(doubts)] }, children)];
}

/** A group of one machine is that machine. */
function groupPlace(group: MapGroup, given: MapScope): Place {
  const { machines, exposure, doubts } = group;
  const children = machines.map((machine) => machinePlace(machine, group, given));
  const [first] = children;
  if (first !== undefined && children.length === 1) return { ...first, doubts, groups: [group] };
  const memberships = first?.memberships ?? [];
  return {
    id: `group of ${first?.id}`,
    kind: 'group',
    name: groupName(machines),
    scope: given.scope,
    ...{ cidrs: [], memberships, exposure, doubts, children },
    machines: machines.length,
    trouble: sumOf(children.map(({ trouble }) => trouble)),
    groups: [group],
  };
}

/** `web-0 … web-13`: the machines of one document; else the names of the first and the last. */
function groupName(machines: readonly Machine[]): string {
  const names = machines.map(({ name }) => name);
  const sorted = names.toSorted((a, b) => a.length - b.length || compareText(a, b));
  return `${sorted[0]} … ${sorted.at(-1)}`;
}

function machinePlace(machine: Machine, { exposure }: MapGroup, { scope, conditions }: MapScope): Place {
  const condition = conditions.get(machine.id);
  return {
    id: idIn(scope, machine.ref),
    kind: 'instance',
    name: machine.name,
    scope,
    address: machine.ref,
    cidrs: [],
    memberships: machine.memberships ?? [],
    machines: 1,
    ...(condition === undefined ? {} : { condition }),
    exposure,
    doubts: [],
    trouble: troubleOf(condition, exposure.answer),
    groups: [],
    children: [],
  };
}

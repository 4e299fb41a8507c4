import type { Action, ScopePlan } from '../action.ts';
import { isAnyone } from '../anyone.ts';
import { parseCidr } from '../cidr.ts';
import { type Desired, type DocumentRef, isStatedRule } from '../desired.ts';
import { groupByMany } from '../group-by-many.ts';
import type { PlanInput } from '../plan/plan-input.ts';
import type { Ref } from '../resource.ts';
import { compareText } from '../text.ts';
import { type ChangeKind, type ClassEnd, type Difference, differencesBetween } from './differences.ts';
import { type Direction, filterOf } from './filter.ts';
import type { MachineClass } from './machine-classes.ts';
import { entriesIn, type ServiceEntry } from './service-set.ts';
import { type Machine, statesOf, type TrafficState } from './state.ts';
import { wayOf } from './way.ts';

/**
 * The meaning of a plan for traffic. Only machines count that stand before and after: a new machine is not opened, and a deleted
 * one is not cut. Most dangerous first.
 *
 * - `opens`, `cuts`: traffic that the plan lets through or ends, for certain.
 * - `unknown`: traffic that it may open or cut, with the reason that Setpoint cannot tell.
 * - `idle`: new rules that apply to no machine that stands.
 * - `gaps`: reasons for which all of the above may be incomplete, such as a listing that failed.
 */
export interface Effect {
  readonly opens: readonly TrafficChange[];
  readonly cuts: readonly TrafficChange[];
  readonly unknown: readonly UnknownChange[];
  readonly idle: readonly IdleRule[];
  readonly gaps: readonly string[];
}

/** Traffic from each of `from` to each of `to`. `services`: never empty. `by`: the changed resources that cause it, sorted. */
export interface TrafficChange {
  readonly from: End;
  readonly to: End;
  readonly services: readonly ServiceEntry[];
  readonly by: readonly Ref[];
}

export interface UnknownChange extends TrafficChange {
  readonly change: 'opens' | 'cuts';
  readonly reasons: readonly string[];
}

/** One end of the traffic. At least one end of a change is `instances`. */
export type End = Outside | Instances;

/** Addresses outside of the network. `isAnyone`: the whole world, or so wide that it may as well be. */
export interface Outside {
  readonly kind: 'block';
  readonly cidr: string;
  readonly isAnyone: boolean;
}

/**
 * Machines of one network. `network`, `groups`, `names`: for people.
 *
 * - `instances`: their addresses, of unmanaged ones their ids; sorted, never empty.
 * - `groups`: groups of which all machines are in it.
 * - `names`: of the machines in none of these groups. Both empty: all machines of the network.
 * - `exposed`: where the other end is a block: those with a public address and a route to it. `maybeExposed`: where that is unknown.
 */
export interface Instances {
  readonly kind: 'instances';
  readonly network: string;
  readonly instances: readonly Ref[];
  readonly groups: readonly string[];
  readonly names: readonly string[];
  readonly exposed?: number;
  readonly maybeExposed?: number;
}

/** `toCome`: machines that the plan creates and that it will apply to. */
export interface IdleRule {
  readonly rule: Ref;
  readonly document?: DocumentRef;
  readonly toCome: number;
}

export const noEffect: Effect = { opens: [], cuts: [], unknown: [], idle: [], gaps: [] };

/** The effect of a plan that was made from this input. */
export function effectOf({ actions }: Pick<ScopePlan, 'actions'>, input: PlanInput): Effect {
  if (!actions.some(isAboutTraffic)) return noEffect;
  const { before, after } = statesOf(actions, input);
  const { differences, doubts } = differencesBetween(before, after);
  const told = (kind: ChangeKind): readonly TrafficChange[] =>
    differences
      .filter((one) => one.kind === kind)
      .map((one) => changeOf(one, { before, after }))
      .toSorted(byDanger);
  const unknown = (['may-open', 'may-cut'] as const).flatMap((kind) =>
    differences
      .filter((one) => one.kind === kind)
      .map(
        (one): UnknownChange => ({
          ...changeOf(one, { before, after }),
          change: kind === 'may-open' ? 'opens' : 'cuts',
          reasons: [...one.causes.reasons].toSorted(compareText),
        }),
      )
      .toSorted(byDanger),
  );
  return {
    ...{ opens: told('opens'), cuts: told('cuts'), unknown },
    idle: idleRules(actions, before, after),
    gaps: [...new Set([...gapsOf(before), ...doubts])],
  };
}

/** The effects of several scopes as one. */
export function joinEffects(all: readonly Effect[]): Effect {
  const joined = <K extends keyof Effect>(key: K) =>
    all.flatMap((one): readonly unknown[] => one[key]) as Effect[K][number][]; // why: entries of one key
  return {
    opens: joined('opens').toSorted(byDanger),
    cuts: joined('cuts').toSorted(byDanger),
    unknown: joined('unknown').toSorted(byDanger),
    idle: joined('idle'),
    gaps: [...new Set(joined('gaps'))],
  };
}

const isAboutTraffic = ({ kind, verb }: Action): boolean => verb !== 'forget' && verb !== 'adopt' && kind !== 'group';

const gapsOf = ({ gaps }: TrafficState): readonly string[] =>
  gaps.map(({ kind, reason }) => `${kind} was not listed completely: ${reason}`);

interface States {
  readonly before: TrafficState;
  readonly after: TrafficState;
}

function changeOf({ kind, network, from, to, services, causes }: Difference, states: States): TrafficChange {
  const isOpening = kind === 'opens' || kind === 'may-open';
  const endOf = (end: ClassEnd, other: ClassEnd, direction: Direction): End =>
    'region' in end
      ? { kind: 'block', cidr: end.region, isAnyone: isAnyone(end.region) }
      : instancesOf(end.classes, {
          ...{ state: isOpening ? states.after : states.before, network, direction },
          region: 'region' in other ? other.region : undefined,
        });
  return {
    from: endOf(from, to, 'egress'),
    to: endOf(to, from, 'ingress'),
    services: entriesIn(services),
    by: [...causes.rules, ...causes.machines].toSorted(compareText),
  };
}

interface EndPlace {
  readonly state: TrafficState;
  readonly network: Ref;
  readonly direction: Direction;
  readonly region: string | undefined;
}

function instancesOf(classes: readonly MachineClass[], { state, network, direction, region }: EndPlace): Instances {
  const machines = classes.flatMap((one) => one.machines);
  const block = region === undefined ? undefined : parseCidr(region);
  const found = (answer: string): number =>
    classes.reduce((sum, { machines: some }) => {
      const [first] = some;
      const machine = state.machines.get(first?.ref ?? '');
      if (machine === undefined || block === undefined) return sum;
      return wayOf(state, machine, direction, block).answer === answer ? sum + some.length : sum;
    }, 0);
  return {
    kind: 'instances',
    network: state.networks.get(network)?.name ?? network,
    instances: machines.map(({ ref }) => ref).toSorted(compareText),
    ...coverOf(machines, state, network),
    ...(block === undefined ? {} : { exposed: found('yes'), maybeExposed: found('maybe') }),
  };
}

/** The shortest words for these machines: one group, all of the network, or few groups and the names of the rest. */
function coverOf(machines: readonly Machine[], state: TrafficState, network: Ref): Pick<Instances, 'groups' | 'names'> {
  const chosen = new Set(machines.map(({ ref }) => ref));
  const members = membersOf(state, network);
  const fitting = [...members]
    .filter(([, refs]) => refs.every((ref) => chosen.has(ref)))
    .toSorted(
      ([a, some], [b, more]) => more.length - some.length || Number(isAll(a)) - Number(isAll(b)) || compareText(a, b),
    );
  const [first] = fitting;
  const rest = new Set(chosen);
  const groups: string[] = [];
  const all = [...state.machines.values()].filter((one) => one.network === network);
  if (all.length === chosen.size && (first === undefined || first[1].length < all.length || isAll(first[0])))
    return { groups, names: [] };
  for (const [group, refs] of fitting) {
    if (!refs.some((ref) => rest.has(ref))) continue;
    groups.push(groupName(group));
    for (const ref of refs) rest.delete(ref);
  }
  const names = machines.filter(({ ref }) => rest.has(ref)).map(({ name }) => name);
  return { groups: groups.toSorted(compareText), names: names.toSorted(compareText) };
}

const isAll = (group: Ref): boolean => /[./-]all$/.test(group);

/** `core.web`, whether the group is an object or a name. */
const groupName = (group: Ref): string => group.replace(/^.*\/group\//, '').replace(/^(?:tag|service-account):/, '');

const memberLists = new WeakMap<TrafficState, Map<Ref, ReadonlyMap<Ref, readonly Ref[]>>>();

/** The machines of each group in a network. */
function membersOf(state: TrafficState, network: Ref): ReadonlyMap<Ref, readonly Ref[]> {
  const known = memberLists.get(state) ?? new Map<Ref, ReadonlyMap<Ref, readonly Ref[]>>();
  memberLists.set(state, known);
  const members = known.get(network) ?? groupMembers(state, network);
  known.set(network, members);
  return members;
}

function groupMembers({ machines }: TrafficState, network: Ref): ReadonlyMap<Ref, readonly Ref[]> {
  const here = [...machines.values()].filter((one) => one.network === network);
  const groups = [...groupByMany(here, ({ memberships = [] }) => memberships)];
  return new Map(groups.map(([group, all]) => [group, all.map(({ ref }) => ref)]));
}

/** Openings from anyone first, then those with most machines exposed. */
function byDanger(a: TrafficChange, b: TrafficChange): number {
  return dangerOf(b) - dangerOf(a) || sizeOf(b) - sizeOf(a) || compareText(textOf(a), textOf(b));
}

function dangerOf({ from, to }: TrafficChange): number {
  if (from.kind === 'instances') return to.kind === 'instances' ? 1 : 0;
  const reached = to.kind === 'instances' && (to.exposed ?? 0) + (to.maybeExposed ?? 0) > 0;
  return 2 + Number(from.isAnyone) + 2 * Number(reached);
}

const sizeOf = ({ from, to }: TrafficChange): number =>
  [from, to].reduce((sum, end) => sum + (end.kind === 'instances' ? end.instances.length : 0), 0);

const textOf = (change: TrafficChange): string => JSON.stringify([change.from, change.to, change.services]);

/** New rules of documents that let traffic through to or from no machine that stands. */
function idleRules(actions: readonly Action[], before: TrafficState, after: TrafficState): readonly IdleRule[] {
  if (before.gaps.some(({ kind }) => kind === 'instance')) return [];
  const created = actions.flatMap((action): readonly Desired<'firewall-rule'>[] =>
    action.verb === 'create' && isStatedRule(action.desired) && action.desired.attributes.order?.disabled !== true
      ? [action.desired]
      : [],
  );
  if (created.length === 0) return [];
  const wanted = new Map(created.map((one) => [one.address, one]));
  const standing = new Set<Ref>();
  const toCome = new Map<Ref, number>();
  const filter = filterOf(after);
  for (const machine of after.machines.values()) {
    for (const rule of appliedTo(machine, filter)) {
      if (before.machines.has(machine.ref)) standing.add(rule);
      else toCome.set(rule, (toCome.get(rule) ?? 0) + 1);
    }
  }
  return [...wanted.values()]
    .filter(({ address }) => !standing.has(address))
    .map(({ address, documents: [document] }) => ({
      rule: address,
      ...(document === undefined ? {} : { document }),
      toCome: toCome.get(address) ?? 0,
    }));
}

const appliedTo = (machine: Machine, filter: ReturnType<typeof filterOf>): ReadonlySet<Ref> =>
  new Set(
    (['ingress', 'egress'] as const).flatMap((direction) =>
      filter.lists(machine, direction).lists.flatMap(({ rules }) => rules.map(({ rule }) => rule.held.ref)),
    ),
  );

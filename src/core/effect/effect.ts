import type { Action, ScopePlan } from '../action.ts';
import { parseCidr } from '../cidr.ts';
import { type Desired, type DocumentRef, isStatedRule } from '../desired.ts';
import { groupByMany } from '../group-by-many.ts';
import { isAnyone } from '../kinds/rules.ts';
import type { PlanInput } from '../plan/plan-input.ts';
import type { Address, Ref, ScopeKey } from '../resource.ts';
import { finish, flatMapInSteps, type Steps } from '../steps.ts';
import { compareText } from '../text.ts';
import { type ChangeKind, type ClassEnd, type Difference, differencesInSteps } from './differences.ts';
import { type Direction, filterOf } from './filter.ts';
import { classesOf, type MachineClass } from './machine-classes.ts';
import { entriesIn, type ServiceEntry } from './service-set.ts';
import { type Machine, statesOf, type TrafficState } from './state.ts';
import { wayOf } from './way.ts';

/**
 * The meaning of a plan for traffic. Only machines count that stand before and after: a new machine is not opened, and a deleted
 * one is not cut. Most dangerous first.
 *
 * - `opens`, `cuts`: traffic that the plan lets through or ends, for certain.
 * - `unknown`: traffic that it may open or cut, with the reason that Setpoint cannot tell.
 * - `idle`: documents of new rules that apply to no machine that stands.
 * - `gaps`: reasons for which all of the above may be incomplete, such as a listing that failed.
 */
export interface Effect {
  readonly opens: readonly TrafficChange[];
  readonly cuts: readonly TrafficChange[];
  readonly unknown: readonly UnknownChange[];
  readonly idle: readonly IdleRule[];
  readonly gaps: readonly string[];
}

/**
 * Traffic from each of `from` to each of `to`; what a machine sends to itself does not count. `services`: never empty. `by`: addresses of
 * the documents of changed rules that cause it, and of changed machines; of rules without a document their own. Sorted.
 */
export interface TrafficChange {
  readonly scope: ScopeKey;
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

/** `rule`: the address of its document. `toCome`: machines that the plan creates and that it will apply to. */
export interface IdleRule {
  readonly scope: ScopeKey;
  readonly rule: Ref;
  readonly document?: DocumentRef;
  readonly toCome: number;
}

export const noEffect: Effect = { opens: [], cuts: [], unknown: [], idle: [], gaps: [] };

/** The effect of a plan that was made from this input. */
export const effectOf = (plan: Pick<ScopePlan, 'actions'>, input: PlanInput): Effect =>
  finish(effectInSteps(plan, input));

/** The same, in steps. */
export function* effectInSteps({ actions }: Pick<ScopePlan, 'actions'>, input: PlanInput): Steps<Effect> {
  if (!actions.some(isAboutTraffic)) return noEffect;
  const { scope } = input.observation;
  const { before, after } = statesOf(actions, input);
  yield;
  const { differences, doubts } = yield* differencesInSteps(before, after);
  const states: States = { scope, before, after, documents: documentsOf(actions) };
  const all = yield* flatMapInSteps(differences, (one) => [{ ...one, change: changeOf(one, states) }], changesAtOnce);
  const changesOf = (kind: ChangeKind): readonly TrafficChange[] =>
    all.flatMap((one) => (one.kind === kind ? [one.change] : []));
  const possible = (kind: 'may-open' | 'may-cut'): readonly UnknownChange[] =>
    all.flatMap((one) => {
      if (one.kind !== kind) return [];
      const reasons = [...one.causes.reasons].toSorted(compareText);
      return [{ ...one.change, change: kind === 'may-open' ? 'opens' : 'cuts', reasons }];
    });
  return joinEffects([
    {
      ...{
        opens: changesOf('opens'),
        cuts: changesOf('cuts'),
        unknown: [...possible('may-open'), ...possible('may-cut')],
      },
      idle: idleRules(actions, states),
      gaps: [...gapsOf(before), ...doubts],
    },
  ]);
}

const changesAtOnce = 20;

/** Rules are known to people by their documents. */
const documentsOf = (actions: readonly Action[]): ReadonlyMap<Address, Address> =>
  new Map(
    actions.flatMap(({ kind, address, documents: [document] }) =>
      kind === 'firewall-rule' && document !== undefined ? [[address, document.address] as const] : [],
    ),
  );

/** The effects of the plans of several scopes as one. */
export const joinEffects = (all: readonly Effect[]): Effect => ({
  opens: all.flatMap(({ opens }) => opens).toSorted(byDanger),
  cuts: all.flatMap(({ cuts }) => cuts).toSorted(byDanger),
  unknown: all.flatMap(({ unknown }) => unknown).toSorted(byDanger),
  idle: all.flatMap(({ idle }) => idle),
  gaps: [...new Set(all.flatMap(({ gaps }) => gaps))],
});

/**
 * The effect of changes that this one would undo: of drift, by the effect of its healing. A rule that healing would make is no new rule
 * of drift, so none of them is idle.
 */
export const undoneEffect = ({ opens, cuts, unknown, gaps }: Effect): Effect => ({
  opens: cuts,
  cuts: opens,
  unknown: unknown.map((one) => ({ ...one, change: one.change === 'opens' ? 'cuts' : 'opens' })),
  idle: [],
  gaps,
});

const isAboutTraffic = ({ kind, verb }: Action): boolean => verb !== 'forget' && verb !== 'adopt' && kind !== 'group';

const gapsOf = ({ gaps }: TrafficState): readonly string[] =>
  gaps.map(({ kind, reason }) => `${kind} was not listed completely: ${reason}`);

interface States {
  readonly scope: ScopeKey;
  readonly documents: ReadonlyMap<Address, Address>;
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
  const rules = [...causes.rules].map((ref) => states.documents.get(ref) ?? ref);
  return {
    scope: states.scope,
    from: endOf(from, to, 'egress'),
    to: endOf(to, from, 'ingress'),
    services: entriesIn(services),
    by: [...new Set([...rules, ...causes.machines])].toSorted(compareText),
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
    ...coverOf(machines, groupsOf(classes), { state, network }),
    ...(block === undefined ? {} : { exposed: found('yes'), maybeExposed: found('maybe') }),
  };
}

/** Groups that some of them are in, before or after. */
const groupsOf = (classes: readonly MachineClass[]): ReadonlySet<Ref> =>
  new Set(classes.flatMap(({ before, after }) => [before, after].flatMap(({ machine }) => machine.memberships ?? [])));

/** The shortest words for these machines: one group, all of the network, or few groups and the names of the rest. */
function coverOf(
  machines: readonly Machine[],
  near: ReadonlySet<Ref>,
  { state, network }: Pick<EndPlace, 'state' | 'network'>,
): Pick<Instances, 'groups' | 'names'> {
  const chosen = new Set(machines.map(({ ref }) => ref));
  const { count, groups: members } = membersOf(state, network);
  const fitting = [...near]
    .flatMap((group) => {
      const refs = members.get(group) ?? [];
      return refs.length > 0 && refs.every((ref) => chosen.has(ref)) ? [{ group, refs }] : [];
    })
    .toSorted(
      (a, b) =>
        b.refs.length - a.refs.length ||
        Number(isAll(a.group)) - Number(isAll(b.group)) ||
        compareText(a.group, b.group),
    );
  const [first] = fitting;
  const isWhole = first === undefined || first.refs.length < count || isAll(first.group);
  if (chosen.size === count && isWhole) return { groups: [], names: [] };
  const rest = new Set(chosen);
  const groups: string[] = [];
  for (const { group, refs } of fitting) {
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

interface Members {
  readonly count: number;
  readonly groups: ReadonlyMap<Ref, readonly Ref[]>;
}

const memberLists = new WeakMap<TrafficState, Map<Ref, Members>>();

/** The machines of a network, and of each group in it. */
function membersOf(state: TrafficState, network: Ref): Members {
  const known = memberLists.get(state) ?? new Map<Ref, Members>();
  memberLists.set(state, known);
  const members = known.get(network) ?? countMembers(state, network);
  known.set(network, members);
  return members;
}

function countMembers({ machines }: TrafficState, network: Ref): Members {
  const here = [...machines.values()].filter((one) => one.network === network);
  const groups = [...groupByMany(here, ({ memberships = [] }) => memberships)];
  return { count: here.length, groups: new Map(groups.map(([group, all]) => [group, all.map(({ ref }) => ref)])) };
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

/** Ends of equal size are sorted by name, or by their first machine. */
const textOf = ({ scope, from, to, services }: TrafficChange): string =>
  [scope, nameOf(from), nameOf(to), JSON.stringify(services)].join(' ');

const nameOf = (end: End): string =>
  end.kind === 'block' ? end.cidr : [...end.groups, ...end.names.slice(0, 3), end.instances[0]].join(' ');

/** Documents of rules whose new rules apply to no machine that stands, in order. */
function idleRules(actions: readonly Action[], { scope, before, after }: States): readonly IdleRule[] {
  if (before.gaps.some(({ kind }) => kind === 'instance')) return [];
  const created = actions.filter((action) => action.verb === 'create' && isStatedAndOn(action.desired));
  const byDocument = Map.groupBy(created, ({ documents: [document], address }) => document?.address ?? address);
  if (byDocument.size === 0) return [];
  const members = machinesOfRules(after);
  return [...byDocument].flatMap(([rule, atoms]) => {
    const machines = new Set(atoms.flatMap(({ address }) => members.get(address) ?? []));
    if ([...machines].some((ref) => before.machines.has(ref))) return [];
    const document = atoms[0]?.documents[0];
    return [{ scope, rule, toCome: machines.size, ...(document === undefined ? {} : { document }) }];
  });
}

const isStatedAndOn = (desired: Desired): boolean =>
  isStatedRule(desired) && desired.attributes.order?.disabled !== true;

/** The machines that each rule may apply to. */
function machinesOfRules(state: TrafficState): ReadonlyMap<Ref, readonly Ref[]> {
  const filter = filterOf(state);
  const found = new Map<Ref, Ref[]>();
  for (const { after, machines } of classesOf(state, state, [filter])) {
    const lists = (['ingress', 'egress'] as const).flatMap((direction) => filter.lists(after.machine, direction).lists);
    const refs = machines.map(({ ref }) => ref);
    for (const rule of new Set(lists.flatMap(({ rules }) => rules.map((one) => one.rule.held.ref)))) {
      const known = found.get(rule);
      if (known === undefined) found.set(rule, [...refs]);
      else known.push(...refs);
    }
  }
  return found;
}

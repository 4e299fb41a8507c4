import type { Action, Finding, WithholdCode } from '../action.ts';
import type { Desired } from '../desired.ts';
import { groupByMany } from '../group-by-many.ts';
import { kindNames } from '../kinds/kinds.ts';
import { isUnproven, minReadyOf } from '../knowledge.ts';
import type { Observed } from '../observed.ts';
import { nobodyAround, type Surroundings } from '../order/neighbours.ts';
import { type Gate, order } from '../order/order.ts';
import { type Address, documentOfReplica, type Kind, nameIn } from '../resource.ts';
import { boundsOf } from '../rollout.ts';
import { compareText, withoutFullStop } from '../text.ts';
import type { Hold } from './plan-input.ts';
import { hasRollouts, rolledOutBy, type Subject, subjectOf } from './rollout-stops.ts';
import { surroundingsOf } from './surroundings.ts';
import type { World } from './world.ts';

/**
 * Lets pass only the current wave of each rollout. Computed from what is seen, with no counter kept: what already stands as wanted is
 * done, whenever it was done.
 *
 *   done so far                         | passes
 *   ------------------------------------+---------------------------------------------------------
 *   less than the wave that is under way| the rest of that wave
 *   exactly some waves, all of it ready | the next wave
 *   exactly some waves, not all ready   | nothing; said what is waited for
 *   any, but the rollout has stopped    | nothing, until a person resumes it, or the spec changes
 *
 * An action that needs a held action is held with it. Drift is healed all the same. Undefined if nothing
 * goes out in waves, or all of it may.
 */
export function waveHold(plan: AllAtOnce, world: World): Hold | undefined {
  const { wanted, choices = {} } = world.input;
  if (choices.atOnce || !hasRollouts(wanted)) return undefined;
  const held = new Map<Action, Reason>();
  const around = surroundingsOf(plan.actions, plan.desired, world) ?? nobodyAround;
  for (const units of unitsOf(plan, prerequisitesOf(plan.actions, 'all', around), world)) {
    const { passing, reason } = currentWave(units, world);
    for (const { action } of units.open) if (action !== undefined && !passing.has(action)) held.set(action, reason);
  }
  if (held.size === 0) return undefined;
  holdWhatNeeds(held, prerequisitesOf(plan.actions, 'needed', around));
  return (action) => held.get(action);
}

interface Reason {
  readonly code: WithholdCode;
  readonly why: string;
}

function currentWave(
  units: SubjectUnits,
  { input }: World,
): { readonly passing: ReadonlySet<Action>; readonly reason: Reason } {
  const { subject, reached, open } = units;
  const bounds = boundsOf(subject.rollout, reached.length + open.length);
  const at = bounds.findIndex((bound) => reached.length < bound);
  const isBetween = reached.length === (bounds[at - 1] ?? 0);
  const unready = reached.filter(({ waits }) => waits !== undefined);
  const mayGo = !isBetween || unready.length === 0;
  const wave = mayGo ? open.slice(0, (bounds[at] ?? 0) - reached.length) : [];
  const number = mayGo ? at + 1 : at;
  const ofScope = subject.of === input.observation.scope ? ' of this scope' : '';
  const stand = `wave ${number} of ${bounds.length}${ofScope}: ${reached.length} of ${reached.length + open.length} done`;
  const stop = input.choices?.stopped?.find(({ document }) => document === subject.of);
  if (stop !== undefined)
    return { passing: new Set(), reason: { code: 'rollout-stopped', why: stopped(stand, stop.why, subject) } };
  return {
    passing: new Set(wave.flatMap(({ action }) => action ?? [])),
    reason: { code: 'wave', why: `${stand}; waits for ${many(mayGo ? wave : unready)}` },
  };
}

const stopped = (stand: string, why: string, { of }: Subject): string =>
  `stopped in ${stand}. ${withoutFullStop(why)}. To resume: setpoint resume --rollout-of ${of} --reason "…"; to go back: commit the former spec.`;

function many([first, ...others]: readonly Unit[]): string {
  if (first === undefined) return 'nothing';
  return `${nameOf(first.place)}${first.waits ?? ''}${others.length === 0 ? '' : ` and ${others.length} more`}`;
}

/** Holds all actions that wait for a held one, through gates too, except drift. */
function holdWhatNeeds(held: Map<Action, Reason>, needed: Prerequisites): void {
  const waiting = groupByMany([...needed], ([, before]) => before);
  const next: (readonly [node: Action | Gate, ground: Action])[] = [...held.keys()].map((action) => [action, action]);
  const entered = new Set<Action | Gate>(held.keys());
  for (let at = next.shift(); at !== undefined; at = next.shift()) {
    const [before, ground] = at;
    for (const [node] of waiting.get(before) ?? []) {
      const reason = held.get(ground);
      const isAction = 'verb' in node;
      if (reason === undefined || entered.has(node) || (isAction && node.cause === 'drift')) continue;
      entered.add(node);
      if (isAction) held.set(node, { code: reason.code, why: behind(ground, reason) });
      next.push([node, isAction ? node : ground]);
    }
  }
}

const behind = (ground: Action, { code }: Reason): string =>
  `comes after ${ground.kind} ${nameOf(ground)}, ${code === 'wave' ? 'which waits for its wave' : 'whose rollout has stopped'}.`;

/** A plan as it would be without waves. */
export interface AllAtOnce {
  readonly actions: readonly Action[];
  readonly findings: readonly Finding[];
  readonly desired: readonly Desired[];
}

/**
 * One resource in a rollout.
 *
 *   what is seen                                      | is          | `waits`
 *   --------------------------------------------------+-------------+-----------------------------------
 *   its spec has not come into force: an action is due| open        | absent
 *   the same, and something else holds it back        | open        | that it is held back
 *   as wanted, and ready                              | reached     | absent
 *   as wanted, but starting or not ready for long      | reached     | what for
 *   enough yet; or drifted since                      |             |
 *   no longer wanted, and still there                 | open        | absent
 */
interface Unit {
  readonly place: Place;
  readonly action?: Action;
  readonly isReached: boolean;
  /** For people, after its name: ` to be running`. */
  readonly waits?: string;
}

interface SubjectUnits {
  readonly subject: Subject;
  readonly reached: readonly Unit[];
  /** In the order in which they go. */
  readonly open: readonly Unit[];
}

/** Everything that goes out in waves, by subject. */
function unitsOf(plan: AllAtOnce, before: Prerequisites, world: World): readonly SubjectUnits[] {
  const { wanted, observation } = world.input;
  const due = new Map(plan.actions.map((action) => [action, rolledOutBy(action, wanted, observation.scope)] as const));
  const subjects = new Map<Unit, Subject>();
  const others: Unit[] = [];
  for (const [action, subject] of due) {
    const unit = { place: placeOf(action), action, isReached: false };
    if (subject === undefined) others.push(unit);
    else subjects.set(unit, subject);
  }
  const rolledOut = new Set([...subjects.keys()].map(({ place }) => place.address));
  const stateOf = stateIn(plan, world);
  for (const one of plan.desired) {
    if (one.terms.presence !== undefined || rolledOut.has(one.address)) continue;
    const documents = one.documents.map(({ address }) => address);
    const subject = subjectOf(documents, wanted, observation.scope);
    if (subject !== undefined) subjects.set(stateOf(one), subject);
  }
  // why: actions outside rollouts may lie between two that are in one
  const ordered = inWaveOrder([...subjects.keys(), ...others], before).filter((unit) => subjects.has(unit));
  return [...Map.groupBy(ordered, (unit) => subjects.get(unit)?.of ?? '').values()].flatMap((units) => {
    const subject = units.flatMap((unit) => subjects.get(unit) ?? [])[0];
    if (subject === undefined) return [];
    return [{ subject, reached: units.filter(isReached), open: units.filter((unit) => !isReached(unit)) }];
  });
}

const isReached = (unit: Unit): boolean => unit.isReached;

/** Of what the spec asks nothing new: as wanted, or held back. */
function stateIn({ actions, findings }: AllAtOnce, { ours, input }: World): (desired: Desired) => Unit {
  const drifted = new Set(actions.flatMap(({ verb, address }) => (verb === 'forget' ? [] : [address])));
  const held = new Set(
    findings.flatMap((finding): readonly Address[] => ('address' in finding ? [finding.address] : [])),
  );
  const births = new Map((input.knowledge.births ?? []).map((birth) => [birth.id, birth]));
  return ({ kind, address, terms }) => {
    const present = ours.get(address)?.[0]?.observed;
    const place = { kind, address, as: present === undefined ? 'made' : 'changed' } as const;
    if (held.has(address)) return { place, isReached: false, waits: ' (withheld)' };
    if (drifted.has(address)) return { place, isReached: true, waits: ' (drifted)' };
    const birth = births.get(present?.id ?? '');
    const unproven = birth !== undefined && isUnproven(birth, minReadyOf(terms), input.observation.at);
    return { place, isReached: true, ...unreadiness(present, unproven) };
  };
}

function unreadiness(present: Observed | undefined, unproven: boolean): Pick<Unit, 'waits'> {
  if (present === undefined) return { waits: ' to be seen' };
  if (present.condition.state === 'ready') return unproven ? { waits: ' to have been ready for long enough' } : {};
  return { waits: present.kind === 'instance' ? ' to be running' : ' to be ready' };
}

const nameOf = ({ kind, address }: Pick<Place, 'kind' | 'address'>): string => nameIn(address, kind);

/**
 * The actions that each action needs first. A gate of order.ts stands for the shared needs of many actions: it is a
 * key like an action, and no action.
 */
type Prerequisites = ReadonlyMap<Action | Gate, readonly (Action | Gate)[]>;

/**
 * As in order.ts. Left out is what only keeps machines of one document from being touched at once: it says nothing about which
 * comes first.
 */
function prerequisitesOf(actions: readonly Action[], which: 'needed' | 'all', around: Surroundings): Prerequisites {
  const { steps, gates } = order(actions, around);
  const nodes = [...steps.map(({ action }) => action), ...gates];
  return new Map(
    [...steps, ...gates].flatMap(({ needs, follows }, at) => {
      const node = nodes[at];
      const before = [...needs, ...(which === 'all' ? follows : [])].flatMap((one) => nodes[one] ?? []);
      return node === undefined ? [] : [[node, before.filter((one) => !areMachines(node, one))] as const];
    }),
  );
}

const isGate = (node: Action | Gate): node is Gate => !('verb' in node);

const areMachines = (...nodes: readonly (Action | Gate)[]): boolean =>
  nodes.every((node) => 'verb' in node && node.kind === 'instance');

/** The place of a resource in the order of waves. */
interface Place {
  readonly kind: Kind;
  readonly address: Address;
  /** `made`: it is not there yet. */
  readonly as: 'made' | 'changed' | 'removed';
}

const placeOf = ({ kind, address, verb }: Action): Place => ({ kind, address, as: becoming[verb] });

const becoming = {
  create: 'made',
  adopt: 'made',
  update: 'changed',
  replace: 'changed',
  delete: 'removed',
  forget: 'removed',
} as const satisfies Readonly<Record<Action['verb'], Place['as']>>;

/**
 * Parents before children, what is new before what changes, what goes last and children first; of machines by their ordinals, those
 * that go from the highest down; all else by address.
 */
function byPlace(a: Place, b: Place): number {
  return rank(a) - rank(b) || compareText(stemOf(a), stemOf(b)) || ordinal(a) - ordinal(b);
}

const classes: Readonly<Record<Place['as'], number>> = { made: 0, changed: 1, removed: 0 };

function rank({ kind, as }: Place): number {
  const tier = 2 * kindNames.indexOf(kind) + classes[as];
  return as === 'removed' ? 100 - tier : tier;
}

const stemOf = ({ kind, address }: Place): string => (kind === 'instance' ? documentOfReplica(address) : address);

function ordinal({ kind, address, as }: Place): number {
  if (kind !== 'instance') return 0;
  const at = Number(/-(\d+)$/.exec(address)?.[1] ?? 0);
  return as === 'removed' ? -at : at;
}

/**
 * Everything in the order of places, but each after what it must wait for: so a wave that is cut off anywhere never holds
 * anything whose ground, or whose successor, is of a later one.
 */
function inWaveOrder<T extends { readonly place: Place; readonly action?: Action }>(
  all: readonly T[],
  before: Prerequisites,
): readonly T[] {
  const byAction = new Map<Action | Gate, T>(
    all.flatMap((one) => (one.action === undefined ? [] : [[one.action, one] as const])),
  );
  const ordered = new Set<T>();
  const entered = new Set<T | Gate>();
  const firstOf = (node: T | Gate): readonly (T | Gate)[] => {
    const first = 'place' in node ? node.action && before.get(node.action) : before.get(node);
    const known = (first ?? []).flatMap((one) => byAction.get(one) ?? []);
    return [...known.toSorted(byPlaceOf), ...(first ?? []).filter(isGate)];
  };
  const enter = (node: T | Gate) => {
    entered.add(node);
    return { node, rest: firstOf(node).values() };
  };
  // why: a path through gates may be longer than the stack of calls
  const visit = (one: T): void => {
    const path = entered.has(one) ? [] : [enter(one)];
    for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
      const { value, done } = last.rest.next();
      if (!done) {
        if (!entered.has(value)) path.push(enter(value));
        continue;
      }
      path.pop();
      if ('place' in last.node) ordered.add(last.node);
    }
  };
  for (const one of all.toSorted(byPlaceOf)) visit(one);
  return [...ordered];
}

const byPlaceOf = (a: { readonly place: Place }, b: { readonly place: Place }): number => byPlace(a.place, b.place);

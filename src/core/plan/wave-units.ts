import type { Action, Finding } from '../action.ts';
import { nameIn } from '../address.ts';
import { isUnproven, minReadyOf } from '../births.ts';
import type { Desired } from '../desired.ts';
import type { Observed } from '../observed.ts';
import type { Address } from '../resource.ts';
import { rolledOutBy, type Subject, subjectOf } from './rollout-subject.ts';
import { inWaveOrder, type Place, type Prerequisites, placeOf } from './wave-order.ts';
import type { World } from './world.ts';

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
export interface Unit {
  readonly place: Place;
  readonly action?: Action;
  readonly isReached: boolean;
  /** For people, after its name: ` to be running`. */
  readonly waits?: string;
}

export interface SubjectUnits {
  readonly subject: Subject;
  readonly reached: readonly Unit[];
  /** In the order in which they go. */
  readonly open: readonly Unit[];
}

/** Everything that goes out in waves, by subject. */
export function unitsOf(plan: AllAtOnce, before: Prerequisites, world: World): readonly SubjectUnits[] {
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
  // why: what is of no rollout may stand between two that are
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
    if (held.has(address)) return { place, isReached: false, waits: ' (held back)' };
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

export const nameOf = ({ kind, address }: Pick<Place, 'kind' | 'address'>): string => nameIn(address, kind);

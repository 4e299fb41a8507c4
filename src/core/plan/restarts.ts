import { type Action, powerField } from '../action.ts';
import type { Desired } from '../desired.ts';
import { powerOf, stoppedByUs } from '../knowledge.ts';
import type { Observed } from '../observed.ts';
import type { Address, InstanceAttributes } from '../resource.ts';
import type { Admitted } from './admit.ts';
import { isHalfMade } from './claim.ts';
import { aboutOf } from './findings.ts';
import type { Hold } from './plan-input.ts';
import { gapOf, type World } from './world.ts';

/**
 * Adds the starts of machines that an interrupted update of ours stopped. A hold on the rest of that update, or on a later change of the
 * machine, does not hold the start: holds judge each start by itself.
 *
 *   the document wants it   | a change that passes             | result
 *   ------------------------+----------------------------------+---------------------------------------------------
 *   running                 | starts, replaces or deletes it   | no start: that change ends the update
 *   running                 | none of these                    | its start, unless a hold holds this too
 *   running, by a later spec| any                              | no start: the spec asks for it, as for other changes
 *   stopped                 | any                              | no start: see `keptStopped`
 */
export function withStarts(
  { actions, findings }: Admitted,
  desired: readonly Desired[],
  { holds, world }: { readonly holds: readonly Hold[]; readonly world: World },
): Admitted {
  const starts = startsIn(desired, world);
  if (starts.length === 0) return { actions, findings };
  const ended = new Set(actions.flatMap((action) => (endsUpdate(action) ? [action.observed.id] : [])));
  const passing = starts
    .filter(({ observed }) => !ended.has(observed.id))
    .filter((start) => holds.every((hold) => hold(start) === undefined));
  return { actions: [...actions, ...passing], findings };
}

/**
 * Holds other updates of such machines until they run. An update would close the intent of the interrupted one, and nothing would start
 * the machine then.
 */
export function startFirstHold(desired: readonly Desired[], world: World): Hold {
  const stopped = new Set(startsIn(desired, world).map(({ observed }) => observed.id));
  return (action) => {
    if (action.verb !== 'update' || !stopped.has(action.observed.id) || endsUpdate(action)) return undefined;
    return { code: 'depends', why: 'an interrupted update of ours stopped the machine. Setpoint starts it first.' };
  };
}

type Ending = Extract<Action, { readonly verb: 'update' | 'replace' | 'delete' }>;

/** True of a change that leaves no machine to start. */
function endsUpdate(action: Action): action is Ending {
  if (action.verb === 'update') return action.changes.some(({ field, to }) => field === powerField && to === 'running');
  return action.verb === 'replace' || action.verb === 'delete';
}

/** Machines that an interrupted update of ours stopped, and that their documents now want stopped; undefined where there are none. */
export function keptStopped(desired: readonly Desired[], world: World): readonly Address[] | undefined {
  const kept = stoppedMachines(desired, world).filter(([one]) => powerOf(one.attributes) === 'stopped');
  return kept.length === 0 ? undefined : kept.map(([one]) => one.address);
}

/** Wanted machines that such an update stopped, as they were observed. None while the listing of machines has a gap. */
function stoppedMachines(desired: readonly Desired[], world: World): readonly (readonly [Desired, Observed])[] {
  const stopped = stoppedByUs(world.input.knowledge);
  if (stopped.size === 0 || gapOf(world, 'instance') !== undefined) return [];
  return desired.flatMap((one): readonly (readonly [Desired, Observed])[] => {
    const [present, second] = stopped.has(one.address) ? (world.ours.get(one.address) ?? []) : [];
    if (present === undefined || second !== undefined || isHalfMade(present.observed)) return [];
    return powerOf(present.observed.attributes) === 'stopped' ? [[one, present.observed]] : [];
  });
}

type Update = Extract<Action, { readonly verb: 'update' }>;

const startsIn = (desired: readonly Desired[], world: World): readonly Update[] =>
  stoppedMachines(desired, world).flatMap(([one, observed]) => startOf(one, observed, world) ?? []);

function startOf(desired: Desired, observed: Observed, { input }: World): Update | undefined {
  const applied = input.knowledge.applied.get(desired.address)?.attributes;
  if (powerOf(desired.attributes) !== 'running' || powerOf(applied) === 'stopped') return undefined;
  return {
    ...aboutOf(desired, 'drift'),
    verb: 'update',
    desired: onlyStarted(desired, applied),
    observed,
    changes: [{ field: powerField, from: 'stopped', to: 'running' }],
    effect: 'in-place',
    restarts: true,
  };
}

/** The values that were applied last, with the power on. Held values must not count as applied: they would be drift from then on. */
function onlyStarted(desired: Desired, applied: object | undefined): Desired {
  if (desired.kind !== 'instance' || applied === undefined) return desired;
  // why: of a machine
  const { machine, ...rest } = applied as InstanceAttributes;
  return { ...desired, attributes: { ...rest, machine: { ...machine, power: 'running' } } };
}

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
 * With the starts of machines that an interrupted update of ours stopped. Whatever holds the rest of that update, or a later change of the
 * machine, does not hold its start: each start is judged by itself.
 *
 *   the document wants it | a change of it passes | result
 *   ----------------------+-----------------------+-------------------------------------------------------------
 *   running               | yes                   | nothing: that change starts it
 *   running               | no                    | its start, unless a hold holds this too
 *   running, by a later   | any                   | nothing: a spec asks for the start, as for any other change
 *   spec                  |                       |
 *   stopped               | any                   | nothing: the update has no machine to start, see `keptStopped`
 */
export function withStarts(
  { actions, findings }: Admitted,
  desired: readonly Desired[],
  { holds, world }: { readonly holds: readonly Hold[]; readonly world: World },
): Admitted {
  const stopped = stoppedMachines(desired, world);
  if (stopped.length === 0) return { actions, findings };
  const changed = new Set(actions.map(({ address }) => address));
  const starts = stopped
    .filter(([one]) => !changed.has(one.address))
    .flatMap(([one, observed]) => startOf(one, observed, world) ?? [])
    .filter((start) => holds.every((hold) => hold(start) === undefined));
  return { actions: [...actions, ...starts], findings };
}

/** Machines that an interrupted update of ours stopped, and that shall be stopped by now; undefined where there are none. */
export function keptStopped(desired: readonly Desired[], world: World): readonly Address[] | undefined {
  const kept = stoppedMachines(desired, world).filter(([one]) => powerOf(one.attributes) === 'stopped');
  return kept.length === 0 ? undefined : kept.map(([one]) => one.address);
}

/** Wanted machines that such an update stopped, as they were observed. None while nobody knows all machines. */
function stoppedMachines(desired: readonly Desired[], world: World): readonly (readonly [Desired, Observed])[] {
  const stopped = stoppedByUs(world.input.knowledge);
  if (stopped.size === 0 || gapOf(world, 'instance') !== undefined) return [];
  return desired.flatMap((one): readonly (readonly [Desired, Observed])[] => {
    const [present, second] = stopped.has(one.address) ? (world.ours.get(one.address) ?? []) : [];
    if (present === undefined || second !== undefined || isHalfMade(present.observed)) return [];
    return powerOf(present.observed.attributes) === 'stopped' ? [[one, present.observed]] : [];
  });
}

function startOf(desired: Desired, observed: Observed, { input }: World): Action | undefined {
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

/** The values that were applied last, with the power on. Held values must not count as applied: else they would be drift from then on. */
function onlyStarted(desired: Desired, applied: object | undefined): Desired {
  if (desired.kind !== 'instance' || applied === undefined) return desired;
  // why: of a machine
  const { machine, ...rest } = applied as InstanceAttributes;
  return { ...desired, attributes: { ...rest, machine: { ...machine, power: 'running' } } };
}

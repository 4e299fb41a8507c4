import type { Action, WithholdCode } from '../action.ts';
import { groupByMany } from '../group-by-many.ts';
import type { Gate } from '../order.ts';
import { boundsOf } from '../rollout.ts';
import { nobodyAround } from '../traffic/neighbours.ts';
import type { Policy } from './plan-input.ts';
import { hasRollouts, type Subject } from './rollout-subject.ts';
import { surroundingsOf } from './surroundings.ts';
import { type Prerequisites, prerequisitesOf } from './wave-order.ts';
import { type AllAtOnce, nameOf, type SubjectUnits, type Unit, unitsOf } from './wave-units.ts';
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
 * What cannot be carried out before something that is held is held with it; drift is healed all the same. Undefined where nothing
 * goes out in waves, or all of it may.
 */
export function wavePolicy(plan: AllAtOnce, world: World): Policy | undefined {
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
  const whose = subject.of === input.observation.scope ? ' of this scope' : '';
  const stand = `wave ${number} of ${bounds.length}${whose}: ${reached.length} of ${reached.length + open.length} done`;
  const stop = input.choices?.stopped?.find(({ document }) => document === subject.of);
  if (stop !== undefined)
    return { passing: new Set(), reason: { code: 'rollout-stopped', why: stopped(stand, stop.why, subject) } };
  return {
    passing: new Set(wave.flatMap(({ action }) => action ?? [])),
    reason: { code: 'wave', why: `${stand}; waits for ${many(mayGo ? wave : unready)}` },
  };
}

const stopped = (stand: string, why: string, { of }: Subject): string =>
  `stopped in ${stand}. ${why.replace(/\.$/, '')}. To go on: setpoint resume --rollout-of ${of} --reason "…"; to go back: commit the former spec.`;

function many([first, ...others]: readonly Unit[]): string {
  if (first === undefined) return 'nothing';
  return `${nameOf(first.place)}${first.waits ?? ''}${others.length === 0 ? '' : ` and ${others.length} more`}`;
}

/** What waits for something held is held with it, through gates too; so far as it is no drift. */
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

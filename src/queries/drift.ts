import {
  type Action,
  actionKey,
  type Finding,
  type ScopePlan,
  type WithholdCode,
  withheldKey,
} from '../core/action.ts';
import { byCriticality } from '../core/criticality.ts';
import { actionDigest } from '../core/digest.ts';
import { type Effect, effectInSteps, joinEffects, undoneEffect } from '../core/effect/effect.ts';
import type { Allowance } from '../core/limits.ts';
import { actionsWithCriticality } from '../core/plan/criticalities.ts';
import { modeHold } from '../core/plan/holds.ts';
import type { PlanInput, Withholding } from '../core/plan/plan-input.ts';
import { remediationHold } from '../core/plan/remediation.ts';
import { inTurns } from '../estate/in-turns.ts';
import { sha256 } from '../estate/sha256.ts';
import { saidOf } from './approvals.ts';
import { type EstateView, planAgain, type StoredEstateView } from './estate-view.ts';

/** The drift of each scope, held or not, and the reasons for which it is unknown or not healed. */
export async function driftOf(survey: EstateView): Promise<readonly ScopePlan[]> {
  const whole = await unbound(survey);
  return whole.map((one, i) => onlyDrift(one, survey.plans[i]));
}

/** The traffic that the drift in these plans opened and cut, as healing all of it would undo that. `plans`: by `driftOf`, of this view. */
export async function driftEffect(
  { looked }: Pick<EstateView, 'looked'>,
  plans: readonly ScopePlan[],
): Promise<Effect> {
  const effects: Effect[] = [];
  for (const [i, { input }] of looked.entries()) {
    const plan = plans[i];
    if (plan !== undefined) effects.push(await inTurns(effectInSteps(plan, input)));
  }
  return undoneEffect(joinEffects(effects));
}

/**
 * The reasons for which workers leave an action of drift to a person, although a person's plan carries it out: its mode, or the remediation
 * of its document. A finding has any other reason.
 */
export async function leftToPeople(
  view: StoredEstateView,
  plans: readonly ScopePlan[],
): Promise<ReadonlyMap<Action, Withholding>> {
  const said = await saidOf(view);
  return new Map(
    view.looked.flatMap(({ scope: { scope }, input }, i) => {
      const approved = new Set(said.get(scope)?.approvals.flatMap(({ actions }) => actions));
      const choices = {
        ...input.choices,
        unattended: true,
        approved: (action: Action) => approved.has(actionDigest(action, sha256)),
      };
      const holds = [remediationHold({ ...input, choices }), modeHold({ ...input, choices })];
      return (plans[i]?.actions ?? []).flatMap((action) => {
        const [reason] = holds.flatMap((hold) => hold(action) ?? []);
        return reason === undefined ? [] : [[action, reason] as const];
      });
    }),
  );
}

/** `held`: changes that wait for a resource that they need. */
interface Whole {
  readonly plan: ScopePlan;
  readonly held: readonly Action[];
}

/** Drift stays drift where a limit, a pause, an earlier generation, or a missing reference keeps it from being healed. */
async function unbound(survey: EstateView): Promise<readonly Whole[]> {
  const { plans, looked, bounds } = survey;
  if (!plans.some(({ findings }) => findings.some(({ type }) => type === 'withheld')))
    return plans.map((plan) => ({ plan, held: [] }));
  const decided = new Map<PlanInput, Map<string, Action>>(looked.map(({ input }) => [input, new Map()]));
  const again = await planAgain({ ...survey, bounds: { ...bounds, ...unlimited, cost: undefined } }, (input) => ({
    holds: [(action) => void decided.get(input)?.set(nameOf(action), action)],
  }));
  return again.map((plan, i) => {
    // why: in a scope that must not be written to, ownership is unknown
    if (plan.findings.some(({ type }) => type === 'wrong-account' || type === 'foreign-store'))
      return { plan, held: [] };
    const done = new Set(plan.actions.map(nameOf));
    const held = looked.slice(i, i + 1).flatMap(({ input }) => {
      const all = [...(decided.get(input)?.values() ?? [])].filter((action) => !done.has(nameOf(action)));
      // why: they were noted before the plan set their criticality
      return actionsWithCriticality(all, input);
    });
    return { plan, held };
  });
}

const infinite = Number.POSITIVE_INFINITY;
const unlimited: Allowance = { allowDeletes: infinite, allowCreates: infinite, allowClosures: infinite };

const nameOf = (action: Action): string => `${actionKey(action)} ${'observed' in action ? action.observed.id : ''}`;

/** `bound` is what would be done. */
function onlyDrift({ plan, held }: Whole, bound: ScopePlan | undefined): ScopePlan {
  const actions = [...plan.actions, ...held].filter(({ cause, verb }) => cause === 'drift' && verb !== 'forget');
  const drifted = new Set(actions.map(actionKey));
  const isHeld = (found: Finding): boolean =>
    found.type === 'withheld' && (stopped.includes(found.code) || drifted.has(withheldKey(found)));
  const findings = (bound ?? plan).findings.filter(
    (found) => hindering.includes(found.type) || isHeld(found) || isOfOurs(found),
  );
  return { ...plan, actions: mostCriticalFirst(actions), findings };
}

/** The actions of a drift report are not carried out, so their order is for people. */
const mostCriticalFirst = (actions: readonly Action[]): readonly Action[] =>
  actions.toSorted((a, b) => byCriticality(a.criticality, b.criticality));

/** An extra of a resource of ours, beyond its document: nobody knows whether it is new. */
const isOfOurs = (found: Finding): boolean => 'of' in found && found.of !== undefined;

/** Counts for machines that drifted and for those that never came up: while their document is stopped, they are not healed. */
const stopped: readonly WithholdCode[] = ['failed-launches', 'rollout-stopped'];

const hindering: readonly Finding['type'][] = [
  'incomplete',
  'wrong-account',
  'foreign-store',
  'unrecorded-mark',
  'non-convergent',
  'blocked',
];

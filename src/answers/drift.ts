import type { Finding, ScopePlan } from '../core/action.ts';
import { planAgain, type Survey } from './survey.ts';

/** Of each scope what drifted, held still or not, and what keeps us from knowing or from healing it. */
export async function driftOf(survey: Survey): Promise<readonly ScopePlan[]> {
  const plans = await unbound(survey);
  return plans.map((plan, i) => onlyDrift(plan, survey.plans[i]));
}

/** What drifted is drift also where a limit, a pause or the generation before keeps it from being healed. */
async function unbound(survey: Survey): Promise<readonly ScopePlan[]> {
  const { plans, bounds } = survey;
  if (!plans.some(({ findings }) => findings.some(({ type }) => type === 'withheld'))) return plans;
  return planAgain({ ...survey, bounds: { ...bounds, allowDeletes: Number.POSITIVE_INFINITY } }, () => ({}));
}

/** `bound` is what would be done. */
function onlyDrift(whole: ScopePlan, bound: ScopePlan | undefined): ScopePlan {
  const actions = whole.actions.filter(({ cause, verb }) => cause === 'drift' && verb !== 'forget');
  const drifted = new Set(actions.map(({ verb, address }) => `${verb} ${address}`));
  const isHeld = (found: Finding): boolean =>
    found.type === 'withheld' && drifted.has(`${found.action} ${found.address}`);
  const findings = (bound ?? whole).findings.filter((found) => hindering.includes(found.type) || isHeld(found));
  return { ...whole, actions, findings };
}

const hindering: readonly Finding['type'][] = [
  'incomplete',
  'wrong-account',
  'foreign-store',
  'non-convergent',
  'blocked',
];

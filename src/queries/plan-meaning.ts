import { seesAll, visibleTargets } from '../core/access/grant.ts';
import { planDigest } from '../core/digest.ts';
import type { Violation } from '../core/policy/evaluate.ts';
import { planMeaning } from '../estate/change-rules.ts';
import { sha256 } from '../estate/sha256.ts';
import type { EstateAsked, OfferAsked, Planned } from '../ports/queries.ts';
import type { StoredEstateView } from './estate-view.ts';
import type { PreviewContext } from './preview.ts';
import { seesAddress } from './visible-plans.ts';

type Meaning = Pick<Planned, 'effect' | 'violations'>;

/** Different targets, bounds and choices of callers. */
const mostKept = 8;

/** The last ones are kept while the survey and the actions stay the same: people look at pending actions again and again. */
export function rememberedMeaning({
  stateOf,
}: Pick<PreviewContext, 'stateOf'>): <P extends Planned>(planned: P, of: Surveyed) => Promise<P> {
  const kept = new Map<string, { readonly about: string; readonly meaning: Meaning }>();
  return async (planned, { survey, asked }) => {
    const { estate, targets, seen, address, breakGlass } = asked;
    const key = JSON.stringify([estate, targets ?? null, seen, address ?? null, breakGlass === true]);
    const state = stateOf(survey);
    if (state === undefined) return { ...planned, ...(await meaningOf(planned, survey, asked)) };
    const about = JSON.stringify([state, survey.estate.today, planDigest(planned.plans, sha256)]);
    const known = kept.get(key);
    const meaning = known?.about === about ? known.meaning : await meaningOf(planned, survey, asked);
    // why: the last one that was asked for stays longest
    kept.delete(key);
    kept.set(key, { about, meaning });
    for (const oldest of [...kept.keys()].slice(0, -mostKept)) kept.delete(oldest);
    return { ...planned, ...meaning };
  };
}

interface Surveyed {
  readonly survey: StoredEstateView;
  readonly asked: OfferAsked;
}

export const withMeaning = async <P extends Planned>(
  planned: P,
  survey: StoredEstateView,
  asked: EstateAsked,
): Promise<P> => ({ ...planned, ...(await meaningOf(planned, survey, asked)) });

/** The effect on traffic names machines of all owners, so only callers who see all of the estate get it. */
async function meaningOf(
  planned: Pick<Planned, 'plans'>,
  survey: StoredEstateView,
  asked: EstateAsked,
): Promise<Meaning> {
  const tellsEffect = seesAll(asked.seen, asked.estate);
  const { effect, violations: all } = await planMeaning({ ...survey, plans: planned.plans }, { tellsEffect });
  const isSeen = ({ document, address }: Violation): boolean =>
    survey.looked.some(
      (view) => address.startsWith(`${view.scope.scope}/`) && seesAddress(document.address, view, asked),
    );
  const seenTargets = (targets: readonly string[]): readonly string[] =>
    visibleTargets(asked.seen, { estate: asked.estate, targets });
  const violations = tellsEffect
    ? all
    : all.filter(isSeen).map((one) => ({ ...one, targets: seenTargets(one.targets) }));
  return {
    ...(effect === undefined ? {} : { effect }),
    ...(violations.length === 0 ? {} : { violations }),
  };
}

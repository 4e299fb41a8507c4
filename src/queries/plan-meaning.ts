import { seesAll, visibleTargets } from '../core/access/grant.ts';
import type { Violation } from '../core/policy/evaluate.ts';
import { planMeaning } from '../estate/change-rules.ts';
import type { EstateAsked, Planned } from '../ports/queries.ts';
import type { StoredEstateView } from './estate-view.ts';
import { seesAddress } from './visible-plans.ts';

/** The effect on traffic names machines of all owners, so only callers who see all of the estate get it. */
export async function withMeaning<P extends Planned>(
  planned: P,
  survey: StoredEstateView,
  asked: EstateAsked,
): Promise<P> {
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
    ...planned,
    ...(effect === undefined ? {} : { effect }),
    ...(violations.length === 0 ? {} : { violations }),
  };
}

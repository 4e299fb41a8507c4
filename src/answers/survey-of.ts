import type { CompiledScope } from '../core/compile/compile.ts';
import { kindNames } from '../core/kinds/kinds.ts';
import type { Knowledge } from '../core/knowledge.ts';
import type { Observation } from '../core/observed.ts';
import type { Choices } from '../core/plan/plan-input.ts';
import type { ScopeKey } from '../core/resource.ts';
import { withUnrecorded } from '../engine/converge.ts';
import { inForce } from '../estate/active-spec.ts';
import { providerOf } from '../estate/load.ts';
import type { ScopeLook } from '../ports/answers.ts';
import type { Store } from '../ports/store.ts';
import type { Estate } from './estate.ts';
import { heldSources } from './held-sources.ts';
import { boundOf, planAgain, type Survey, type Viewed } from './survey.ts';

/** A survey by the newest looks that the store keeps: no cloud is asked. */
export type KeptSurvey = Survey & { readonly store: Store };

/** What each scope of the specs was seen to hold last, and the plan of it. */
export async function surveyOf(estate: Estate, store: Store): Promise<KeptSurvey> {
  const [force, held, observations] = await Promise.all([
    inForce(estate, store),
    heldSources(estate.name, store),
    store.inventory.latest(estate.name),
  ]);
  const { policies, modesBefore, bounds } = force;
  const choices: Choices = { policies, ...(modesBefore === undefined ? {} : { modesBefore }) };
  const seen = new Map(observations.map((one) => [one.scope, one]));
  const looked = await Promise.all(
    estate.scopes.map(async (scope): Promise<Viewed> => {
      // why: read after the look, so that what was written since is known to be
      const known = await store.inventory.knowledge(estate.name, scope.scope);
      const observation = asFarAsKnown(seen.get(scope.scope) ?? neverLooked(scope.scope), known);
      const knowledge = await withUnrecorded(known, observation, store.inventory);
      return {
        scope,
        input: { wanted: scope.wanted, observation, knowledge, ...providedBy(scope, estate), choices },
      };
    }),
  );
  const plans = await planAgain({ estate, looked, bounds });
  return { estate, store, looked, plans, bound: boundOf(estate, force, held), bounds };
}

function providedBy(scope: CompiledScope, estate: Estate) {
  const { dialect, batches } = providerOf(scope, estate);
  return { dialect, batches };
}

/** What was written after a look began is not known by it: neither as it was, nor as gone. */
function asFarAsKnown(observation: Observation, { settled, ended = new Map() }: Knowledge): Observation {
  const since = [...settled].filter(([, { lastWriteAt }]) => lastWriteAt > observation.at).map(([id]) => id);
  const letGo = [...ended].filter(([, { at }]) => at > observation.at).map(([id]) => id);
  if (since.length === 0 && letGo.length === 0) return observation;
  const written = new Set([...since, ...letGo]);
  return {
    ...observation,
    resources: observation.resources.filter(({ id }) => !written.has(id)),
    pending: [...new Set([...observation.pending, ...since])],
  };
}

/** Nothing is known of it, and so nothing of it is gone. */
const neverLooked = (scope: ScopeKey): Observation => ({
  scope,
  at: 0,
  resources: [],
  gaps: kindNames.map((kind) => ({ kind, code: 'never-looked', reason: 'no pass has looked at this scope yet' })),
  pending: [],
  calls: 0,
});

export const lookOf = ({ scope: { scope, wanted }, input: { observation } }: Viewed): ScopeLook => ({
  scope,
  targets: wanted.targets,
  ...(observation.at === 0 ? {} : { at: observation.at }),
  gaps: observation.gaps,
});

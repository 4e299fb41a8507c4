import type { ScopeReach } from '../render/reach.ts';
import type { ScopeKey } from '../resource.ts';
import { flatMapInSteps, type Steps } from '../steps.ts';
import { type Reach, type ReachEnd, type ReachLimits, reachInSteps } from './reach.ts';
import { endIn } from './reach-ends.ts';
import type { Services } from './service-set.ts';
import type { TrafficState } from './state.ts';

/** The words of a person for the ends of the traffic. `services`: absent: all. */
export interface ReachWords {
  readonly from: string;
  readonly to: string;
  readonly services?: Services | undefined;
}

/**
 * The answer of each scope that has both ends. `unnamed`: nothing is called so; `apart`: the ends lie in different scopes; `outside`: both
 * are blocks of addresses.
 */
export type Reached =
  | { readonly scopes: readonly ScopeReach[] }
  | { readonly problem: 'unnamed'; readonly word: string; readonly gaps: readonly string[] }
  | { readonly problem: 'apart' | 'outside' };

interface Scope {
  readonly scope: ScopeKey;
  readonly state: TrafficState;
}

interface Ends extends Scope {
  readonly from: ReachEnd | undefined;
  readonly to: ReachEnd | undefined;
}

/** Of an answer. Each scope with both ends has an equal share of them, and some in any case. */
const most: ReachLimits = { ways: 500, evaluated: 250_000 };
const least: ReachLimits = { ways: 10, evaluated: 1_000 };

export function* reachBetweenInSteps(
  { from, to, services }: ReachWords,
  scopes: readonly Scope[],
  limits: ReachLimits = most,
): Steps<Reached> {
  const all = yield* flatMapInSteps(
    scopes,
    ({ scope, state }): readonly Ends[] => [{ scope, state, from: endIn(state, from), to: endIn(state, to) }],
    1,
  );
  for (const [word, end] of [[from, 'from'] as const, [to, 'to'] as const])
    if (!all.some((ends) => ends[end] !== undefined)) return unnamed(word, all);
  const asked = all.filter((ends) => ends.from !== undefined && ends.to !== undefined).length;
  const share = (of: keyof ReachLimits): number => Math.max(least[of], Math.floor(limits[of] / Math.max(1, asked)));
  const shared: ReachLimits = { ways: share('ways'), evaluated: share('evaluated') };
  const answers: ScopeReach[] = [];
  for (const ends of all) answers.push(...(yield* answersIn(ends, services, shared)));
  if (answers.length > 0) return { scopes: answers };
  const isApart =
    all.some((ends) => ends.from?.kind === 'machines') && all.some((ends) => ends.to?.kind === 'machines');
  return { problem: isApart ? 'apart' : 'outside' };
}

function* answersIn(
  { scope, state, from, to }: Ends,
  services: Services | undefined,
  limits: ReachLimits,
): Steps<readonly ScopeReach[]> {
  if ((from === undefined || to === undefined) && state.gaps.length > 0) return [{ scope, ...unlisted(state) }];
  if (from === undefined || to === undefined || (from.kind === 'block' && to.kind === 'block')) return [];
  const question = { from, to, ...(services === undefined ? {} : { services }) };
  return [{ scope, ...(yield* reachInSteps(state, question, limits)) }];
}

/** A scope that was not listed: its ends may be there. */
export const unlisted = ({ gaps }: TrafficState): Reach => ({
  ...{ answer: 'unknown', ways: [], moreWays: 0, assumptions: [] },
  notes: [...new Set(gaps.map(gapText))],
});

function unnamed(word: string, all: readonly Scope[]): Reached {
  const gaps = all.flatMap(({ state }) => state.gaps.map(gapText));
  return { problem: 'unnamed', word, gaps: [...new Set(gaps)] };
}

export const gapText = ({ kind, code, reason }: TrafficState['gaps'][number]): string =>
  code === 'never-looked' ? reason : `${kind} was not listed completely: ${reason}`;

import type { Action, ScopePlan } from '../../core/action.ts';
import type { PlanBound } from '../../core/render/plan-json.ts';
import { action, finding, heldSource } from './told.ts';
import { Unexpected, type Want, want } from './want.ts';

/** What a verb renders of a plan, whoever made it. */
export interface Told {
  readonly bound: PlanBound;
  readonly plans: readonly ScopePlan[];
}

/** `targets`: of which scopes were answered for. */
export interface ServerTold extends Told {
  readonly targets: readonly string[];
}

const calls = want.object({ observed: want.maybe(want.number), predicted: want.number });
const scoped = want.object({ scope: want.text });

const answer = want.object({
  estate: want.text,
  revision: want.text,
  generation: want.maybe(want.number),
  serial: want.maybe(want.number),
  sources: want.maybe(want.list(heldSource)),
  withheldDrift: want.maybe(want.list(want.object({ code: want.text, count: want.number, next: want.text }))),
  scopes: want.list(want.object({ scope: want.text, targets: want.list(want.text), calls })),
  actions: want.list((value, at) => ({ scope: scoped(value, at).scope, action: bare(action(value, at)) })),
  findings: want.list(finding),
});

/** What a server adds to an action is not of it. */
function bare(told: Action & { readonly scope?: string; readonly digest?: string }): Action {
  const { scope: _scope, digest: _digest, ...one } = told;
  return one;
}

/** A plan as a server answers it, as the one of a store from here: by scope. */
export const planned: Want<ServerTold> = (value, at) => {
  const { scopes, actions, findings, ...bound } = answer(value, at);
  const known = new Set(scopes.map(({ scope }) => scope));
  const stray = [...actions, ...findings].find(({ scope }) => !known.has(scope));
  if (stray !== undefined) throw new Unexpected(`${at}.scopes`, 'all scopes of its actions and findings');
  const [acting, found] = [Map.groupBy(actions, ofScope), Map.groupBy(findings, ofScope)];
  const plans = scopes.map(({ scope, calls: made }) => ({
    scope,
    actions: (acting.get(scope) ?? []).map((one) => one.action),
    findings: found.get(scope) ?? [],
    calls: made,
  }));
  return { bound, plans, targets: scopes.flatMap(({ targets }) => targets) };
};

const ofScope = ({ scope }: { readonly scope: string }): string => scope;

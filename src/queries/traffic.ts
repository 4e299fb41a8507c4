import { seesAll } from '../core/access/grant.ts';
import { type Hidden, mapInSteps } from '../core/effect/map.ts';
import { type FlowChoice, type Flows, flowsInSteps } from '../core/effect/map-flows.ts';
import type { MapCondition, MapScope } from '../core/effect/map-places.ts';
import { type Reached, reachBetween, unlisted } from '../core/effect/reach-between.ts';
import { endIn } from '../core/effect/reach-ends.ts';
import { type Machine, observedState, type TrafficState } from '../core/effect/state.ts';
import { type Sees, visibleState } from '../core/effect/visible-state.ts';
import type { ScopeReach } from '../core/render/reach.ts';
import type { ScopeKey } from '../core/resource.ts';
import { inTurns } from '../estate/in-turns.ts';
import type { KeptRow, RowQuery } from '../ports/inventory-rows.ts';
import {
  Declined,
  type EstateAsked,
  type MapAsked,
  type Mapped,
  type ReachAnswered,
  type ReachAsked,
  type TrafficAnswers,
} from '../ports/queries.ts';
import { activeScopes, type QueryContext } from './active-estate.ts';
import { lookOf, type ScopeView } from './estate-view.ts';
import { unknown } from './explain.ts';
import type { PreviewContext } from './preview.ts';
import { seesAddress, seesScope, seesWholeScope } from './visible-plans.ts';

/** Answers about traffic by the newest observations. */
export const trafficOn = (planning: PreviewContext): TrafficAnswers => ({
  reach: (asked) => planning.line(() => reach(asked, planning)),
  map: (asked) => planning.line(() => map(asked, planning)),
});

/** One scope as far as the caller sees it. */
interface Seen {
  readonly scope: ScopeKey;
  readonly view: ScopeView;
  readonly state: TrafficState;
  readonly sees: Sees;
}

async function seenScopes(asked: EstateAsked, grounds: QueryContext): Promise<readonly Seen[]> {
  const views = await activeScopes(asked, grounds);
  const all = seesAll(asked.seen, asked.estate);
  return views
    .filter((view) => seesScope(view, asked))
    .map((view): Seen => {
      const state = observedState(view.input);
      const sees: Sees = all ? () => true : (ref) => seesAddress(ref, view, asked);
      return { scope: view.scope.scope, view, state: all ? state : visibleState(state, sees), sees };
    });
}

async function reach(asked: ReachAsked, grounds: QueryContext): Promise<ReachAnswered> {
  const seen = await seenScopes(asked, grounds);
  const found = reachBetween(asked, seen);
  if ('problem' in found && (found.problem !== 'unnamed' || isListed(seen))) throw refusalOf(found);
  const answers = 'problem' in found ? unlistedScopes(seen) : found.scopes;
  const scopes = answers.map((one) => {
    const its = seen.find(({ scope }) => scope === one.scope);
    const isWhole = its !== undefined && seesWholeScope(its.view, asked);
    return isWhole ? one : { ...one, notes: [...one.notes, partial] };
  });
  const named = new Set(scopes.map(({ scope }) => scope));
  return {
    estate: asked.estate,
    scopes,
    looks: seen.filter(({ scope }) => named.has(scope)).map(({ view }) => lookOf(view)),
  };
}

/** The end may be there. */
const unlistedScopes = (seen: readonly Seen[]): readonly ScopeReach[] =>
  seen.flatMap(({ scope, state }) => (state.gaps.length === 0 ? [] : [{ scope, ...unlisted(state) }]));

const partial = 'your grants do not cover all of this scope: some ends may be outside of them, and do not count';

function refusalOf({ problem }: Extract<Reached, { readonly problem: string }>): Declined {
  switch (problem) {
    case 'unnamed':
      return unknown();
    case 'apart':
      return new Declined(
        'unsound',
        'The ends lie in different scopes. Ask from a public address, or from `internet`.',
      );
    case 'outside':
      return new Declined('unsound', 'One end must be an instance, a group, a subnet or a network.');
  }
}

async function map(asked: MapAsked, grounds: QueryContext): Promise<Mapped> {
  const seen = await seenScopes(asked, grounds);
  const chosen = chosenScopes(seen, asked);
  const [conditions, more] = await conditionsOf(asked, grounds);
  const scopes: MapScope[] = [];
  for (const { scope, state, sees } of seen) {
    const one = chosen.get(scope);
    const flows = one === undefined ? noFlows : await inTurns(flowsInSteps(one.state, one.choice));
    const given = { scope, state: one?.state ?? state, flows, sees, withEmpty: !isNarrow(asked) };
    scopes.push({ ...given, conditions: conditions.get(scope) ?? new Map() });
  }
  const { hidden, ...drawn } = await inTurns(mapInSteps(scopes, asked.limits));
  return {
    estate: asked.estate,
    map: { ...drawn, hidden: [...hidden, ...more] },
    isPartial: !seesAll(asked.seen, asked.estate),
    looks: seen.map(({ view }) => lookOf(view)),
  };
}

const noFlows: Flows = { groups: [], flows: [], unlooked: new Map() };

type Narrowed = Pick<MapAsked, 'network' | 'group' | 'focus' | 'rule'>;

const isNarrow = ({ network, group, focus, rule }: Narrowed): boolean =>
  [network, group, focus, rule].some((one) => one !== undefined);

interface Chosen extends Seen {
  readonly choice: FlowChoice;
}

/** The scopes with something of each of these names, and only that. What nobody listed may have these names, too. */
function chosenScopes(seen: readonly Seen[], asked: Narrowed): ReadonlyMap<ScopeKey, Chosen> {
  const { network, group, focus, rule } = asked;
  const inNetwork = network === undefined ? seen : within(seen, `network:${network.replace(/^network:/, '')}`);
  const inGroup = group === undefined ? inNetwork : within(inNetwork, `group:${group.replace(/^group:/, '')}`);
  const focused = inGroup.flatMap((one): readonly Chosen[] => {
    const choice = focus === undefined ? {} : focusOn(one.state, focus);
    return choice === undefined ? [] : [{ ...one, choice }];
  });
  const found = rule === undefined ? focused : focused.flatMap((one) => withRule(one, rule));
  if (isNarrow(asked) && found.length === 0 && isListed(seen)) throw unknown();
  return new Map(found.map((one) => [one.scope, one]));
}

const isListed = (seen: readonly Seen[]): boolean => seen.every(({ state }) => state.gaps.length === 0);

function within(seen: readonly Seen[], word: string): readonly Seen[] {
  return seen.flatMap((one): readonly Seen[] => {
    const end = endIn(one.state, word);
    if (end?.kind !== 'machines') return [];
    const machines = new Map(end.machines.map((machine): [string, Machine] => [machine.ref, machine]));
    return [{ ...one, state: { ...one.state, machines } }];
  });
}

function focusOn(state: TrafficState, word: string): FlowChoice | undefined {
  const end = endIn(state, word);
  if (end === undefined) return undefined;
  if (end.kind === 'block') return { outside: word };
  const refs = new Set(end.machines.map(({ ref }) => ref));
  return { focus: ({ ref }) => refs.has(ref) };
}

function withRule(one: Chosen, word: string): readonly Chosen[] {
  const fits = one.state.rules.filter(
    ({ ref, id, name }) => ref !== '' && (ref === word || id === word || name === word || ref.endsWith(`/${word}`)),
  );
  return fits.slice(0, 1).map(({ ref }) => ({ ...one, choice: { ...one.choice, rule: ref } }));
}

type Conditions = ReadonlyMap<ScopeKey, MapScope['conditions']>;

/** Of resources that failed, drifted or violate a policy. */
const mostConditions = 500;

/** By scope and id. Their number is limited; the rest counts as if it were as it should be. */
async function conditionsOf(
  { estate, seen, targets }: EstateAsked,
  { store: { rows } }: Pick<QueryContext, 'store'>,
): Promise<readonly [found: Conditions, more: readonly Hidden[]]> {
  const filter = { estates: [estate], ...(targets === undefined ? {} : { targets }) };
  const kinds = ['network', 'subnet', 'instance', 'firewall-rule'] as const;
  const filters: readonly RowQuery['filter'][] = [
    { ...filter, kinds, statuses: ['Failed'] },
    { ...filter, kinds, statuses: ['Drifted', 'Missing'] },
    { ...filter, kinds, violates: ['*'] },
  ];
  const sort = { by: 'address', descending: false } as const;
  const pages = await Promise.all(filters.map((one) => rows.page({ seen, filter: one, sort, limit: mostConditions })));
  const found = new Map<ScopeKey, Map<string, MapCondition>>();
  for (const row of pages.flatMap((page) => page.rows)) {
    const its = found.get(row.place.scope) ?? new Map<string, MapCondition>();
    found.set(row.place.scope, its);
    if (row.called.id !== undefined) its.set(row.called.id, conditionOf(row));
  }
  const counts = await Promise.all(
    pages.map(({ next }, at) =>
      next === undefined ? mostConditions : rows.count({ seen, filter: filters[at] ?? {} }),
    ),
  );
  const rest = counts.reduce((n, count) => n + count - mostConditions, 0);
  const reason = `the map knows at most ${mostConditions} failed, drifted and violating resources each: others count as in sync`;
  return [found, rest === 0 ? [] : [{ what: 'statuses', count: rest, reason }]];
}

const conditionOf = ({ state: { status }, violations = [] }: KeptRow): MapCondition => ({
  status,
  violations: violations.length,
});

import { seesAll } from '../core/access/grant.ts';
import { type Hidden, mapInSteps } from '../core/effect/map.ts';
import { allowedBy, type FlowChoice, type Flows, flowsInSteps, focusOn } from '../core/effect/map-flows.ts';
import type { MapCondition, MapScope } from '../core/effect/map-places.ts';
import { type Reached, reachBetweenInSteps, unlisted } from '../core/effect/reach-between.ts';
import { endIn } from '../core/effect/reach-ends.ts';
import { type Machine, observedState, type TrafficState } from '../core/effect/state.ts';
import { type Sees, visibleState } from '../core/effect/visible-state.ts';
import { isDrift } from '../core/inventory/withheld-drift.ts';
import type { ScopeReach } from '../core/render/reach.ts';
import type { ScopeKey } from '../core/resource.ts';
import { flatMapInSteps } from '../core/steps.ts';
import { inTurns } from '../estate/in-turns.ts';
import type { KeptRow, RowQuery } from '../ports/inventory-rows.ts';
import {
  Declined,
  type EstateAsked,
  type MapAsked,
  type Mapped,
  type ReachAnswered,
  type ReachAsked,
  type ScopeLook,
  type TrafficAnswers,
} from '../ports/queries.ts';
import type { Store } from '../ports/store.ts';
import { activeScopes, type QueryContext } from './active-estate.ts';
import { isWrittenSince, lookOf, type ScopeView } from './estate-view.ts';
import { unknown } from './explain.ts';
import { inLine, stateOf } from './preview.ts';
import { seesAddress, seesScope, seesWholeScope } from './visible-plans.ts';

const mostWaiting = 8;

/**
 * Answers about traffic by the newest observations, one after the other: each may take a whole processor. They have a line of their own:
 * nobody who approves waits for people who look.
 */
export function trafficOn(grounds: QueryContext): TrafficAnswers {
  const line = inLine('questions about traffic', mostWaiting);
  const scopesOf = rememberedScopes(grounds);
  return {
    reach: (asked) => line(async () => reach(asked, await scopesOf(asked))),
    map: (asked) => line(async () => map(asked, await scopesOf(asked), grounds.store)),
  };
}

/** `state`: of all that the scopes rest on. */
interface Kept {
  readonly state: string;
  readonly estate: string;
  readonly scopes: readonly Seen[];
  readonly machines: number;
}

/** Different targets and bounds of callers. */
const mostKept = 8;
/** Instances of all kept sets of scopes together: each takes some kilobytes. */
const mostMachines = 30_000;

/**
 * People ask about the same traffic again and again: the last scopes are kept, until anything that they rest on changes. Only in a line: two
 * at once would take twice the memory. So do those that are kept while others are read, so those go first.
 */
function rememberedScopes(grounds: QueryContext): (asked: EstateAsked) => Promise<readonly Seen[]> {
  const kept = new Map<string, Kept>();
  return async (asked) => {
    const { estate, targets, seen } = asked;
    const state = await stateOf({ estate }, grounds.store);
    const key = JSON.stringify([estate, targets ?? null, seen]);
    for (const [other, one] of kept) if (one.estate === estate && one.state !== state) kept.delete(other);
    if (!kept.has(key)) makeRoom(kept, await instancesOf(estate, grounds.store));
    const scopes = kept.get(key)?.scopes ?? (await seenScopes(asked, grounds));
    const machines = scopes.reduce((n, one) => n + one.state.machines.size, 0);
    // why: the last one that was asked for stays longest
    kept.delete(key);
    makeRoom(kept, machines);
    kept.set(key, { state, estate, scopes, machines });
    return scopes;
  };
}

/** Drops the oldest until others with so many machines fit in. */
function makeRoom(kept: Map<string, Kept>, coming: number): void {
  let machines = [...kept.values()].reduce((n, one) => n + one.machines, coming);
  for (const [key, one] of kept) {
    if (kept.size < mostKept && machines <= mostMachines) return;
    kept.delete(key);
    machines -= one.machines;
  }
}

/** All of the estate: its observations are read whole, whatever the caller sees of them. */
const instancesOf = (estate: string, { rows }: Pick<Store, 'rows'>): Promise<number> =>
  rows.count({ seen: [{}], filter: { estates: [estate], kinds: ['instance'] } });

/**
 * One scope as far as the caller sees it, without its observation, which is large. `isWhole`: they see all of it. `isWritten`: Setpoint changed
 * something there since.
 */
interface Seen extends Pick<MapScope, 'scope' | 'state' | 'sees'> {
  readonly look: ScopeLook;
  readonly isWhole: boolean;
  readonly isWritten: boolean;
}

async function seenScopes(asked: EstateAsked, grounds: QueryContext): Promise<readonly Seen[]> {
  const views = await activeScopes(asked, grounds);
  const seen = views.filter((view) => seesScope(view, asked));
  return inTurns(flatMapInSteps(seen, (view) => [seenScope(view, asked)], 1));
}

function seenScope(view: ScopeView, asked: EstateAsked): Seen {
  const state = observedState(view.input);
  const one = {
    ...{ scope: view.scope.scope, look: lookOf(view) },
    ...{ isWhole: seesWholeScope(view, asked), isWritten: isWrittenSince(view.input) },
  };
  if (seesAll(asked.seen, asked.estate)) return { ...one, state, sees: () => true };
  const { networks, subnets, machines, rules } = state;
  const refs = [...networks.keys(), ...subnets.keys(), ...machines.keys(), ...rules.map(({ ref }) => ref)];
  const visible = new Set(refs.filter((ref) => seesAddress(ref, view, asked)));
  const sees: Sees = (ref) => visible.has(ref);
  return { ...one, sees, state: visibleState(state, sees) };
}

async function reach(asked: ReachAsked, seen: readonly Seen[]): Promise<ReachAnswered> {
  const found = await inTurns(reachBetweenInSteps(asked, seen));
  if ('problem' in found && (found.problem !== 'unnamed' || isListed(seen))) throw refusalOf(found);
  const answers = 'problem' in found ? unlistedScopes(seen) : found.scopes;
  const byScope = new Map(seen.map((one) => [one.scope, one]));
  const scopes = answers.map((one) => ({ ...one, notes: [...one.notes, ...notesOn(byScope.get(one.scope))] }));
  const named = new Set(scopes.map(({ scope }) => scope));
  return {
    estate: asked.estate,
    scopes,
    looks: seen.filter(({ scope }) => named.has(scope)).map(({ look }) => look),
  };
}

/** The end may be there. */
const unlistedScopes = (seen: readonly Seen[]): readonly ScopeReach[] =>
  seen.flatMap(({ scope, state }) => (state.gaps.length === 0 ? [] : [{ scope, ...unlisted(state) }]));

const notesOn = (seen: Seen | undefined): readonly string[] => [
  ...(seen?.isWhole === true ? [] : [partial]),
  ...(seen?.isWritten === true ? [written] : []),
];

const written = 'Setpoint changed resources here since the observation: the next one shows their traffic';
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

async function map(asked: MapAsked, seen: readonly Seen[], store: Pick<Store, 'rows'>): Promise<Mapped> {
  const chosen = chosenScopes(seen, asked);
  const [conditions, more] = await conditionsOf(asked, { seen, store });
  const scopes: MapScope[] = [];
  for (const { scope, state, sees } of seen) {
    const one = chosen.get(scope);
    const flows = one === undefined ? noFlows : await flowsOf(one);
    const given = { scope, state: one?.state ?? state, flows, sees, withEmpty: !isNarrow(asked) };
    scopes.push({ ...given, conditions: conditions.get(scope) ?? new Map() });
  }
  const { hidden, ...drawn } = await inTurns(mapInSteps(scopes, asked.limits));
  return {
    estate: asked.estate,
    map: {
      ...drawn,
      hidden: [...hidden, ...more],
      unknown: [
        ...seen.flatMap(({ scope, isWritten }) => (isWritten ? [{ scope, reason: written }] : [])),
        ...drawn.unknown,
      ],
    },
    isPartial: !seesAll(asked.seen, asked.estate),
    looks: seen.map(({ look }) => look),
  };
}

/** Those of a whole scope are asked for most, and are kept with its state. */
async function flowsOf({ state, choice }: Pick<Chosen, 'state' | 'choice'>): Promise<Flows> {
  const isWhole = Object.keys(choice).length === 0;
  const known = isWhole ? wholeFlows.get(state) : undefined;
  if (known !== undefined) return known;
  const flows = await inTurns(flowsInSteps(state, choice));
  if (isWhole) wholeFlows.set(state, flows);
  return flows;
}

const wholeFlows = new WeakMap<TrafficState, Flows>();

const noFlows: Flows = { groups: [], flows: [], unlooked: new Map(), doubts: [] };

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
  const found = focused.flatMap((one): readonly Chosen[] => {
    const choice = rule === undefined ? {} : allowedBy(one.state, rule);
    return choice === undefined ? [] : [{ ...one, choice: { ...one.choice, ...choice } }];
  });
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

type Conditions = ReadonlyMap<ScopeKey, MapScope['conditions']>;

/** Of resources that failed, drifted or violate a policy. */
const mostConditions = 500;

/** By scope and id. Their number is limited; the rest counts as if it were as it should be. */
async function conditionsOf(
  { estate, seen: bounds, targets }: EstateAsked,
  { seen, store: { rows } }: { readonly seen: readonly Seen[]; readonly store: Pick<Store, 'rows'> },
): Promise<readonly [found: Conditions, more: readonly Hidden[]]> {
  // why: a scope is drawn whole, with the resources of its other targets
  const scopes = targets === undefined ? {} : { scopes: seen.map(({ scope }) => scope) };
  const filter = { estates: [estate], ...scopes };
  const kinds = ['network', 'subnet', 'instance', 'firewall-rule'] as const;
  const filters: readonly RowQuery['filter'][] = [
    { ...filter, kinds, statuses: ['Failed'] },
    { ...filter, kinds, drift: true },
    { ...filter, kinds, violates: ['*'] },
  ];
  const sort = { by: 'address', descending: false } as const;
  const pages = await Promise.all(
    filters.map((one) => rows.page({ seen: bounds, filter: one, sort, limit: mostConditions })),
  );
  const found = new Map<ScopeKey, Map<string, MapCondition>>();
  for (const row of pages.flatMap((page) => page.rows)) {
    const its = found.get(row.place.scope) ?? new Map<string, MapCondition>();
    found.set(row.place.scope, its);
    if (row.called.id !== undefined) its.set(row.called.id, conditionOf(row));
  }
  const counts = await Promise.all(
    pages.map(({ next }, at) =>
      next === undefined ? mostConditions : rows.count({ seen: bounds, filter: filters[at] ?? {} }),
    ),
  );
  const rest = counts.reduce((n, count) => n + count - mostConditions, 0);
  const reason = `the map knows at most ${mostConditions} failed, drifted and violating resources each: others count as in sync`;
  return [found, rest === 0 ? [] : [{ what: 'statuses', count: rest, reason }]];
}

const conditionOf = (row: KeptRow): MapCondition => ({
  status: row.state.status,
  isDrift: isDrift(row),
  violations: row.violations?.length ?? 0,
});

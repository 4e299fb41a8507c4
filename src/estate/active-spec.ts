import { type Action, heldAs } from '../core/action.ts';
import { nextChange } from '../core/change-windows.ts';
import type { CompiledScope } from '../core/compile/compile.ts';
import { higherPrices } from '../core/cost/cost.ts';
import { longerGrace, usualGrace } from '../core/grace.ts';
import type { Guards } from '../core/guards.ts';
import type { RowsInput } from '../core/inventory/rows.ts';
import type { Knowledge } from '../core/knowledge.ts';
import { type Allowance, noCount, stricterLimits } from '../core/limits.ts';
import { loosenedGuards } from '../core/loosened-guards.ts';
import type { Observation } from '../core/observed.ts';
import { baseRevision } from '../core/patch.ts';
import type { PauseDraft } from '../core/pause.ts';
import { type CostBounds, costBounds } from '../core/plan/cost-limit.ts';
import { type ActionRecorder, actionRecorder } from '../core/plan/destructive-drift.ts';
import { type Bounds, planEstateInSteps } from '../core/plan/estate.ts';
import {
  approvedBy,
  breakGlassHint,
  calendarHold,
  documentsOf,
  inGenerationBefore,
  pauseHold,
  protectorsOf,
  unlessApproved,
} from '../core/plan/holds.ts';
import {
  type Approved,
  type AssumedApproval,
  type Choices,
  type Hold,
  type ModesBefore,
  modesBefore,
  type PlanInput,
  type Removals,
  type Wanted,
} from '../core/plan/plan-input.ts';
import {
  approvalsHold,
  type ConsentsOf,
  consentsBy,
  liftedProtection,
  noConsents,
} from '../core/plan/required-approvals.ts';
import { remediationBefore } from '../core/remediation.ts';
import type { ListedScopeCost } from '../ports/fleet-state.ts';
import type { Store } from '../ports/store.ts';
import { changeJudge } from './change-rules.ts';
import { inTurns } from './in-turns.ts';
import { keepRows, leaveScopes } from './inventory-sync.ts';
import { type OpenedEstate, providerOf } from './load.ts';
import { patchesHold } from './patches.ts';
import { policiesHold } from './policies.ts';
import { sha256 } from './sha256.ts';

/** The constraints of a plan besides the specs themselves. */
export interface ActiveConstraints {
  /** The number that the specs have or, once accepted, would have; absent without a store. */
  readonly generation?: number;
  /** The newest entry of the ledger. */
  readonly serial?: number;
  readonly bounds: Omit<Bounds, keyof Allowance>;
  readonly holds: readonly Hold[];
  /** The hold of policies among them, and the enforced policies of the generation before. */
  readonly policies?: { readonly hold?: Hold; readonly before?: Pick<Guards, 'enforced'> };
  /** The people who approved an action, in this generation. */
  readonly consentsOf: ConsentsOf;
  /** The guards of the generation before that these specs have looser: they hold until the next generation. */
  readonly looserGuards?: () => readonly string[];
  /** The next time at which a window or freeze begins or ends, by the store's clock: the holds are of before that. */
  readonly until?: number;
  /** The choices of each plan of the estate. */
  readonly choices: SpecChoices;
}

/**
 * The choices of a plan that generations and policies make. `judge`: absent where no policy has a rule about changes. `removals`: absent
 * without a store. The others: absent where the generation before states none.
 */
type SpecChoices = Pick<Choices, 'modesBefore' | 'remediationBefore' | 'removals' | 'judge'>;

/**
 * `now`: the local clock, which counts where there is no store. `breakGlass`: without windows and freezes. `withoutApprovals`: nobody
 * else need approve what is done.
 */
export interface ConstraintsAsked {
  readonly now?: number;
  readonly breakGlass?: boolean;
  readonly withoutApprovals?: boolean;
  /** Leaves the cost of the scopes out of the bounds. A caller reads it later where a limit needs it. */
  readonly withoutCosts?: boolean;
}

/**
 * No commit lifts its own guard: limits, modes and policies are the stricter of the generation before and the specs. A change passes only
 * where the calendars of both let it. Pauses and quarantine hold in any case.
 */
export async function activeConstraints(
  estate: OpenedEstate,
  store: Store | undefined,
  asked: ConstraintsAsked = {},
): Promise<ActiveConstraints> {
  if (store === undefined) return constraintsWithoutStore(estate, asked);
  const { breakGlass = false } = asked;
  const { name, tree, compiled } = estate;
  const { current, former } = await generationsNow({ name, tree }, store);
  const same = current?.revision === tree.revision;
  const before = former && { ...former.guards, modesBefore: modesBefore(former.guards, compiled.scopes) };
  const generation = same ? current.number : (current?.number ?? 0) + 1;
  const none: Calendars = { holds: [] };
  const [{ owned, ...spent }, bounded, approvals, { holds, until }, denied, patched, paused, serial] =
    await Promise.all([
      store.generations.spent(name, generation),
      boundsWith(estate, asked.withoutCosts ? undefined : store, before),
      approvalsNow(name, store, generation),
      breakGlass ? none : calendarsNow(compiled, store, before),
      policiesHold(estate, before),
      patchesHold(estate, store),
      pausesNow({ name, compiled }, store, before),
      store.audit.head(name),
    ]);
  const judge = await changeJudge(estate, before, approvals.consentsOf);
  return {
    generation,
    serial,
    bounds: { ...bounded, spent, owned },
    holds: [
      ...present(denied),
      ...present(patched),
      ...(before === undefined ? [] : [guardsBefore(before)]),
      // why: it comes before holds that end by themselves, so that people approve meanwhile
      ...(asked.withoutApprovals ? [] : [approvals.needed]),
      paused,
      ...holds.map((hold) => unlessBroken(hold, approvals.liftsCalendars)),
    ],
    consentsOf: approvals.consentsOf,
    looserGuards: () => (former === undefined ? [] : loosenedGuards(former.guards, compiled.guards)),
    ...(until === undefined ? {} : { until }),
    choices: {
      modesBefore: before?.modesBefore,
      remediationBefore: before?.remediation && remediationBefore(before.remediation),
      removals: removalsOf(generation, compiled.guards, before),
      judge: asked.withoutApprovals ? judge?.assuming?.({ approved: () => true, breakGlass: false }) : judge,
    },
    policies: { ...(denied === undefined ? {} : { hold: denied }), ...(before === undefined ? {} : { before }) },
  };
}

async function constraintsWithoutStore(
  estate: OpenedEstate,
  { now, breakGlass = false }: ConstraintsAsked,
): Promise<ActiveConstraints> {
  const { compiled } = estate;
  const { holds } = now === undefined || breakGlass ? { holds: [] } : calendarsAt(now, compiled);
  const bounds = { ...costBounded(compiled.guards), spent: { generation: noCount, healing: noCount }, owned: 0 };
  const denied = await policiesHold(estate);
  const judge = await changeJudge(estate);
  return { bounds, holds: [...present(denied), ...holds], consentsOf: noConsents, choices: { judge } };
}

type CountedCosts = Required<Pick<CostBounds, 'scopes' | 'uncounted'>>;

/** The limits of both generations. A limit on the cost counts by the higher of their prices. */
function costBounded(
  { limits, prices }: Pick<Guards, 'limits' | 'prices'>,
  before?: Pick<Guards, 'limits' | 'prices'>,
): Pick<Bounds, 'limits' | 'cost'> {
  const both = stricterLimits(limits, before?.limits);
  const { cost: limit } = both;
  if (limit === undefined) return { limits: both };
  const table = prices ?? { currency: limit.currency, prices: [] };
  return { limits: both, cost: costBounds(limit, higherPrices(table, before?.prices)) };
}

async function boundsWith(
  estate: OpenedEstate,
  store: Store | undefined,
  before?: Guards,
): Promise<Pick<Bounds, 'limits' | 'cost'>> {
  const { limits, cost } = costBounded(estate.compiled.guards, before);
  if (cost === undefined) return { limits };
  const counted = store && (await countedCosts(estate, store, cost.prices));
  return { limits, cost: { ...cost, ...counted } };
}

/**
 * The cost of all scopes as it was counted last, and the scopes of these specs that nobody counted in this currency, or in this
 * generation, or ever.
 */
export async function countedCosts(
  { name, compiled }: NamedScopes,
  store: Pick<Store, 'fleet'>,
  { currency }: Pick<CostBounds['prices'], 'currency'>,
  generation?: number,
): Promise<CountedCosts> {
  const listed = await store.fleet.costs.list(name);
  const named = new Set(compiled.scopes.map(({ scope }) => scope));
  const isCounted = ({ cost }: ListedScopeCost): boolean =>
    cost?.currency === currency && (generation === undefined || cost.generation === generation);
  return {
    scopes: listed.flatMap(({ scope, cost }) => (cost === undefined ? [] : [{ scope, ...cost }])),
    uncounted: listed.flatMap((one) => (named.has(one.scope) && !isCounted(one) ? [one.scope] : [])),
  };
}

interface NamedScopes extends Pick<OpenedEstate, 'name'> {
  readonly compiled: { readonly scopes: readonly Pick<CompiledScope, 'scope'>[] };
}

/** The approvals that hold for a generation. `needed`: holds what lifted protection asks them for. */
async function approvalsNow(name: string, { fleet, inventory }: Store, generation: number) {
  const [active, begun, once] = await Promise.all([
    fleet.approvals.activeIn(name),
    fleet.approvals.ofTombstones(name),
    inventory.onceProtected(name),
  ]);
  const given = active.filter((one) => one.generation === generation);
  const consentsOf = consentsBy(given, sha256, begun);
  const broken = given.filter((one) => one.breakGlass === true).flatMap(({ actions }) => actions);
  return {
    consentsOf,
    needed: approvalsHold(liftedProtection(once), consentsOf),
    liftsCalendars: approvedBy(new Set(broken), sha256),
  };
}

/** Of each kind the longer grace of both generations. */
const removalsOf = (generation: number, { grace = usualGrace }: Guards, before: Guards | undefined): Removals => ({
  generation,
  grace: before === undefined ? grace : longerGrace(grace, before.grace ?? usualGrace),
  wasNamed: (document) => before?.modes[document] !== undefined,
});

/** The hold of calendars, without the actions that a person approved by break-glass. */
const unlessBroken = (hold: Hold, lifted: Approved): Hold =>
  Object.assign(unlessApproved(hold, lifted), {
    assuming: ({ approved, breakGlass }: AssumedApproval): Hold =>
      unlessApproved(hold, (action) => lifted(action) || (breakGlass && approved(action))),
  });

const present = (hold: Hold | undefined): readonly Hold[] => (hold === undefined ? [] : [hold]);

/**
 * The newest generation, and the one before these specs. Other patches beside the same specs do not make other specs: the former guards
 * still bind them.
 */
async function generationsNow({ name, tree }: Pick<OpenedEstate, 'name' | 'tree'>, { generations }: Store) {
  const current = await generations.current(name);
  const isSame = current !== undefined && baseRevision(current.revision) === baseRevision(tree.revision);
  const former = isSame ? await generations.previous(name) : current;
  return { current, former };
}

/** The actions that windows and freezes hold now, each with the reason: those that break-glass lets pass. */
export async function heldByCalendars(
  estate: OpenedEstate,
  store: Store,
  actions: readonly Action[],
): Promise<ReadonlyMap<Action, string>> {
  const { former } = await generationsNow(estate, store);
  const { holds } = await calendarsNow(estate.compiled, store, former?.guards);
  return new Map(
    actions.flatMap((action) => {
      const judged = heldAs(action);
      const held = holds.map((hold) => hold(judged)).find((reason) => reason !== undefined);
      return held === undefined ? [] : [[action, held.why.replace(breakGlassHint, '')] as const];
    }),
  );
}

type Calendars = Pick<ActiveConstraints, 'until'> & { readonly holds: readonly Hold[] };

/**
 * The calendars of the specs and of the generation before, by the clock of the store. The store is asked only where there is a calendar.
 */
async function calendarsNow(compiled: OpenedEstate['compiled'], store: Store, before?: Guards): Promise<Calendars> {
  const isAny = compiled.guards.calendar !== undefined || before?.calendar !== undefined;
  return isAny ? calendarsAt(await store.ledger.now(), compiled, before) : { holds: [] };
}

function calendarsAt(
  now: number,
  { scopes, guards }: OpenedEstate['compiled'],
  before?: Pick<Guards, 'calendar' | 'owners'>,
): Calendars {
  const calendars = [
    ...(guards.calendar === undefined ? [] : [{ calendar: guards.calendar, now }]),
    ...(before?.calendar === undefined ? [] : [{ calendar: before.calendar, now, isFormer: true }]),
  ];
  const times = calendars.flatMap(({ calendar }) => nextChange(calendar, now) ?? []);
  return {
    holds: calendars.map((one) => inEachScope(scopes, (wanted) => calendarHold(one, wanted, before?.owners))),
    ...(times.length === 0 ? {} : { until: Math.min(...times) }),
  };
}

/** The pauses in force now. */
export const pausesNow = async (
  { name, compiled }: Pick<OpenedEstate, 'name' | 'compiled'>,
  store: Store,
  before?: Guards,
): Promise<Hold> => heldStill(await store.fleet.pauses.active(name), compiled.scopes, before);

/**
 * A document that was read only in the generation before is read only in this one too, and one that was protected there
 * is protected here, also where it is gone by now.
 */
const guardsBefore = ({ modesBefore, protected: kept }: Guards & { readonly modesBefore: ModesBefore }): Hold => {
  const protectedThen = new Set(kept);
  return (action) => {
    if (action.verb === 'forget') return undefined;
    if (documentsOf(action).some((address) => modesBefore(address) === 'observe'))
      return { code: 'mode', why: `its mode was observe ${inGenerationBefore}` };
    const destroys =
      action.verb === 'replace' ||
      (action.verb === 'delete' && action.because !== 'twin' && action.because !== 'again');
    if (!destroys || !protectorsOf(action).some((address) => protectedThen.has(address))) return undefined;
    return { code: 'protect', why: `it was protected ${inGenerationBefore}` };
  };
};

/**
 * The pauses over all scopes of an estate. The specs of an action's own scope give its owner and targets. A resource without a
 * spec may be of any target, and has the owner that it had `before`, in the previous generation.
 */
export function heldStill(
  pauses: readonly PauseDraft[],
  scopes: readonly CompiledScope[],
  before?: Pick<Guards, 'owners'>,
): Hold {
  return inEachScope(scopes, (wanted) => pauseHold(pauses, wanted, before?.owners));
}

/** A hold that judges each action by the specs of its own scope. */
function inEachScope(scopes: readonly CompiledScope[], held: (wanted: Wanted) => Hold): Hold {
  const elsewhere = held({ ...nothing, targets: scopes.flatMap(({ wanted }) => wanted.targets) });
  const here = scopes.map(({ scope, wanted }) => ({ at: `${scope}/`, hold: held(wanted) }));
  return (action) => (here.find(({ at }) => action.address.startsWith(at))?.hold ?? elsewhere)(action);
}

const nothing = { desired: [], documents: new Map(), additive: new Set<string>(), mode: 'observe' } as const;

/** The observation of a scope, and the failed attempts there. */
export interface SeenScope extends Pick<RowsInput, 'attempt'> {
  readonly scope: CompiledScope;
  readonly observation: Observation;
  readonly knowledge: Knowledge;
}

/**
 * Keeps what was seen as the lines of the inventory, as a worker would plan it: whatever a person let pass, chose or proposed is
 * left out. Scopes that these specs do not name are left. Nothing is kept where other specs are active. Returns whether it was.
 */
export async function keepActive(estate: OpenedEstate, seen: readonly SeenScope[], store: Store): Promise<boolean> {
  const current = await store.generations.current(estate.name);
  if (current?.revision !== estate.tree.revision) return false;
  const constraints = await activeConstraints(estate, store);
  const noted = seen.map(actionRecorder);
  const inputs = await Promise.all(
    seen.map((one, i) => inputOf(one, { estate, store, constraints, noted: noted[i] ?? actionRecorder() })),
  );
  const plans = await inTurns(planEstateInSteps(inputs, constraints.bounds));
  for (const [i, { scope, attempt }] of seen.entries()) {
    const [input, plan] = [inputs[i], plans[i]];
    if (input === undefined || plan === undefined) continue;
    const where = { estate: estate.name, scope: scope.scope };
    const looked = { input, plan, planned: noted[i]?.planned() ?? [], generation: current.number };
    await keepRows(where, { ...looked, ...(attempt === undefined ? {} : { attempt }) }, { estate, scope }, store);
  }
  await leaveOthers(estate, seen, store);
  return true;
}

async function leaveOthers({ name, compiled }: OpenedEstate, seen: readonly SeenScope[], store: Store): Promise<void> {
  if (seen.length === 0) return;
  const scopes = compiled.scopes.map(({ scope }) => scope);
  await leaveScopes({ estate: name, scopes }, Math.max(...seen.map(({ observation }) => observation.at)), store);
}

interface Ground {
  readonly estate: OpenedEstate;
  readonly store: Store;
  readonly constraints: ActiveConstraints;
  readonly noted: ActionRecorder;
}

async function inputOf({ scope, observation, knowledge }: SeenScope, ground: Ground): Promise<PlanInput> {
  const { dialect, batches } = providerOf(scope, ground.estate);
  const choices = await choicesIn(scope, ground);
  return { wanted: scope.wanted, observation, knowledge, dialect, batches, choices };
}

async function choicesIn({ scope }: CompiledScope, { estate, store, constraints, noted }: Ground): Promise<Choices> {
  const where = { estate: estate.name, scope };
  const [approvals, stopped] = await Promise.all([
    store.fleet.approvals.active(where),
    store.fleet.rollouts.stopped(where),
  ]);
  return {
    unattended: true,
    holds: [noted.hold, ...constraints.holds],
    approved: approvedBy(new Set(approvals.flatMap(({ actions }) => actions)), sha256),
    stopped: stopped.filter(({ generation }) => generation === constraints.generation),
    ...constraints.choices,
  };
}

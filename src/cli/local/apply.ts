import { randomUUID } from 'node:crypto';
import { type Action, heldAs, type ScopePlan } from '../../core/action.ts';
import { actionDigest, planDigest } from '../../core/digest.ts';
import { type Allowance, allowanceIn } from '../../core/limits.ts';
import { plannedOf } from '../../core/order/moves.ts';
import { type CostBounds, countedCost, withIncreases } from '../../core/plan/cost-limit.ts';
import { isUnfinished } from '../../core/plan/findings.ts';
import { plan } from '../../core/plan/plan.ts';
import type { Hold, PlanJudge } from '../../core/plan/plan-input.ts';
import { requirementText } from '../../core/plan/required-approvals.ts';
import type { ScopeKey } from '../../core/resource.ts';
import { type Converged, converge } from '../../engine/converge.ts';
import type { Guard, Planner, Refusals } from '../../engine/ports.ts';
import { type ActiveConstraints, activeConstraints, heldByCalendars } from '../../estate/active-spec.ts';
import { approvalLost, approvedAs, breakGlassNote, hasLostApproval, onlyApproved } from '../../estate/approvals.ts';
import { judgedOtherwise } from '../../estate/change-rules.ts';
import { sha256 } from '../../estate/sha256.ts';
import type { Lease } from '../../ports/leases.ts';
import type { Authority } from '../../ports/ledger.ts';
import type { Store } from '../../ports/store.ts';
import { requiredIn } from '../../queries/approvals.ts';
import type { Context } from '../context.ts';
import { exitCodes, UserError } from '../errors.ts';
import { progressOn, reportScope } from '../output/progress.ts';
import { acceptFolder, acceptPinned, refuseSuperseded } from './accept.ts';
import { type LeaseRequest, localUser, withLeases } from './ledger-access.ts';
import { type ObservedEstate, type ObservedScope, recordAppliedInventory } from './observe.ts';

/** The actions that a person approved, and their limits. */
export interface ApplyApproval extends Allowance {
  readonly actions: readonly Action[];
  readonly lockTimeoutMs: number;
  /** Holds the estate at these specs from now on, whatever is followed; why. */
  readonly pin?: string;
  /** The guards that a person lifts, and the reason. */
  readonly breakGlass?: BreakGlassRequest;
}

/** `lifts`: windows and freezes, missing approvals, or both. */
export interface BreakGlassRequest {
  readonly lifts: readonly ('calendars' | 'approvals')[];
  readonly reason: string;
}

/** A person let changes pass windows and freezes, or went without the approvals of others. */
export interface BrokenGlass {
  /** Of the entry in the ledger. */
  readonly seq: number;
  readonly changes: number;
  readonly reason: string;
}

export interface ApplyOutcome {
  readonly generation: number;
  /** Absent where nothing that it passes held any of it. */
  readonly brokenGlass?: BrokenGlass;
  /** One for each scope that was worked on. */
  readonly scopes: readonly Converged[];
  /** The plans of the others. */
  readonly idle: readonly ScopePlan[];
}

/** Accepts the specs as a generation, takes the leases and converges every scope where something is to do. */
export async function apply(
  observed: ObservedEstate<Store>,
  approval: ApplyApproval,
  context: Context,
): Promise<ApplyOutcome> {
  const { estate, store, plans, bound } = observed;
  // why: workers would carry out all of what became the newest generation by this, and take back what they follow
  refuseSuperseded(
    { generation: bound.generation ?? 1, newest: await store.generations.current(estate.name), estate },
    'applied',
  );
  const { number: generation, revision } =
    approval.pin === undefined
      ? await acceptFolder(estate, store, context)
      : await acceptPinned(estate, store, { by: { person: localUser(), reason: approval.pin }, context });
  const authority: Authority = {
    revision,
    generation,
    plan: planDigest(plans, sha256),
    approver: localUser(),
    ...allowanceIn(approval),
  };
  const brokenGlass = await breakGlass(observed, approval, authority);
  const lifts = brokenGlass === undefined ? [] : (approval.breakGlass?.lifts ?? []);
  const asked = { breakGlass: lifts.includes('calendars'), withoutApprovals: lifts.includes('approvals') };
  const approved = new Set(approval.actions);
  const isBusy = ({ input }: ObservedScope, plan: ScopePlan | undefined): boolean =>
    input.knowledge.pending.length > 0 || plan?.actions.some((action) => approved.has(action)) === true;
  const approvedOnly = onlyApproved(approval.actions, plans);
  await countCosts(observed, generation);
  const reconcileUnderLeases = (
    of: readonly ObservedScope[],
    how: Pick<LeaseRequest, 'timeoutMs'> & Pick<Work, 'reuses'>,
  ): Promise<readonly Converged[]> => {
    const request = {
      estate: estate.name,
      store,
      scopes: of.map(({ scope }) => scope.scope),
      timeoutMs: how.timeoutMs,
    };
    return withLeases(request, context, async (leases) => {
      // why: somebody may have paused what is to be done while we asked, or waited for the leases
      const guardEpoch = await store.ledger.guardEpoch(estate.name);
      const constraints = await activeConstraints(estate, store, asked);
      const holds = [...constraints.holds, approvedOnly];
      const guard: Guard = {
        epoch: guardEpoch,
        ...untilOf(constraints),
        approvedAs: (action) =>
          asked.withoutApprovals || constraints.consentsOf(plannedOf(action)).every(({ began }) => began)
            ? undefined
            : approvedAs(action, constraints.consentsOf),
        judge: async (actions) => {
          const now = await activeConstraints(estate, store, asked);
          return { refused: refusalsOf(actions, constraints, now), ...untilOf(now) };
        },
      };
      const common = { store, estate: estate.name, reconcileId: randomUUID(), authority };
      const { judge } = constraints.choices;
      const { cost } = constraints.bounds;
      return reconcileScopes(of, { ...common, judge, cost, leases, holds, guard, reuses: how.reuses }, context);
    });
  };
  const busy = observed.looked.filter((looked, i) => isBusy(looked, plans[i]));
  const scopes = await reconcileUnderLeases(busy, { timeoutMs: approval.lockTimeoutMs, reuses: false });
  await recordStanding(observed, { busy, reconcile: (of) => reconcileUnderLeases(of, { timeoutMs: 0, reuses: true }) });
  const worked = new Set(busy.map(({ scope }) => scope.scope));
  const idle = plans.filter(({ scope }) => !worked.has(scope));
  await recordGeneration({ estate: estate.name, generation, whole: wholeScopes(scopes, idle) }, store);
  await recordAppliedInventory(estate, observed.looked, scopes, { store, context });
  return { generation, scopes, idle, ...(brokenGlass === undefined ? {} : { brokenGlass }) };
}

/** Each transaction checks the sum of all scopes, so all are counted before the first one. */
async function countCosts({ estate, store, looked, bounds }: ObservedEstate<Store>, generation: number): Promise<void> {
  const { cost } = bounds;
  if (cost === undefined) return;
  const { costs } = store.fleet;
  await costs.dropEmpty({ estate: estate.name, scopes: estate.compiled.scopes.map(({ scope }) => scope) });
  const before = new Map(cost.scopes?.map((one) => [one.scope, one.monthly]));
  for (const { scope, input } of looked) {
    const counted = countedCost(input, { plan: [], all: [] }, cost);
    const where = { estate: estate.name, scope: scope.scope };
    await costs.fill(where, { generation, ...counted }, before.get(scope.scope));
  }
}

interface Applied {
  readonly estate: string;
  readonly generation: number;
  readonly whole: readonly ScopeKey[];
}

/** The scopes in which nothing of the specs is left to do: neither held, nor blocked, nor unseen. */
function wholeScopes(converged: readonly Converged[], idle: readonly ScopePlan[]): readonly ScopeKey[] {
  const ended = converged.flatMap(({ outcome, last }) => (outcome === 'done' && last !== undefined ? [last.plan] : []));
  const unasked = idle.filter(({ actions }) => actions.length === 0);
  return [...ended, ...unasked].flatMap(({ scope, findings }) => (findings.some(isUnfinished) ? [] : [scope]));
}

/** So `status` shows the generation as applied there, as after a reconcile of a worker. */
async function recordGeneration({ estate, generation, whole }: Applied, { fleet }: Store): Promise<void> {
  for (const scope of whole) await fleet.rollouts.stand({ estate, scope }, generation);
}

/** Writes what passes a guard by break-glass into the ledger, before anything is sent. Undefined where it holds none of it. */
async function breakGlass(
  observed: ObservedEstate<Store>,
  { actions, breakGlass: request }: ApplyApproval,
  { generation, plan, approver: person }: Authority,
): Promise<BrokenGlass | undefined> {
  const { reason } = request ?? {};
  const passing = await passingBy(observed, request, actions);
  if (reason === undefined || passing.size === 0) return undefined;
  const passed = [...new Set([...passing.values()].flat())];
  const note = breakGlassNote({ person, reason, generation, plan, actions: [...passing.keys()], passed });
  const seq = await observed.store.ledger.note(observed.estate.name, { breakGlass: note });
  return { seq, changes: passing.size, reason };
}

/** The actions that a guard would hold and that pass it by break-glass, each with the reasons. */
export async function passingBy(
  { estate, store, plans, looked }: ObservedEstate<Store>,
  request: BreakGlassRequest | undefined,
  actions: readonly Action[],
): Promise<ReadonlyMap<Action, readonly string[]>> {
  const { lifts = [] } = request ?? {};
  const held = new Map<Action, string[]>();
  const add = (action: Action, why: string) => held.set(action, [...(held.get(action) ?? []), why]);
  if (lifts.includes('calendars'))
    for (const [action, why] of await heldByCalendars(estate, store, actions)) add(action, why);
  if (!lifts.includes('approvals')) return held;
  const constraints = await activeConstraints(estate, store);
  const byDigest = new Map(actions.map((action) => [actionDigest(action, sha256), action]));
  for (const [at, { input }] of looked.entries()) {
    const plan = plans[at];
    if (plan === undefined) continue;
    const own = actions.filter((action) => plan.actions.includes(action));
    for (const one of await requiredIn({ plan, actions: own, input }, constraints)) {
      const action = byDigest.get(one.digest);
      if (action !== undefined) add(action, requirementText([one]));
    }
  }
  return held;
}

interface StandingWork {
  readonly busy: readonly ObservedScope[];
  readonly reconcile: (of: readonly ObservedScope[]) => Promise<unknown>;
}

/**
 * Where nothing is to do, the store notes what these specs say of resources in sync: a later difference there is drift, and no change
 * of the specs. No cloud is called. A process that holds the lease of a scope notes it itself.
 */
async function recordStanding(
  { looked, plans }: ObservedEstate<Store>,
  { busy, reconcile }: StandingWork,
): Promise<void> {
  for (const [i, one] of looked.entries()) {
    const { standing = [], keptStopped = [] } = plans[i] ?? {};
    if (busy.includes(one) || standing.length + keptStopped.length === 0) continue;
    try {
      await reconcile([one]);
    } catch (error) {
      if (!(error instanceof UserError) || error.code !== exitCodes.refused) throw error;
    }
  }
}

interface Work {
  readonly store: Store;
  readonly estate: string;
  readonly reconcileId: string;
  readonly authority: Authority;
  readonly leases: ReadonlyMap<ScopeKey, Lease>;
  readonly holds: readonly Hold[];
  readonly judge?: PlanJudge;
  readonly cost: CostBounds | undefined;
  readonly guard: Guard;
  /** Begins with the observation that was planned, if it is still fresh. */
  readonly reuses: boolean;
}

const untilOf = ({ until }: ActiveConstraints): Pick<Guard, 'until'> => (until === undefined ? {} : { until });

/** By what people say now: a generation that came in between binds by what it reads only and protects. */
const refusalsOf = (actions: readonly Action[], before: ActiveConstraints, now: ActiveConstraints): Refusals =>
  new Map(
    actions.flatMap((action) => {
      if (now.choices.judge?.key !== before.choices.judge?.key) return [[action, judgedOtherwise] as const];
      const judged = heldAs(action);
      if (hasLostApproval(judged, before, now)) return [[action, approvalLost] as const];
      const reason = now.holds.map((hold) => hold(judged)).find((given) => given !== undefined);
      return reason === undefined ? [] : [[action, reason] as const];
    }),
  );

/** Side by side. An error of Setpoint in one is thrown only when the others have ended. */
async function reconcileScopes(
  busy: readonly ObservedScope[],
  work: Work,
  context: Context,
): Promise<readonly Converged[]> {
  const progress = progressOn(context.terminal.err, context.clock);
  const ended = await Promise.allSettled(
    busy.map(async (looked) => {
      const notify = reportScope(looked.scope.scope, progress);
      const converged = await reconcileScope(looked, work, notify, context);
      progress.finish(looked.scope.scope, endOf(converged));
      return converged;
    }),
  );
  progress.end();
  return ended.map((end) => {
    if (end.status === 'rejected') throw end.reason;
    return end.value;
  });
}

function endOf({ outcome, rounds: reconciles }: Converged): string {
  const settled = reconciles.reduce((sum, reconcile) => sum + reconcile.settled.length, 0);
  const failed = reconciles.at(-1)?.failed.length ?? 0;
  return `${outcome === 'done' && failed === 0 ? 'converged' : outcome}, ${settled} done${failed > 0 ? `, ${failed} failed` : ''}`;
}

function reconcileScope(
  { scope: { scope }, site, input }: ObservedScope,
  work: Work,
  notify: ReturnType<typeof reportScope>,
  context: Context,
): Promise<Converged> {
  const { store, estate, authority, reconcileId } = work;
  const lease = work.leases.get(scope);
  if (lease === undefined) throw new Error(`${scope} is not leased`);
  const reconcile = { estate, scope, reconcileId, authority, lease: { holder: lease.holder, epoch: lease.epoch } };
  const holds = [...(input.choices?.holds ?? []), ...work.holds];
  const judged = work.judge === undefined ? {} : { judge: work.judge };
  const planner: Planner = async (observation, knowledge) => {
    const given = { ...input, observation, knowledge, choices: { ...input.choices, ...judged, holds } };
    const made = plan(given);
    if (work.cost === undefined) return made;
    const counted = countedCost(given, { plan: made.actions, all: made.actions }, work.cost);
    await store.fleet.costs.keep(reconcile, { generation: authority.generation, ...counted });
    return withIncreases(made, given, work.cost);
  };
  return converge(
    {
      site,
      authorization: { reconcile, lease, guard: work.guard },
      plan: planner,
      ...(work.reuses ? { from: input.observation } : {}),
    },
    {
      ledger: store.ledger,
      operations: store.operations,
      inventory: store.inventory,
      limiter: context.dependencies.limiter,
      clock: context.clock,
      random: Math.random,
    },
    { signal: context.signal, notify },
  );
}

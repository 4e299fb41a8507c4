import { type Action, actionKey, driftPartOf, heldAs, isInGrace, keyBy } from '../core/action.ts';
import { actionDigest } from '../core/digest.ts';
import type { Failure } from '../core/failure.ts';
import { type Allowance, allowanceIn, type Budget, budgets } from '../core/limits.ts';
import { plannedOf } from '../core/order/moves.ts';
import type { Bounds } from '../core/plan/estate.ts';
import { approvedBy, backoffHold, backoffMs, modeHold } from '../core/plan/holds.ts';
import type { Hold, StoppedWaves, Withholding } from '../core/plan/plan-input.ts';
import { remediationHold } from '../core/plan/remediation.ts';
import type { ConsentsOf } from '../core/plan/required-approvals.ts';
import type { Address } from '../core/resource.ts';
import { withoutFullStop } from '../core/text.ts';
import type { Guard, GuardMoment } from '../engine/ports.ts';
import { type ActiveConstraints, activeConstraints } from '../estate/active-spec.ts';
import { approvalLost, approvedAs, hasLostApproval } from '../estate/approvals.ts';
import { judgedOtherwise } from '../estate/change-rules.ts';
import { providerOf } from '../estate/load.ts';
import { sha256 } from '../estate/sha256.ts';
import type { Approval, Backoffs, Refused, ScopeCount } from '../ports/fleet-state.ts';
import type { Where } from '../ports/queue.ts';
import { type ActiveSpec, type ConvergeResult, type GenerationAccess, stoppedRolloutsOf } from './rollouts.ts';

/** The rules of a reconcile that no person watches: guards and limits, pauses, and approvals. */
export interface ReconcileConstraints {
  readonly bounds: Bounds;
  readonly holds: readonly Hold[];
  /** The holds that are equal in every scope. Limits count with these alone: a backoff ends by itself. */
  readonly estateHolds: readonly Hold[];
  readonly policies?: ActiveConstraints['policies'];
  readonly choices: ActiveConstraints['choices'];
  /** Numbers of approvals that a person withdrew. */
  readonly withdrawn: ReadonlySet<number>;
  readonly approved: (action: Action) => boolean;
  readonly consentsOf: ConsentsOf;
  /** Progressive rollouts that wait for a person. */
  readonly stopped: readonly StoppedWaves[];
  readonly authority: Allowance & { readonly plan: string; readonly approver: string };
  /** The guard epoch in which it was drawn up: all of it is of that one, or later. */
  readonly guardEpoch: number;
  /** A window or freeze begins or ends then, by the store's clock: it is void from then on. */
  readonly guardUntil?: number;
  /** Of what counts by it are: see ports/scope-counts.ts. */
  readonly counting: Pick<ScopeCount, 'epoch' | 'until'>;
  /** The generation of these constraints; healing to a former one heeds them too. */
  readonly generation: number;
  /** The constraints by the present permissions. */
  again(): Promise<ReconcileConstraints>;
}

export async function reconcileConstraintsOf(
  where: Where,
  activeSpec: ActiveSpec,
  records: GenerationAccess,
): Promise<ReconcileConstraints> {
  const { store } = records;
  // why: it is read first, so that a send notices any permission that changes meanwhile
  const guardEpoch = await store.ledger.guardEpoch(where.estate);
  const counting = await countingOf(where, store);
  const [constraints, approvals, stopped, backoff, withdrawn] = await Promise.all([
    activeConstraints(activeSpec.estate, store, { withoutCosts: true }),
    store.fleet.approvals.active(where),
    stoppedRolloutsOf(where, activeSpec, records),
    backoffHoldOf(where, activeSpec.generation.number, store.fleet.backoffs),
    store.fleet.approvals.withdrawn(where.estate),
  ]);
  const digests = new Set(approvals.flatMap(({ actions }) => actions));
  return {
    bounds: constraints.bounds,
    holds: [...constraints.holds, backoff],
    estateHolds: constraints.holds,
    policies: constraints.policies,
    choices: constraints.choices,
    withdrawn,
    approved: approvedBy(digests, sha256),
    consentsOf: constraints.consentsOf,
    stopped,
    authority: await authorityOf(where, approvals, store),
    guardEpoch,
    ...(constraints.until === undefined ? {} : { guardUntil: constraints.until }),
    counting: sooner(counting, constraints.until),
    generation: activeSpec.generation.number,
    again: () => reconcileConstraintsOf(where, activeSpec, records),
  };
}

/** A count that heeds windows and freezes is none when one of them begins or ends. */
const sooner = (counting: ReconcileConstraints['counting'], until: number | undefined): typeof counting =>
  until === undefined ? counting : { ...counting, until: Math.min(until, counting.until ?? until) };

/** A count that heeds a pause is none when the pause ends by itself. */
async function countingOf(
  { estate }: Where,
  { fleet }: GenerationAccess['store'],
): Promise<ReconcileConstraints['counting']> {
  const epoch = await fleet.counts.epoch(estate);
  const pauses = await fleet.pauses.active(estate);
  return { epoch, ...(pauses.length === 0 ? {} : { until: Math.min(...pauses.map(({ until }) => until)) }) };
}

async function authorityOf(
  { estate }: Where,
  approvals: readonly Approval[],
  { fleet }: GenerationAccess['store'],
): Promise<ReconcileConstraints['authority']> {
  const last = approvals.at(-1);
  if (last === undefined) return { plan: 'unattended', approver: 'setpoint' };
  const people = [...new Set(approvals.map(({ by }) => by.person))];
  const lifted = budgets.filter((budget) => approvals.some((one) => letPass(one, budget) > 0));
  const given = lifted.length === 0 ? [] : await fleet.approvals.given(estate);
  const allow = (budget: Budget): number | undefined =>
    lifted.includes(budget) ? allowanceOf(given, budget) : undefined;
  return {
    plan: last.digest,
    approver: people.join(', '),
    ...allowanceIn({
      allowDeletes: allow('deletes'),
      allowCreates: allow('creates'),
      allowClosures: allow('closures'),
    }),
  };
}

const letPass = ({ destroys, creates = 0, closures = 0 }: Approval, budget: Budget): number =>
  ({ deletes: destroys, creates, closures })[budget];

const ranBy = ({ ran, ranBeside }: Approval, budget: Budget): number =>
  budget === 'deletes' ? ran : (ranBeside?.[budget] ?? 0);

/**
 * The most that the ledger may count: the actions executed before anybody approved, and as many more as were approved since, in
 * any scope. It does not grow while they run, so unapproved actions find no place behind them.
 */
function allowanceOf(given: readonly Approval[], budget: Budget): number {
  const counted = given.filter(
    (one, at) => !given.some((other, i) => i !== at && isWithin(one, other) && (i > at || !isWithin(other, one))),
  );
  const ran = Math.min(...counted.map((one) => ranBy(one, budget)));
  return ran + counted.reduce((sum, one) => sum + letPass(one, budget), 0);
}

/** An approval that expired is often given again, and several people approve the same. Of equal ones the last counts. */
function isWithin(one: Approval, other: Approval): boolean {
  if (one.scope !== other.scope || one.actions.length > other.actions.length) return false;
  const all = new Set(other.actions);
  return one.actions.every((digest) => all.has(digest));
}

/**
 * The guards of a running reconcile, checked again by its current constraints. A generation that came in
 * between binds by its modes and by what it protects, as the one before does.
 *
 *   held by                                                  | code
 *   ---------------------------------------------------------+----------------------------
 *   a pause, `observe`, or `protect` of any of them          | paused, mode, protect
 *   a window or a freeze, by the store's clock               | window, freeze
 *   mode `plan` of any of them, and no approval is active     | mode
 *   a remediation of any of them, likewise                   | remediation
 *   an approval of it when it was planned is active no more  | stale
 *   an approval by which its grace began was withdrawn, and   | stale
 *   nobody approved it again                                 |
 *   rules about changes are others than those of the plan    | stale
 */
export function guardOf(activeSpec: ActiveSpec, reconcileConstraints: ReconcileConstraints): Guard {
  let drawn: { readonly epoch: number; readonly constraints: Promise<ReconcileConstraints> } | undefined;
  const constraintsAt = async ({ epoch, at = 0 }: GuardMoment): Promise<ReconcileConstraints> => {
    const known = drawn;
    if (known?.epoch === epoch) {
      const constraints = await known.constraints;
      if (at < (constraints.guardUntil ?? Number.POSITIVE_INFINITY)) return constraints;
    }
    // why: several calls ask at once, and one of them draws it up for all
    if (drawn === undefined || drawn === known) drawn = { epoch, constraints: reconcileConstraints.again() };
    return drawn.constraints;
  };
  return {
    epoch: reconcileConstraints.guardEpoch,
    ...(reconcileConstraints.guardUntil === undefined ? {} : { until: reconcileConstraints.guardUntil }),
    approvedAs: (action) =>
      reconcileConstraints.approved(plannedOf(action))
        ? approvedAs(action, reconcileConstraints.consentsOf)
        : undefined,
    judge: async (actions, moment) => {
      const now = await constraintsAt(moment);
      const holds = holdsNow(activeSpec, reconcileConstraints, now);
      const refused = actions.flatMap((action): readonly (readonly [Action, Withholding])[] => {
        const judged = heldAs(action);
        const reason = holds.map((hold) => hold(judged)).find((given) => given !== undefined);
        return reason === undefined ? [] : [[action, reason]];
      });
      return { refused: new Map(refused), ...(now.guardUntil === undefined ? {} : { until: now.guardUntil }) };
    },
  };
}

const holdsNow = (
  { scope, estate }: ActiveSpec,
  before: ReconcileConstraints,
  now: ReconcileConstraints,
): readonly Hold[] => [
  ...now.holds,
  ...unattendedHolds({ scope, estate }, now),
  (action) => (hasLost(action, before, now) ? approvalLost : undefined),
  (action) => (isWithdrawn(action, now.withdrawn) && !now.approved(action) ? approvalLost : undefined),
  () => (before.choices.judge?.key === now.choices.judge?.key ? undefined : judgedOtherwise),
];

function unattendedHolds(
  { scope, estate }: Pick<ActiveSpec, 'scope' | 'estate'>,
  { choices: { modesBefore, remediationBefore }, approved }: ReconcileConstraints,
): readonly Hold[] {
  const choices = { unattended: true, modesBefore, remediationBefore, approved };
  const judged = { wanted: scope.wanted, dialect: providerOf(scope, estate).dialect, choices };
  return [remediationHold(judged), modeHold(judged)];
}

/** Its grace began by an approval that no longer is. */
const isWithdrawn = (action: Action, withdrawn: ReadonlySet<number>): boolean =>
  action.verb === 'delete' &&
  action.grace?.phase === 'ends' &&
  (action.grace.approvals ?? []).some((seq) => withdrawn.has(seq));

type Approving = Pick<ReconcileConstraints, 'approved' | 'consentsOf'>;

const hasLost = (action: Action, before: Approving, now: Approving): boolean =>
  before.approved(action) && (!now.approved(action) || hasLostApproval(action, before, now));

/** Addresses that wait here after refusals of the cloud, under this generation. */
async function backoffHoldOf(where: Where, generation: number, backoffs: Backoffs): Promise<Hold> {
  const waiting = (await backoffs.list(where)).filter((one) => one.waits && one.generation === generation);
  const byAddress = new Map(waiting.map((one) => [one.address, one]));
  return backoffHold((action) => {
    const held = byAddress.get(action.address);
    return held !== undefined && held.digest === digestOf(action) ? held : undefined;
  });
}

/**
 * As before means that nothing of it, nor of what was seen of it, has changed. The stop for a grace is judged by its deletion: a refused stop
 * holds no deletion at the end of that grace.
 */
function digestOf(action: Action): string {
  const judged = heldAs(action);
  const digest = actionDigest(judged, sha256);
  return isInGrace(judged) ? `stop ${digest}` : digest;
}

/**
 * Keeps what the cloud refused, and lets go what went well. A conflict was tried several times when its reconcile gave it up, so it waits
 * at once; what a person must mend waits from its second refusal on.
 */
export async function recordRefusals(
  where: Where,
  generation: number,
  { converged: { rounds }, planned }: Pick<ConvergeResult, 'converged' | 'planned'>,
  backoffs: Backoffs,
): Promise<void> {
  const { refused, done } = outcomesOf(rounds);
  if (refused.size + done.size === 0) return;
  const kept = new Map((await backoffs.list(where)).map((one) => [one.address, one]));
  for (const address of done) if (kept.has(address)) await backoffs.clear(where, address);
  const refusedActions = planned.filter((action) => refused.has(actionKey(action)));
  // why: parts of a resource's drift have one address, and one of them is kept
  for (const action of refusedActions.toSorted((a, b) => Number(isApart(b)) - Number(isApart(a)))) {
    const failure = refused.get(actionKey(action));
    if (failure === undefined) continue;
    const again = { address: action.address, digest: digestOf(action), generation };
    const failures = timesBefore(again, kept.get(action.address)) + 1;
    const waits = failure.kind === 'conflict' ? failures : failures - 1;
    const said = `"${withoutFullStop(failure.message)}" (${failure.code}).`;
    await backoffs.put(where, { ...again, failures, said }, waits === 0 ? 0 : backoffMs(waits));
  }
}

const isApart = (action: Action): boolean => driftPartOf(action) !== undefined;

/** The outcomes of actions: the last failures, and the addresses where an action succeeded. */
function outcomesOf(rounds: ConvergeResult['converged']['rounds']) {
  const refused = new Map<string, Failure>();
  const done = new Set<Address>();
  for (const { failed, settled } of rounds) {
    for (const one of failed) if (repeats.has(one.failure.kind)) refused.set(keyBy(one), one.failure);
    for (const one of settled) {
      refused.delete(keyBy(one));
      done.add(one.address);
    }
  }
  return { refused, done };
}

function timesBefore(
  { digest, generation }: Pick<Refused, 'digest' | 'generation'>,
  kept: Refused | undefined,
): number {
  return kept?.digest === digest && kept.generation === generation ? kept.failures : 0;
}

const repeats: ReadonlySet<Failure['kind']> = new Set(['conflict', 'terminal']);

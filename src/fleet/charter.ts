import type { Action } from '../core/action.ts';
import { type Allowance, allowanceIn, type Budget, budgets } from '../core/limits.ts';
import { approvedBy } from '../core/plan/approve.ts';
import type { Bounds } from '../core/plan/estate.ts';
import type { ModesBefore } from '../core/plan/modes-before.ts';
import type { Policy, StoppedWaves } from '../core/plan/plan-input.ts';
import { inForce } from '../estate/in-force.ts';
import { sha256 } from '../estate/sha256.ts';
import type { Approval } from '../ports/approvals.ts';
import type { Where } from '../ports/queue.ts';
import type { ScopeCount } from '../ports/scope-counts.ts';
import { backedOff } from './backoffs.ts';
import type { Spoken } from './reconcile.ts';
import { type Records, stoppedWaves } from './waves.ts';

/** What binds a pass that no person watches: guards and limits, pauses, and what people let pass. */
export interface Charter {
  readonly bounds: Bounds;
  readonly policies: readonly Policy[];
  /** Those of them that hold in every scope alike. What counts limits heeds no others: a backoff ends by itself. */
  readonly estatePolicies: readonly Policy[];
  readonly modesBefore: ModesBefore;
  readonly approved: (action: Action) => boolean;
  /** Progressive rollouts that wait for a person. */
  readonly stopped: readonly StoppedWaves[];
  readonly authority: Allowance & { readonly plan: string; readonly approver: string };
  /** The guard epoch in which it was drawn up: all of it is of that one, or later. */
  readonly guardEpoch: number;
  /** Of what counts by it are: see ports/scope-counts.ts. */
  readonly counting: Pick<ScopeCount, 'epoch' | 'until'>;
  /** The generation that it is drawn up for; what heals to a former one works under it too. */
  readonly generation: number;
  /** As it is drawn up by what people say now. */
  again(): Promise<Charter>;
}

export async function charterOf(where: Where, by: Spoken, records: Records): Promise<Charter> {
  const { store } = records;
  // why: read before anything else, so that a word that comes in between is met by whoever sends something
  const guardEpoch = await store.ledger.guardEpoch(where.estate);
  const counting = await countingOf(where, store);
  const [force, approvals, stopped, backoff] = await Promise.all([
    inForce(by.estate, store),
    store.fleet.approvals.inForce(where),
    stoppedWaves(where, by, records),
    backedOff(where, by.generation.number, store.fleet.backoffs),
  ]);
  const digests = new Set(approvals.flatMap(({ actions }) => actions));
  return {
    bounds: force.bounds,
    policies: [...force.policies, backoff],
    estatePolicies: force.policies,
    modesBefore: force.modesBefore ?? (() => undefined),
    approved: approvedBy(digests, sha256),
    stopped,
    authority: await authorityOf(where, approvals, store),
    guardEpoch,
    counting,
    generation: by.generation.number,
    again: () => charterOf(where, by, records),
  };
}

/** A count that heeds a pause is none when the pause ends by itself. */
async function countingOf({ estate }: Where, { fleet }: Records['store']): Promise<Charter['counting']> {
  const epoch = await fleet.counts.epoch(estate);
  const pauses = await fleet.pauses.inForce(estate);
  return { epoch, ...(pauses.length === 0 ? {} : { until: Math.min(...pauses.map(({ until }) => until)) }) };
}

async function authorityOf(
  { estate }: Where,
  approvals: readonly Approval[],
  { fleet }: Records['store'],
): Promise<Charter['authority']> {
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
 * How far the ledger's own count may go: what had run before anybody approved, and so many more as were approved since, in
 * whatever scope. It does not grow while they run, so what nobody approved finds no place behind them.
 */
function allowanceOf(given: readonly Approval[], budget: Budget): number {
  const counted = given.filter((one, at) => !given.slice(at + 1).some((later) => isRepeatedBy(one, later)));
  const ran = Math.min(...counted.map((one) => ranBy(one, budget)));
  return ran + counted.reduce((sum, one) => sum + letPass(one, budget), 0);
}

/** What ran out is often approved again. */
function isRepeatedBy(one: Approval, later: Approval): boolean {
  if (one.scope !== later.scope || one.actions.length > later.actions.length) return false;
  const again = new Set(later.actions);
  return one.actions.every((digest) => again.has(digest));
}

import type { Action } from '../core/action.ts';
import { approvedBy } from '../core/plan/approve.ts';
import type { Bounds } from '../core/plan/estate.ts';
import type { ModesBefore } from '../core/plan/modes-before.ts';
import type { Policy, StoppedWaves } from '../core/plan/plan-input.ts';
import { inForce } from '../estate/in-force.ts';
import { sha256 } from '../estate/sha256.ts';
import type { Approval } from '../ports/approvals.ts';
import type { Where } from '../ports/queue.ts';
import type { Spoken } from './reconcile.ts';
import { type Records, stoppedWaves } from './waves.ts';

/** What binds a pass that no person watches: guards and limits, pauses, and what people let pass. */
export interface Charter {
  readonly bounds: Bounds;
  readonly policies: readonly Policy[];
  readonly modesBefore: ModesBefore;
  readonly approved: (action: Action) => boolean;
  /** Progressive rollouts that wait for a person. */
  readonly stopped: readonly StoppedWaves[];
  readonly authority: { readonly plan: string; readonly approver: string; readonly allowDeletes?: number };
}

export async function charterOf(where: Where, by: Spoken, records: Records): Promise<Charter> {
  const { store } = records;
  const [force, approvals, stopped] = await Promise.all([
    inForce(by.estate, store),
    store.fleet.approvals.inForce(where),
    stoppedWaves(where, by, records),
  ]);
  const digests = new Set(approvals.flatMap(({ actions }) => actions));
  return {
    bounds: force.bounds,
    policies: force.policies,
    modesBefore: force.modesBefore ?? (() => undefined),
    approved: approvedBy(digests, sha256),
    stopped,
    authority: await authorityOf(where, approvals, store),
  };
}

async function authorityOf(
  { estate }: Where,
  approvals: readonly Approval[],
  { fleet }: Records['store'],
): Promise<Charter['authority']> {
  const last = approvals.at(-1);
  if (last === undefined) return { plan: 'unattended', approver: 'setpoint' };
  const people = [...new Set(approvals.map(({ by }) => by.person))];
  const destroys = approvals.some((one) => one.destroys > 0);
  return {
    plan: last.digest,
    approver: people.join(', '),
    ...(destroys ? { allowDeletes: allowanceOf(await fleet.approvals.given(estate)) } : {}),
  };
}

/**
 * How far the ledger's own count may go: what had run before anybody approved, and so many more as were approved since, in
 * whatever scope. It does not grow while they run, so what nobody approved finds no place behind them.
 */
function allowanceOf(given: readonly Approval[]): number {
  const counted = given.filter((one, at) => !given.slice(at + 1).some((later) => isRepeatedBy(one, later)));
  return Math.min(...counted.map(({ ran }) => ran)) + counted.reduce((sum, { destroys }) => sum + destroys, 0);
}

/** What ran out is often approved again. */
function isRepeatedBy(one: Approval, later: Approval): boolean {
  if (one.scope !== later.scope || one.actions.length > later.actions.length) return false;
  const again = new Set(later.actions);
  return one.actions.every((digest) => again.has(digest));
}

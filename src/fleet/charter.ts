import type { Action } from '../core/action.ts';
import type { Guards } from '../core/guards.ts';
import { approvedBy } from '../core/plan/approve.ts';
import type { Bounds } from '../core/plan/estate.ts';
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
  /** Of the generation before. */
  readonly modesBefore: Guards['modes'];
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
    modesBefore: force.modesBefore ?? {},
    approved: approvedBy(digests, sha256),
    stopped,
    authority: authorityOf(approvals, force.bounds),
  };
}

/** In the ledger's own count, what was approved passes on top of what ran already; the plan lets through nothing else. */
function authorityOf(approvals: readonly Approval[], { spent }: Charter['bounds']): Charter['authority'] {
  const last = approvals.at(-1);
  if (last === undefined) return { plan: 'unattended', approver: 'setpoint' };
  const destroys = approvals.reduce((sum, one) => sum + one.destroys, 0);
  const ran = spent.generation.deletes + spent.generation.replaces + spent.healing.deletes + spent.healing.replaces;
  const people = [...new Set(approvals.map(({ by }) => by.person))];
  return {
    plan: last.digest,
    approver: people.join(', '),
    ...(destroys > 0 ? { allowDeletes: ran + destroys } : {}),
  };
}

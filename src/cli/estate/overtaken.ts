import type { Generation } from '../../ports/inventory.ts';
import type { Estate } from '../../queries/estate-view.ts';
import { Complaint } from '../complaint.ts';
import { exitCodes } from '../exit-code.ts';

export interface Shown {
  /** That the specs had, or would have become, when they were planned. */
  readonly generation: number;
  readonly newest: Generation | undefined;
  readonly estate: Estate;
}

const verbs = { approved: 'approve', applied: 'apply' } as const;

/** Somebody else's newer specs are not overruled by what was shown before they came. */
export function refuseOvertaken({ generation, newest, estate: { tree } }: Shown, done: keyof typeof verbs): void {
  const would = newest?.revision === tree.revision ? newest.number : (newest?.number ?? 0) + 1;
  if (would === generation) return;
  throw new Complaint(`Nothing was ${done}: generation ${newest?.number ?? 0} was accepted meanwhile.`, {
    why: 'What was shown was planned before it.',
    next: `Look at what waits now: setpoint ${verbs[done]}`,
    code: exitCodes.refused,
  });
}

import type { Attempt } from '../../../src/core/inventory/plan-outcome.ts';
import type { Row } from '../../../src/core/inventory/row.ts';
import { rowsOf } from '../../../src/core/inventory/rows.ts';
import { actionRecorder } from '../../../src/core/plan/destructive-drift.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import type { PlanInput } from '../../../src/core/plan/plan-input.ts';

/** The rows of what was planned, as the fleet makes them. */
export function rowed(given: PlanInput, attempt?: Attempt, generation = 7): readonly Row[] {
  const noted = actionRecorder();
  const policies = [noted.policy, ...(given.choices?.policies ?? [])];
  const input = { ...given, choices: { ...given.choices, policies } };
  const tried = attempt === undefined ? {} : { attempt };
  return rowsOf({ input, plan: plan(input), planned: noted.planned(), generation, ...tried });
}

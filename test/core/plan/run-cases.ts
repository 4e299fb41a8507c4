import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Action, Finding } from '../../../src/core/action.ts';
import type { Attempt } from '../../../src/core/inventory/plan-outcome.ts';
import type { Row } from '../../../src/core/inventory/row.ts';
import { rowsOf } from '../../../src/core/inventory/rows.ts';
import { actionRecorder } from '../../../src/core/plan/destructive-drift.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import type { PlanInput } from '../../../src/core/plan/plan-input.ts';
import { planText } from '../../../src/core/render/plan-text.ts';
import { assertGolden } from '../../support/golden.ts';
import { summary } from './fixture.ts';

export interface Case {
  readonly name: string;
  readonly given: PlanInput;
  readonly want: readonly string[];
}

/** `golden`: the file in golden/plans that holds the plans in full. */
export function runCases(cases: readonly Case[], golden: string): void {
  for (const { name, given, want } of cases) {
    test(name, () => {
      const got = plan(given);
      assert.deepEqual(summary(got), want);
      assert.deepEqual(JSON.parse(JSON.stringify(got)), got, 'a plan is plain data');
    });
  }
  const file = `plans/${golden}.txt`;
  test(`each of these plans reads as in golden/${file}`, () =>
    assertGolden(cases.map(({ name, given }) => `# ${name}\n${inFull(given)}\n`).join('\n'), file));
}

/** As a person reads it; all that it says of each action and finding beside the resources themselves; and how each thing stands. */
function inFull(given: PlanInput): string {
  const made = plan(given);
  const lines = [...made.actions, ...made.findings].map(bare).map((entry) => JSON.stringify(entry));
  const rows = rowed(given).map(({ key, state }) => `${key} ${state.status}: ${state.reason}`);
  return [planText([made], { revision: 'folder:1a2b3c4d5e' }), ...lines, ...rows].join('\n');
}

function bare(entry: Action | Finding): object {
  const {
    documents: _,
    desired,
    observed,
    ...rest
  } = { desired: undefined, observed: undefined, documents: [], ...entry };
  return {
    ...rest,
    ...(desired && { desired: Object(desired).name }),
    ...(observed && { observed: Object(observed).id }),
  };
}

/** The rows of a plan, as the fleet makes them. */
export function rowed(given: PlanInput, attempt?: Attempt, generation = 7): readonly Row[] {
  const noted = actionRecorder();
  const holds = [noted.hold, ...(given.choices?.holds ?? [])];
  const input = { ...given, choices: { ...given.choices, holds } };
  const tried = attempt === undefined ? {} : { attempt };
  return rowsOf({ input, plan: plan(input), planned: noted.planned(), generation, ...tried });
}

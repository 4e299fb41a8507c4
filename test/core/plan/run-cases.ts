import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plan } from '../../../src/core/plan/plan.ts';
import type { PlanInput } from '../../../src/core/plan/plan-input.ts';
import { summary } from './summary.ts';

export interface Case {
  readonly name: string;
  readonly given: PlanInput;
  readonly want: readonly string[];
}

export function runCases(cases: readonly Case[]): void {
  for (const { name, given, want } of cases) {
    test(name, () => {
      const got = plan(given);
      assert.deepEqual(summary(got), want);
      assert.deepEqual(JSON.parse(JSON.stringify(got)), got, 'a plan is plain data');
    });
  }
}

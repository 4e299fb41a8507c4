import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Attempt } from '../../../src/core/inventory/plan-outcome.ts';
import type { Row } from '../../../src/core/inventory/row.ts';
import type { PlanInput } from '../../../src/core/plan/plan-input.ts';
import { assertGolden } from '../../support/golden.ts';
import { scope } from '../plan/fixture.ts';
import { rowed } from './rowed.ts';

export interface Case {
  readonly name: string;
  readonly given: PlanInput;
  readonly attempt?: Attempt;
  /** `<key> <status> <claim> <code>`, of each row. */
  readonly want: readonly string[];
}

/** `golden`: the file in golden/inventory that holds the rows in full. */
export function runCases(cases: readonly Case[], golden: string): void {
  for (const { name, given, attempt, want } of cases)
    it(name, () => {
      const rows = rowed(given, attempt);
      assert.deepEqual(rows.map(short), want);
      assert.deepEqual(JSON.parse(JSON.stringify(rows)), rows, 'a row is plain data');
      assert.deepEqual(rowed(given, attempt), rows, 'the same input, the same rows');
      for (const { state } of rows) assert.match(state.reason, /^[A-Z].*[.!?"…]$/, 'a sentence');
    });
  const file = `inventory/${golden}.txt`;
  it(`each of these rows reads as in golden/${file}`, () => {
    const rows = (one: Case) => rowed(one.given, one.attempt).map((row) => JSON.stringify(row));
    assertGolden(cases.map((one) => `${[`# ${one.name}`, ...rows(one)].join('\n')}\n`).join('\n'), file);
  });
}

const short = ({ key, state, whose }: Row): string =>
  [key.replace(`${scope}/`, ''), state.status, whose.claim, ...(state.code === undefined ? [] : [state.code])].join(
    ' ',
  );

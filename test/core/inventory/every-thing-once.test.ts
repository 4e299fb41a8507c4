import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Row } from '../../../src/core/inventory/row.ts';
import { actionRecorder } from '../../../src/core/plan/destructive-drift.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import type { PlanInput } from '../../../src/core/plan/plan-input.ts';
import { anyInput } from './random-input.ts';
import { rowed } from './rowed.ts';

const runs = { numRuns: 400 };
const sorted = (texts: readonly string[]): readonly string[] => texts.toSorted();
const idsOf = (rows: readonly Row[]): readonly string[] => rows.flatMap(({ called }) => called.id ?? []);

describe('whatever stands and whatever is asked for', () => {
  it('every object and every wish is in exactly one row, and no two rows have one key', () => {
    fc.assert(
      fc.property(anyInput, (given) => {
        const rows = rowed(given);
        assert.deepEqual(sorted(idsOf(rows)), sorted(given.observation.resources.map(({ id }) => id)));
        const wished = rows
          .filter(({ sides }) => sides.desired !== undefined)
          .map(({ called }) => called.address ?? '');
        assert.deepEqual(sorted(wished), sorted(given.wanted.desired.map(({ address }) => address)));
        assert.equal(new Set(rows.map(({ key }) => key)).size, rows.length);
      }),
      runs,
    );
  });

  it('nothing is in sync for which something is to be done or was found', () => {
    fc.assert(
      fc.property(anyInput, (given) => {
        const { actions, findings } = planned(given);
        const busy = new Set(
          [...actions, ...findings].flatMap((one) => ('address' in one && !isForget(one) ? [one.address] : [])),
        );
        for (const { called, state } of rowed(given))
          assert.ok(state.status !== 'InSync' || !busy.has(called.address ?? ''), `${called.address} is in sync`);
      }),
      runs,
    );
  });

  it('what is in sync stands, is wanted and does not differ', () => {
    fc.assert(
      fc.property(anyInput, (given) => {
        for (const { state, sides, whose } of rowed(given)) {
          if (state.status !== 'InSync') continue;
          assert.deepEqual(sides.diff, []);
          assert.equal(whose.claim, 'ours');
          assert.ok(sides.desired && sides.observed?.state === 'ready');
        }
      }),
      runs,
    );
  });
});

/** Held back or not. */
function planned(given: PlanInput) {
  const noted = actionRecorder();
  const policies = [noted.policy, ...(given.choices?.policies ?? [])];
  const { findings } = plan({ ...given, choices: { ...given.choices, policies } });
  return { actions: noted.planned(), findings };
}

const isForget = (one: object): boolean => 'verb' in one && one.verb === 'forget';

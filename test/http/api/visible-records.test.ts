import assert from 'node:assert/strict';
import { test } from 'node:test';
import { visibleTimeline } from '../../../src/http/api/visible-records.ts';
import type { ReconcileDetails } from '../../../src/ports/reconciles.ts';

const step = { what: 'withheld', at: 5, address: 'web', code: 'mode', reason: 'observe' } as const;
const reconcile = {
  ...{ estate: 'acme', scope: 's', id: 'p', began: 1, state: 'ended' },
  ground: { targets: ['north'], generation: 1, revision: 'r' },
  ending: { ended: 10, outcome: 'done', counts: {} },
  timeline: { timeline: [step], rest: {} },
} as unknown as ReconcileDetails; // why: what a reconcile counts is nothing to the bounds

for (const [since, told] of [
  [0, 1],
  [10, 1],
  [11, 0],
  [undefined, 0],
] as const)
  test(`steps at an address that is the reader's since ${since}, in a reconcile that ended at 10: ${told}`, async () => {
    const seen = async () => new Map(since === undefined ? [] : [['web', since]]);
    const { timeline = [] } = (await visibleTimeline(reconcile, [{ owners: ['team-b'] }], { seen })) ?? {};
    assert.equal(timeline.length, told);
  });

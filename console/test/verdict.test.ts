import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verdictOf } from '../src/verdict.ts';

type Facts = Parameters<typeof verdictOf>[0][number];

const calm: Facts = {
  name: 'aws',
  counts: { InSync: 9, Unmanaged: 4 },
  observed: { at: '2027-01-31T08:00:00.000Z', ageSeconds: 40, complete: true, gaps: [] },
  everySeconds: 300,
};

const gap = { kind: 'instance', code: 'denied', reason: 'no permission' } as const;
const actions = (count: number) => ({ actions: Array.from({ length: count }) as never[] });

const cases: readonly {
  readonly of: string;
  readonly targets: readonly Facts[];
  readonly waiting?: number;
  readonly want: readonly [string, string];
}[] = [
  { of: 'no target', targets: [], want: ['unknown', 'No targets yet: the active specs name none that you may see.'] },
  { of: 'all in sync', targets: [calm], want: ['well', 'All is well: 9 resources in sync on 1 target'] },
  {
    of: 'work under way is no concern',
    targets: [
      { ...calm, counts: { InSync: 8, Settling: 1 } },
      { ...calm, name: 'gcp' },
    ],
    want: ['well', 'All is well: 17 resources in sync on 2 targets; Setpoint is at work on 1 resource'],
  },
  {
    of: 'drift, and a failure goes first',
    targets: [{ ...calm, counts: { Drifted: 3, Failed: 1 } }],
    want: ['wrong', '1 resource failed, and a person must act'],
  },
  { of: 'drift alone', targets: [{ ...calm, counts: { Drifted: 2 } }], want: ['attention', '2 resources drifted'] },
  {
    of: 'never observed: not well, whatever the counts say',
    targets: [{ ...calm, observed: { complete: false, gaps: [] } }],
    want: ['wrong', 'Nobody has observed aws yet'],
  },
  {
    of: 'an observation of three intervals is not late',
    targets: [{ ...calm, observed: { ...calm.observed, ageSeconds: 900 } }],
    want: ['well', 'All is well: 9 resources in sync on 1 target'],
  },
  {
    of: 'a second more is',
    targets: [{ ...calm, observed: { ...calm.observed, ageSeconds: 901 } }],
    want: ['wrong', 'aws was last observed 15 min ago, and its interval is 5 min'],
  },
  {
    of: 'a gap goes before drift',
    targets: [{ ...calm, counts: { Drifted: 2 }, observed: { ...calm.observed, complete: false, gaps: [gap] } }],
    want: ['wrong', 'Setpoint could not list instance of aws'],
  },
  { of: 'approvals', targets: [calm], waiting: 1, want: ['attention', '1 action waits for an approval'] },
];

for (const { of, targets, waiting, want } of cases)
  test(`the first line of the overview: ${of}`, () => {
    const { tone, text } = verdictOf(targets, waiting === undefined ? undefined : actions(waiting));
    assert.deepEqual([tone, text], want);
  });

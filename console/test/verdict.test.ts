import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verdictOf } from '../src/overview/verdict.ts';

type Facts = Parameters<typeof verdictOf>[0][number];

const calm: Facts = {
  name: 'aws',
  counts: { InSync: 9, Unmanaged: 4 },
  observed: { at: '2027-01-31T08:00:00.000Z', ageSeconds: 40, complete: true, gaps: [] },
  everySeconds: 300,
};

const gap = { kind: 'instance', code: 'denied', reason: 'no permission' } as const;
const actions = (count: number) => ({ actions: Array.from({ length: count }) as never[] });
const held = { pauses: [], withheldChanges: [], stoppedRollouts: [], inGrace: [], halfReplaced: [] };
const counted = (counts: Facts['counts']): Facts => ({ ...calm, counts });

interface Case {
  readonly of: string;
  readonly targets: readonly Facts[];
  /** Pending actions; undefined: the approvals are not known. */
  readonly pending?: number | undefined;
  readonly isCurrent?: boolean;
  readonly want: readonly [string, string];
}

const cases: readonly Case[] = [
  { of: 'no target', targets: [], want: ['unknown', 'No targets yet: the active specs name none that you may see.'] },
  { of: 'all in sync', targets: [calm], want: ['well', 'All is well: 9 resources in sync on 1 target'] },
  {
    of: 'unknown approvals: not well',
    targets: [calm, { ...calm, name: 'gcp' }],
    pending: undefined,
    want: ['unknown', 'No concern on 2 targets so far; pending approvals are not known'],
  },
  {
    of: 'a failed newest request: not well',
    targets: [calm],
    isCurrent: false,
    want: ['unknown', 'No concern on 1 target at the last answer; the newest request failed'],
  },
  {
    of: 'a concern of an earlier answer stays',
    targets: [counted({ Failed: 1 })],
    pending: undefined,
    isCurrent: false,
    want: ['wrong', '1 resource failed, and a person must act'],
  },
  {
    of: 'work under way is no concern',
    targets: [counted({ InSync: 8, Settling: 1 }), { ...calm, name: 'gcp' }],
    want: ['well', 'All is well: 17 resources in sync on 2 targets; Setpoint is at work on 1 resource'],
  },
  {
    of: 'failures',
    targets: [counted({ Failed: 2 })],
    want: ['wrong', '2 resources failed, and a person must act'],
  },
  {
    of: 'a quarantine',
    targets: [{ ...calm, held: { ...held, quarantine: { since: '2027-01-31T08:00:00.000Z', generation: 4 } } }],
    want: ['wrong', 'aws is in quarantine: its reconciles keep failing'],
  },
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
    of: 'a gap',
    targets: [{ ...calm, observed: { ...calm.observed, complete: false, gaps: [gap] } }],
    want: ['wrong', 'Setpoint could not list instance of aws'],
  },
  {
    of: 'missing resources',
    targets: [counted({ Missing: 1 })],
    want: ['wrong', 'Somebody removed 1 resource outside Setpoint'],
  },
  { of: 'drift', targets: [counted({ Drifted: 2 })], want: ['attention', '2 resources drifted'] },
  {
    of: 'a stopped rollout',
    targets: [
      {
        ...calm,
        held: { ...held, stoppedRollouts: [{ document: 'Instance/web', reason: 'a check failed', generation: 4 }] },
      },
    ],
    want: ['attention', 'A rollout on aws stopped: a check failed'],
  },
  { of: 'blocked resources', targets: [counted({ Blocked: 1 })], want: ['attention', '1 resource is blocked'] },
  { of: 'approvals', targets: [calm], pending: 1, want: ['attention', '1 action waits for an approval'] },
  { of: 'orphans', targets: [counted({ Orphan: 2 })], want: ['attention', '2 orphans: no document asks for them'] },
  { of: 'pauses', targets: [counted({ Paused: 3 })], want: ['attention', 'A pause holds 3 resources'] },
];

for (const { of, targets, want, isCurrent = true, ...rest } of cases)
  test(`the first line of the overview: ${of}`, () => {
    const pending = 'pending' in rest ? rest.pending : 0;
    const { tone, text } = verdictOf(targets, pending === undefined ? undefined : actions(pending), isCurrent);
    assert.deepEqual([tone, text], want);
  });

test('the concerns stand in the order of their urgency', () => {
  const every: Facts = {
    ...calm,
    counts: { Paused: 1, Orphan: 1, Blocked: 1, Drifted: 1, Missing: 1, Failed: 1 },
    observed: { ageSeconds: 9_000, complete: false, gaps: [gap] },
    held: {
      ...held,
      quarantine: { since: '2027-01-31T08:00:00.000Z', generation: 4 },
      stoppedRollouts: [{ document: 'Instance/web', reason: 'a check failed', generation: 4 }],
    },
  };
  const { text, concerns } = verdictOf([every], actions(2), true);
  assert.deepEqual(
    concerns.map((concern) => concern.text),
    [
      '1 resource failed, and a person must act',
      'aws is in quarantine: its reconciles keep failing',
      'aws was last observed 2 h ago, and its interval is 5 min',
      'Setpoint could not list instance of aws',
      'Somebody removed 1 resource outside Setpoint',
      '1 resource drifted',
      'A rollout on aws stopped: a check failed',
      '1 resource is blocked',
      '2 actions wait for an approval',
      '1 orphan: no document asks for it',
      'A pause holds 1 resource',
    ],
  );
  assert.equal(text, concerns[0]?.text);
});

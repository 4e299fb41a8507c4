import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PendingIntent } from '../../src/core/knowledge.ts';
import type { Observed } from '../../src/core/observed.ts';
import type { Kind } from '../../src/core/resource.ts';
import { launchesSeen } from '../../src/engine/pending-intents.ts';
import type { Sighting } from '../../src/ports/inventory.ts';

const pending = (intent: string, kind: Kind): PendingIntent => ({
  intent,
  attempt: 1,
  address: `a/${kind}/x`,
  verb: 'create',
  at: 0,
  // why: nothing else of it is read
  draft: { kind, details: {} } as PendingIntent['draft'],
});
const shown = (id: string, intent: string | undefined, kind: Kind = 'instance'): Observed =>
  ({
    kind,
    id,
    signs: intent === 'unmarked' ? {} : { mark: { estate: 'acme', store: 's1', address: 'a', intent } },
  }) as Observed; // why: nothing else of it is read

/** The newest look first, as `history` answers. */
const histories: Readonly<Record<string, readonly number[]>> = { 'i-1': [30, 20, 10], 'i-2': [25], 'i-3': [5] };

const seen = async (resources: readonly Observed[], open: readonly PendingIntent[]) => {
  const asked: string[] = [];
  const first = await launchesSeen(
    { scope: 'a', at: 40, resources, gaps: [], pending: [], calls: 0 },
    { estate: 'acme', settled: new Map(), pending: open, applied: new Map(), unstuck: new Map() },
    {
      history: async (estate, id) => {
        asked.push(`${estate} ${id}`);
        // why: nothing else of it is read
        return (histories[id] ?? []).map((at) => ({ at }) as Sighting);
      },
    },
  );
  return { first: Object.fromEntries(first), asked };
};

/**
 *   the launch is | its mark shows on     | then it was seen first
 *   --------------+-----------------------+---------------------------------------
 *   open          | a machine seen before | at the oldest look that had the machine
 *   open          | a new machine         | at this look
 *   open          | nothing, another kind | never
 *   over, not one | a machine             | nobody asks
 */
const rows: readonly {
  readonly name: string;
  readonly resources: readonly Observed[];
  readonly open: readonly PendingIntent[];
  readonly first: Readonly<Record<string, number>>;
  readonly asked: readonly string[];
}[] = [
  {
    name: 'a machine of several looks: the oldest',
    resources: [shown('i-1', 'l1')],
    open: [pending('l1', 'instance')],
    first: { l1: 10 },
    asked: ['acme i-1'],
  },
  {
    name: 'a machine of one look: that',
    resources: [shown('i-2', 'l1')],
    open: [pending('l1', 'instance')],
    first: { l1: 25 },
    asked: ['acme i-2'],
  },
  {
    name: 'a machine that no look had: this look',
    resources: [shown('i-9', 'l1')],
    open: [pending('l1', 'instance')],
    first: { l1: 40 },
    asked: ['acme i-9'],
  },
  {
    name: 'several launches, each by its own machine',
    resources: [shown('i-1', 'l1'), shown('i-2', 'l2'), shown('i-3', 'l3')],
    open: [pending('l1', 'instance'), pending('l2', 'instance')],
    first: { l1: 10, l2: 25 },
    asked: ['acme i-1', 'acme i-2'],
  },
  {
    name: 'a launch of several machines: one of them, asked for once',
    resources: [shown('i-1', 'l1'), shown('i-2', 'l1')],
    open: [pending('l1', 'instance')],
    first: { l1: 25 },
    asked: ['acme i-2'],
  },
  {
    name: 'nothing of an open launch shows',
    resources: [],
    open: [pending('l1', 'instance')],
    first: {},
    asked: [],
  },
  {
    name: 'a mark without an intent, and a machine without a mark',
    resources: [shown('i-1', undefined), shown('i-2', 'unmarked')],
    open: [pending('l1', 'instance')],
    first: {},
    asked: [],
  },
  {
    name: 'the intent of an open launch on another kind of thing',
    resources: [shown('sg-1', 'l1', 'group')],
    open: [pending('l1', 'instance')],
    first: {},
    asked: [],
  },
  {
    name: 'an open creation of another kind, on a machine',
    resources: [shown('i-1', 'l1')],
    open: [pending('l1', 'network')],
    first: {},
    asked: [],
  },
];

for (const { name, resources, open, first, asked } of rows)
  test(name, async () => assert.deepEqual(await seen(resources, open), { first, asked }));

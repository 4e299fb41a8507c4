import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import type { FieldChange } from '../../src/core/diff.ts';
import type { PendingIntent } from '../../src/core/knowledge.ts';
import type { Observed } from '../../src/core/observed.ts';
import type { Attributes, Kind } from '../../src/core/resource.ts';
import { visibilityMs } from '../../src/engine/absence.ts';
import { launchesSeen } from '../../src/engine/pending-intents.ts';
import type { Sighting } from '../../src/ports/knowledge.ts';
import { observed, attributes as of } from '../support/actions.ts';
import { type Case, judge, marked, now, sent, settledAt, window } from './resolve-case.ts';

const net = observed('network', 'net-1', of.network());
const creation = (ageMs = 0): PendingIntent => sent('network', 'core', of.network(), { intent: 'i1', ageMs });
const gap = { gaps: [{ kind: 'network' as const, code: 'Denied', reason: 'no' }] };

const creations: readonly Case[] = [
  {
    name: 'its mark is there: it happened',
    pending: [creation()],
    seen: [marked(net, 'core', 'i1')],
    want: ['i1 ok claim:net-1 apply'],
  },
  { name: 'not seen yet: open', pending: [creation(window - 1)], want: [] },
  { name: 'not seen in the whole window: it never happened', pending: [creation(window)], want: ['i1 NeverHappened'] },
  { name: 'nobody looked: open', pending: [creation(window)], look: gap, want: [] },
  {
    name: 'twice: the planner judges twins',
    pending: [creation(window)],
    seen: [marked(net, 'core', 'i1'), marked({ ...net, id: 'net-2' }, 'core', 'i1')],
    want: [],
  },
  {
    name: 'the mark of another intent is another object',
    pending: [creation()],
    seen: [marked(net, 'core', 'i9')],
    want: [],
  },
  {
    name: 'so is that of another store',
    pending: [creation()],
    seen: [marked(net, 'core', 'i1', { store: 's2' })],
    want: [],
  },
  {
    name: 'what an update settled at its address is what was made; another with its mark is a copy',
    pending: [creation()],
    seen: [marked(net, 'core', 'i1'), marked({ ...net, id: 'net-2' }, 'core', 'i1')],
    settled: { 'net-1': settledAt('network', 'core') },
    want: ['i1 ok claim:net-1 apply'],
  },
  {
    name: 'what is settled elsewhere is not found again',
    pending: [creation()],
    seen: [marked(net, 'core', 'i1')],
    settled: { 'net-1': settledAt('network', 'other') },
    want: [],
  },
  {
    name: 'what is gone again was not found',
    pending: [creation()],
    seen: [{ ...marked(net, 'core', 'i1'), condition: { state: 'gone' } }],
    want: [],
  },
  { name: 'not shown for 330 s less a moment: open', pending: [creation(329_999)], want: [] },
  { name: 'not shown for 330 s: it never happened', pending: [creation(330_000)], want: ['i1 NeverHappened'] },
];

const machine = (id: string): Observed<'instance'> => observed('instance', id, of.instance());
const dead = (seen: Observed): Observed => ({ ...seen, condition: { state: 'gone' } });
const launch = (ageMs = 0): readonly PendingIntent[] =>
  ['web-0', 'web-1'].map((name, i) =>
    sent('instance', name, of.instance(), { intent: `i${i}`, ageMs, batch: 'launch' }),
  );
const ended: Case = {
  name: 'a machine without a mark that was ended says nothing of a launch',
  pending: launch(),
  seen: [dead(machine('inst-9'))],
  want: ['i0 unseen', 'i1 unseen'],
};
const rule = sent('firewall-rule', 'r', of.rule('core.web'), { intent: 'i1' });
const rawRule = observed('firewall-rule', 'sgr-1', { ...of.rule('core.web'), network: 'net-1', group: 'sg-1' });

const subnet = sent('subnet', 'core.app', of.subnet(), { intent: 'i1' });
const netOfOurs = marked(net, 'core', 'i0');
const batches: readonly Case[] = [
  {
    name: 'all machines of a launch bear the intent of its first',
    pending: launch(),
    seen: [marked(machine('i-a'), 'web-0', 'i0'), marked(machine('i-b'), 'web-1', 'i0')],
    want: ['i0 ok claim:i-a apply', 'i1 ok claim:i-b apply'],
  },
  {
    name: 'none is settled before all are seen, or the others would lose the name they go by',
    pending: launch(),
    seen: [marked(machine('i-a'), 'web-0', 'i0')],
    want: [],
  },
  {
    name: 'but what is made by its name bears its own intent, and is settled by itself',
    pending: launch(),
    seen: [marked(machine('i-a'), 'web-0', 'i0')],
    oneByName: ['instance'],
    want: ['i0 ok claim:i-a apply'],
  },
  {
    name: 'after the window each is what it is',
    pending: launch(window),
    seen: [marked(machine('i-a'), 'web-0', 'i0')],
    want: ['i0 ok claim:i-a apply', 'i1 again'],
  },
  {
    name: 'but one that came late may still show the others',
    pending: launch(window),
    seen: [marked(machine('i-a'), 'web-0', 'i0')],
    seenAt: { i0: now - visibilityMs + 1 },
    want: [],
  },
  {
    name: 'and not for ever',
    pending: launch(window),
    seen: [marked(machine('i-a'), 'web-0', 'i0')],
    seenAt: { i0: now - visibilityMs },
    want: ['i0 ok claim:i-a apply', 'i1 again'],
  },
  {
    name: 'a launch that was not seen in the whole window may come late: it is sent again under its own intent',
    pending: launch(window),
    want: ['i0 again', 'i1 again'],
  },
  {
    name: 'while it may still show it is unseen',
    pending: launch(window - 1),
    want: ['i0 unseen', 'i1 unseen'],
  },
  {
    name: 'nor where nobody looked',
    pending: launch(window),
    look: { gaps: [{ kind: 'instance', code: 'Denied', reason: 'no' }] },
    want: [],
  },
  {
    name: 'nor where two bear its mark',
    pending: launch(window).slice(0, 1),
    seen: [marked(machine('i-a'), 'web-0', 'i0'), marked(machine('i-b'), 'web-0', 'i0')],
    want: [],
  },
  {
    name: 'where the cloud keeps names unique there is no token to keep',
    pending: launch(window),
    oneByName: ['instance'],
    want: ['i0 NeverHappened', 'i1 NeverHappened'],
  },
  {
    name: 'a machine that was made and terminated since has spent the token of its launch',
    pending: launch(),
    seen: [dead(marked(machine('i-a'), 'web-0', 'i0')), marked(machine('i-b'), 'web-1', 'i0')],
    want: ['i0 Gone', 'i1 ok claim:i-b apply'],
  },
  {
    name: 'the one that it replaces bore another intent',
    pending: launch(window).slice(0, 1),
    seen: [dead(marked(machine('i-a'), 'web-0', 'i9'))],
    want: ['i0 again'],
  },
  {
    name: 'a subnet that bears no mark is known by its block in its network',
    pending: [subnet],
    seen: [
      netOfOurs,
      { ...observed('subnet', 'sub-1', { ...of.subnet(), network: 'net-1' }), signs: { parent: 'net-1' } },
    ],
    settled: { 'net-1': settledAt('network', 'core') },
    want: ['i1 ok claim:sub-1 apply'],
  },
  {
    name: 'one of another block is another subnet',
    pending: [subnet],
    seen: [
      netOfOurs,
      {
        ...observed('subnet', 'sub-1', { ...of.subnet('core', '10.0.9.0/24'), network: 'net-1' }),
        signs: { parent: 'net-1' },
      },
    ],
    settled: { 'net-1': settledAt('network', 'core') },
    want: [],
  },
  {
    name: 'a rule without a mark is known by its content',
    pending: [rule],
    seen: [{ ...rawRule, signs: { container: 'sg-1' } }, net, observed('group', 'sg-1', of.group())],
    settled: { 'net-1': settledAt('network', 'core'), 'sg-1': settledAt('group', 'core.web') },
    want: ['i1 ok claim:sgr-1 apply'],
  },
  {
    name: 'even where its group was made in the same breath',
    pending: [rule, sent('group', 'core.web', of.group(), { intent: 'i2' })],
    seen: [
      { ...rawRule, signs: { container: 'sg-1' } },
      net,
      marked(observed('group', 'sg-1', of.group()), 'core.web', 'i2'),
    ],
    settled: { 'net-1': settledAt('network', 'core') },
    want: ['i1 ok claim:sgr-1 apply', 'i2 ok claim:sg-1 apply'],
  },
];

const ours = { 'net-1': settledAt('network', 'core') };
const change = (verb: PendingIntent['verb'], attributes: Attributes['network'], ageMs = 0): PendingIntent =>
  sent('network', 'core', attributes, { intent: 'i1', verb, id: 'net-1', ageMs });
const labelled = { ...of.network(), labels: { tier: 'a' } };

const updated = (labels: Readonly<Record<string, string>>, changes: readonly FieldChange[], ageMs = 0): PendingIntent =>
  sent('network', 'core', { ...of.network(), labels }, { intent: 'i1', verb: 'update', id: 'net-1', ageMs, changes });
const withLabels = (labels: Readonly<Record<string, string>>) => ({ ...net, attributes: { ...of.network(), labels } });
const toTier = [{ field: 'labels.tier', from: 'a', to: 'b' }];

const changes: readonly Case[] = [
  {
    name: 'an update of one field, beside other drift that was left alone',
    pending: [updated({ tier: 'b', team: 'web' }, toTier)],
    seen: [withLabels({ tier: 'b', team: 'by hand' })],
    settled: ours,
    want: ['i1 ok claim:net-1 apply'],
  },
  {
    name: 'an update of one field that is not there, beside other drift',
    pending: [updated({ tier: 'b', team: 'web' }, toTier, window)],
    seen: [withLabels({ tier: 'a', team: 'by hand' })],
    settled: ours,
    want: ['i1 Unanswered'],
  },
  {
    name: 'an update of a mark alone, beside other drift, proves nothing',
    pending: [updated({ team: 'web' }, [{ field: 'mark', from: 'a', to: 'b' }])],
    seen: [withLabels({ team: 'by hand' })],
    settled: ours,
    want: [],
  },
  {
    name: 'a field that was to be removed, and is still there',
    pending: [updated({ team: 'web' }, [{ field: 'labels.tier', from: 'a' }])],
    seen: [withLabels({ tier: 'a', team: 'web' })],
    settled: ours,
    want: [],
  },
  {
    name: 'a field that was to be removed, and is gone',
    pending: [updated({ team: 'web' }, [{ field: 'labels.tier', from: 'a' }])],
    seen: [withLabels({ team: 'web' })],
    settled: ours,
    want: ['i1 ok claim:net-1 apply'],
  },
  {
    name: 'an update that is there',
    pending: [change('update', of.network())],
    seen: [net],
    settled: ours,
    want: ['i1 ok claim:net-1 apply'],
  },
  {
    name: 'an update that is not there may be planned again',
    pending: [change('update', labelled)],
    seen: [net],
    settled: ours,
    want: [],
  },
  {
    name: 'but not for ever',
    pending: [change('update', labelled, window)],
    seen: [net],
    settled: ours,
    want: ['i1 Unanswered'],
  },
  {
    name: 'an adoption that is there',
    pending: [change('adopt', of.network())],
    seen: [net],
    want: ['i1 ok claim:net-1 apply'],
  },
  { name: 'what was to be updated is gone', pending: [change('update', labelled)], settled: ours, want: ['i1 Gone'] },
  {
    name: 'a removal, and it is gone',
    pending: [change('delete', of.network())],
    settled: ours,
    want: ['i1 ok deleted:net-1 unapply'],
  },
  {
    name: 'a removal, and it still stands',
    pending: [change('delete', of.network())],
    seen: [net],
    settled: ours,
    want: [],
  },
  {
    name: 'a removal, and nobody looked',
    pending: [change('delete', of.network())],
    settled: ours,
    look: gap,
    want: [],
  },
  {
    name: 'a removal, and the listing is too young to tell',
    pending: [change('delete', of.network())],
    settled: ours,
    look: { pending: ['net-1'] },
    want: [],
  },
  { name: 'forgetting calls no cloud', pending: [change('forget', of.network())], want: ['i1 ok release:net-1'] },
];

const late = creation(window);
const lateSubnet = sent('subnet', 'core.app', of.subnet(), { intent: 'i2', ageMs: window });
const subnetIn = (network: string): Observed<'subnet'> => observed('subnet', 'sub-1', { ...of.subnet(), network });
const otherNet = observed('network', 'net-1', { ...of.network(), cidr: '10.9.0.0/16' });
const launched = sent('instance', 'web-0', of.instance(), { intent: 'i1', ageMs: window });
const successor: PendingIntent = {
  ...launched,
  draft: { kind: 'instance', details: { ...launched.draft.details, successorOf: 'inst-old' } },
};
const predecessor = machine('inst-old');
const around = [observed('subnet', 'sub-1', of.subnet()), observed('group', 'sg-1', of.group())];
const settledAround = { 'sub-1': settledAt('subnet', 'core.app'), 'sg-1': settledAt('group', 'core.web') };
const machineIn = (id: string): Observed<'instance'> =>
  observed('instance', id, { ...of.instance(), placement: { subnet: 'sub-1', publicIp: false }, groups: ['sg-1'] });
const closed: readonly Case[] = [
  {
    name: 'its object came late, as it was meant: it happened',
    pending: [],
    expiredIntents: [late],
    seen: [marked(net, 'core', 'i1')],
    want: ['i1 ok claim:net-1 apply'],
  },
  {
    name: 'its subnet came late too: both happened, in whichever order they are told',
    pending: [],
    expiredIntents: [lateSubnet, late],
    seen: [marked(subnetIn('net-1'), 'core.app', 'i2'), marked(net, 'core', 'i1')],
    want: ['i1 ok claim:net-1 apply', 'i2 ok claim:sub-1 apply'],
  },
  {
    name: 'its subnet came late in a network with a copy of its mark: neither is taken',
    pending: [],
    expiredIntents: [late, lateSubnet],
    seen: [marked(otherNet, 'core', 'i1'), marked(subnetIn('net-1'), 'core.app', 'i2')],
    want: [],
  },
  {
    name: 'nothing shows: it stays closed',
    pending: [],
    expiredIntents: [late],
    want: [],
  },
  {
    name: 'another object with a copy of its mark is not what was meant',
    pending: [],
    expiredIntents: [late],
    seen: [marked(otherNet, 'core', 'i1')],
    want: [],
  },
  {
    name: 'two objects bear its mark: a person judges',
    pending: [],
    expiredIntents: [late],
    seen: [marked(net, 'core', 'i1'), marked({ ...net, id: 'net-2' }, 'core', 'i1')],
    want: [],
  },
  {
    name: 'another of ours stands in its place: the planner judges twins',
    pending: [],
    expiredIntents: [late],
    seen: [marked(net, 'core', 'i1'), { ...net, id: 'net-2' }],
    settled: { 'net-2': settledAt('network', 'core') },
    want: [],
  },
  {
    name: 'an object alike that bears no mark is not its object',
    pending: [],
    expiredIntents: [{ ...rule, at: 0 }],
    seen: [{ ...rawRule, signs: { container: 'sg-1' } }, net, observed('group', 'sg-1', of.group())],
    settled: { 'net-1': settledAt('network', 'core'), 'sg-1': settledAt('group', 'core.web') },
    want: [],
  },
  {
    name: 'a machine that was launched in the place of another came late: it goes on from there',
    pending: [],
    expiredIntents: [successor],
    seen: [marked(machineIn('inst-new'), 'web-0', 'i1'), predecessor, ...around],
    settled: { 'inst-old': settledAt('instance', 'web-0'), ...settledAround },
    want: ['i1 ok claim:inst-new'],
  },
  {
    name: 'but not where a third took the place',
    pending: [],
    expiredIntents: [successor],
    seen: [marked(machineIn('inst-new'), 'web-0', 'i1'), predecessor, machine('inst-3'), ...around],
    settled: {
      'inst-old': settledAt('instance', 'web-0'),
      'inst-3': settledAt('instance', 'web-0'),
      ...settledAround,
    },
    want: [],
  },
];

describe('resolve, creations', () => {
  for (const row of creations) it(row.name, () => assert.deepEqual(judge(row), row.want));
});
describe('resolve, what was sent together', () => {
  for (const row of [...batches, ended]) it(row.name, () => assert.deepEqual(judge(row), row.want));
});
describe('resolve, creations that were closed as never happened', () => {
  for (const row of closed) it(row.name, () => assert.deepEqual(judge(row), row.want));
});
describe('resolve, changes and removals', () => {
  for (const row of changes) it(row.name, () => assert.deepEqual(judge(row), row.want));
});

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

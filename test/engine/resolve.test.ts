import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Knowledge, PendingIntent, Settled } from '../../src/core/knowledge.ts';
import type { Mark, Observation, Observed } from '../../src/core/observed.ts';
import type { Attributes, Kind } from '../../src/core/resource.ts';
import { visibilityMs } from '../../src/engine/observe.ts';
import { resolve } from '../../src/engine/resolve.ts';
import { freshMs } from '../../src/engine/send.ts';
import { at, observed, attributes as of } from '../support/actions.ts';

const now = 10_000_000;
const window = visibilityMs + freshMs;
const terms = { deletionPolicy: 'delete', protect: false, storeOnly: false } as const;

interface Sent {
  readonly intent: string;
  readonly verb?: PendingIntent['verb'];
  readonly id?: string;
  readonly ageMs?: number;
  readonly batch?: string;
}

/** An intent that nobody settled. */
function sent(kind: Kind, name: string, attributes: Attributes[Kind], how: Sent): PendingIntent {
  const { intent, verb = 'create', id, ageMs = 0, batch = intent } = how;
  return {
    intent,
    attempt: 1,
    address: at(kind, name),
    verb,
    at: now - ageMs,
    draft: { kind, ...(id === undefined ? {} : { id }), details: { attributes, terms, batch } },
  };
}

const marked = <K extends Kind>(
  seen: Observed<K>,
  name: string,
  intent: string,
  more: Partial<Mark> = {},
): Observed<K> => ({
  ...seen,
  signs: { mark: { estate: 'acme', store: 's1', address: at(seen.kind, name), intent, ...more } },
});
const settledAt = (kind: Kind, name: string): Settled => ({ address: at(kind, name), kind, lastWriteAt: 0, terms });

interface Case {
  readonly name: string;
  readonly pending: readonly PendingIntent[];
  readonly seen?: readonly Observed[];
  readonly look?: Partial<Observation>;
  readonly settled?: Readonly<Record<string, Settled>>;
  readonly oneByName?: readonly Kind[];
  /** `i1 ok claim:id apply`, or `i1 Code`. */
  readonly want: readonly string[];
}

function judge({ pending, seen = [], look = {}, settled = {}, oneByName = [] }: Case): readonly string[] {
  const observation: Observation = { scope: 's', at: now, resources: seen, gaps: [], pending: [], calls: 0, ...look };
  const knowledge: Knowledge = {
    estate: 'acme',
    store: 's1',
    settled: new Map(Object.entries(settled)),
    pending,
    applied: new Map(),
    unstuck: new Map(),
  };
  return resolve(observation, knowledge, oneByName).map(({ intent, outcome, effects, closes }) => {
    assert.ok(closes, 'what is settled here is closed');
    if (!outcome.ok) return `${intent} ${outcome.failure.code}`;
    const done = effects.map((effect) => {
      if (effect.do === 'claim') return `claim:${effect.subject.id}`;
      return effect.do === 'release' ? `release:${effect.id}` : effect.do;
    });
    return [intent, 'ok', ...done].join(' ');
  });
}

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
];

const machine = (id: string): Observed<'instance'> => observed('instance', id, of.instance());
const launch = (ageMs = 0): readonly PendingIntent[] =>
  ['web-0', 'web-1'].map((name, i) =>
    sent('instance', name, of.instance(), { intent: `i${i}`, ageMs, batch: 'launch' }),
  );
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
    want: ['i0 ok claim:i-a apply', 'i1 NeverHappened'],
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

const changes: readonly Case[] = [
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
    want: ['i1 ok release:net-1 unapply'],
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

describe('resolve, creations', () => {
  for (const row of creations) it(row.name, () => assert.deepEqual(judge(row), row.want));
});
describe('resolve, what was sent together', () => {
  for (const row of batches) it(row.name, () => assert.deepEqual(judge(row), row.want));
});
describe('resolve, changes and removals', () => {
  for (const row of changes) it(row.name, () => assert.deepEqual(judge(row), row.want));
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Effect, Finding, Plan, PlannedAction } from '../src/api.d.ts';
import {
  byUrgency,
  type DriftEntry,
  dangerOf,
  entriesOf,
  grouped,
  matches,
  unknownPlaces,
} from '../src/drift/entries.ts';
import { following, healedMs, nothingShown, settled } from '../src/drift/steady-list.ts';
import { countText, nothingText, summaryText, trafficBadge, trafficText } from '../src/drift/words.ts';

const scope = 'aws/111122223333/eu-west-1';
const at = (kind: string, name: string): string => `${scope}/${kind}/${name}`;
const document = (kind: string, name: string, owner?: string) => ({
  address: at(kind, name),
  file: 'a.yaml',
  line: 3,
  owner,
});
const by = (actor: string, when = '2027-01-31T08:00:00.000Z') => ({ actor, action: 'Call', event: 'e1', at: when });

// why: the console reads these fields of an action alone
const action = (fields: object): PlannedAction =>
  ({
    kind: 'instance',
    documents: [],
    cause: 'drift',
    digest: 'd',
    scope,
    healing: 'undoes',
    ...fields,
  }) as unknown as PlannedAction;

const tagged = (name: string, more: object = {}) =>
  action({
    ...{ verb: 'update', address: at('instance', name), documents: [document('instance', name, 'team-a')] },
    ...{ desired: { name }, observed: { name, id: `i-${name}` } },
    changes: [{ field: 'labels.tier', from: 'toms', to: 'web' }],
    ...more,
  });

const opened = action({
  ...{ verb: 'delete', kind: 'firewall-rule', address: at('firewall-rule', 'core.web.22'), reason: 'undeclared' },
  observed: { name: '', id: 'sgr-1', attributes: { match: { ports: '22', peers: ['0.0.0.0/0'] } } },
});

const closed = action({
  ...{ verb: 'create', kind: 'firewall-rule', address: at('firewall-rule', 'core.web.443'), reason: 'absent' },
  ...{
    documents: [document('firewall-rule', 'web', 'team-b')],
    desired: { name: '', attributes: { match: { ports: '443' } } },
  },
});

const anyone = { cidr: '0.0.0.0/0', anyone: true };
const machines = (exposed: number) => ({
  ...{ network: 'core', groups: ['core.web'], names: [], count: 2, instances: [], exposed, maybeExposed: 0 },
});
const traffic = (ports: string, resource: string, exposed = 1) => ({
  ...{ scope, from: anyone, to: machines(exposed), resources: [resource] },
  services: [{ protocol: 'tcp', ports }],
});

const effect: Effect = {
  opens: [traffic('22', at('firewall-rule', 'core.web.22'))],
  cuts: [traffic('443', at('firewall-rule', 'web'))],
  ...{ unknown: [], idle: [], gaps: [] },
};

const planOf = (actions: readonly PlannedAction[], findings: readonly Finding[] = [], of: Partial<Plan> = {}): Plan =>
  ({
    ...{ estate: 'acme', actions, findings, effect },
    scopes: [{ scope, targets: ['aws'], observed: { at: '2027-01-31T12:04:00.000Z', complete: true, gaps: [] } }],
    observed: { at: '2027-01-31T12:04:00.000Z', complete: true, gaps: [] },
    ...of,
  }) as unknown as Plan;

const entriesIn = (...actions: readonly PlannedAction[]): readonly DriftEntry[] => entriesOf(planOf(actions));
const names = (entries: readonly DriftEntry[]): readonly string[] => entries.map(({ name }) => name);
const only = <T>([one]: readonly T[]): T => one ?? assert.fail('there is none');

test('an entry has its cause, fields, owner, traffic and fate', () => {
  const [rule, missing, tag] = entriesIn(opened, closed, tagged('web-0'));
  assert.deepEqual(
    [rule?.cause, rule?.name, rule?.owners, rule?.traffic.map(trafficText)],
    ['undeclared', 'core.web.22', [], ['Opened 22/tcp to core.web (2 machines) from 0.0.0.0/0, the internet']],
  );
  assert.deepEqual([rule?.differences.at(-1)?.field, rule?.differences.at(-1)?.observed], ['match.ports', '22']);
  assert.deepEqual(
    [missing?.cause, missing?.owners, missing?.traffic.map(({ change }) => change)],
    ['missing', ['team-b'], ['cuts']],
  );
  assert.deepEqual(tag?.differences, [{ field: 'labels.tier', desired: 'web', observed: 'toms' }]);
  assert.equal(tag === undefined ? '' : summaryText(tag), 'labels.tier: web → toms');
  assert.deepEqual(tag?.fate, { type: 'healed', healing: 'undoes' });
});

test('a withheld change is one entry, with its reason', () => {
  const withheld = { code: 'mode', reason: 'its mode is plan' } as const;
  const finding = {
    type: 'withheld',
    action: 'update',
    address: at('instance', 'web-0'),
    kind: 'instance',
    code: 'mode',
  };
  // why: other fields of a finding are not read here
  const found = { ...finding, reason: 'its mode is plan', scope } as unknown as Finding;
  const entries = entriesOf(planOf([tagged('web-0', { withheld })], [found]));
  assert.deepEqual(only(entries).fate, { type: 'withheld', withholding: withheld });
  assert.equal(countText(entries), '1 difference, 1 withheld');
});

test('two parts of the drift of one resource have two keys', () => {
  const keys = entriesIn(tagged('web-0'), tagged('web-0')).map(({ key }) => key);
  assert.equal(new Set(keys).size, 2);
});

const dangers: readonly (readonly [of: string, line: Partial<Effect>, want: number])[] = [
  ['opens from the internet to an exposed machine', { opens: [traffic('22', 'r')] }, 0],
  ['opens from the internet, and no machine is exposed', { opens: [traffic('22', 'r', 0)] }, 1],
  ['may open from the internet', { unknown: [{ ...traffic('22', 'r'), change: 'opens', reasons: ['x'] }] }, 1],
  ['opens from elsewhere', { opens: [{ ...traffic('22', 'r'), from: { cidr: '10.0.0.0/8', anyone: false } }] }, 2],
  ['cuts', { cuts: [traffic('22', 'r')] }, 3],
  ['opens and cuts', { opens: [traffic('22', 'r')], cuts: [traffic('80', 'r')] }, 0],
  ['no traffic', {}, 4],
];

for (const [of, line, want] of dangers)
  test(`danger: ${of}`, () => {
    const none: Effect = { opens: [], cuts: [], unknown: [], idle: [], gaps: [] };
    const plan = planOf([tagged('r', { address: 'r' })], [], { effect: { ...none, ...line } });
    assert.equal(dangerOf(only(entriesOf(plan))), want);
  });

test('traffic that drift opened is first, then cut traffic, then the critical, then the newest', () => {
  const late = '2027-01-31T09:00:00.000Z';
  const entries = entriesIn(
    tagged('plain', { lastModifiedBy: by('a') }),
    tagged('newer', { lastModifiedBy: by('a', late) }),
    tagged('grave', { criticality: 'critical' }),
    closed,
    opened,
  );
  const sorted = entries.toSorted(byUrgency);
  assert.deepEqual(names(sorted), ['core.web.22', 'core.web.443', 'grave', 'newer', 'plain']);
  assert.equal(trafficBadge(only(sorted))?.text, 'Opened 22/tcp to the internet');
});

test('groups: the dangerous one first, with the other criterion within', () => {
  const entries = entriesIn(
    tagged('web-0', { lastModifiedBy: by('eve') }),
    tagged('web-1', { lastModifiedBy: by('bob') }),
    action({ ...opened, lastModifiedBy: by('bob') }),
    tagged('web-2'),
  );
  const shape = (...of: Parameters<typeof grouped<DriftEntry>>) =>
    grouped(...of).map(({ name, parts }) => [name, parts.map((part) => [part.name, part.entries.length])]);
  const self = (one: DriftEntry): DriftEntry => one;
  assert.deepEqual(shape(entries, 'cause', self), [
    ['No document states it', [['bob', 1]]],
    [
      'Changed outside Setpoint',
      [
        ['Author unknown', 1],
        ['bob', 1],
        ['eve', 1],
      ],
    ],
  ]);
  assert.deepEqual(shape(entries, 'author', self).map(only), ['bob', 'Author unknown', 'eve']);
  assert.deepEqual(shape(entries, 'owner', self).map(only), ['No owner', 'team-a']);
});

test('a group is as dangerous as its worst entry', () => {
  const entries = entriesIn(
    ...[tagged('a', { lastModifiedBy: by('eve') }), tagged('b', { lastModifiedBy: by('eve') })],
    ...[action({ ...opened, lastModifiedBy: by('eve') }), action({ ...closed, lastModifiedBy: by('bob') })],
  );
  const order = grouped(entries, 'author', (one) => one).map(({ name }) => name);
  assert.deepEqual(order, ['eve', 'bob']);
});

test('the filter is of words, in any field and any case', () => {
  const entry = only(entriesIn(tagged('web-0', { lastModifiedBy: by('arn:aws:iam::1:user/Bob') })));
  for (const text of ['', 'WEB-0', 'labels.tier', 'toms bob', 'team-a instance', scope])
    assert.ok(matches(entry, text), text);
  assert.ok(!matches(entry, 'web-0 alice'));
});

const observedAt = Date.parse('2027-01-31T12:04:00.000Z');

test('a place that nobody could observe is unknown, and no entry', () => {
  const gap = { kind: 'instance', code: 'denied', reason: 'no permission' } as const;
  const seen = {
    scope,
    targets: [],
    calls: { predicted: 0 },
    observed: { at: '2027-01-31T12:04:00.000Z', complete: false, gaps: [gap] },
  };
  const never = { ...seen, scope: 'gcp/p', observed: { complete: false, gaps: [] } };
  const incomplete = { type: 'incomplete', kind: 'instance', code: 'denied', reason: 'not listed', scope } as const;
  const plan = planOf([], [incomplete], { scopes: [seen, never], observed: { ...seen.observed } });
  assert.deepEqual(entriesOf(plan), []);
  assert.deepEqual(unknownPlaces(plan), [
    { scope, reason: 'Setpoint could not list instance: no permission' },
    { scope: 'gcp/p', reason: 'Nobody has observed it yet' },
  ]);
  assert.match(nothingText(plan, observedAt), /^Nothing that Setpoint could observe differs, as of \d\d:\d\d$/);
  assert.match(nothingText(planOf([]), observedAt), /^Nothing differs, as of \d\d:\d\d$/);
  assert.match(
    nothingText(planOf([]), observedAt + 36 * 3_600_000),
    /^Nothing differs, as of \d+ \w+ 2027, \d\d:\d\d$/,
    'of another day with the date',
  );
});

test('while the reader is in the list no row moves: healed ones say so, new ones wait', () => {
  const before = following(nothingShown, entriesIn(tagged('a'), tagged('b')), { now: 0, isHeld: false });
  const fresh = entriesIn(opened, tagged('b'));
  const held = following(before, fresh, { now: 1_000, isHeld: true });
  assert.deepEqual(
    held.rows.map(({ entry, healedAt }) => [entry.name, healedAt]),
    [
      ['a', 1_000],
      ['b', undefined],
    ],
  );
  assert.equal(held.waiting, 1);
  const key = only(held.rows).entry.key;
  assert.equal(settled(held, 90_000, key).rows.length, 2, 'the reader is at it');
  assert.deepEqual(names(settled(held, 90_000).rows.map(({ entry }) => entry)), ['b']);
  const free = following(held, fresh, { now: 2_000, isHeld: false });
  assert.deepEqual(names(free.rows.map(({ entry }) => entry)), ['a', 'b', 'core.web.22']);
  assert.equal(free.waiting, 0);
  const later = following(free, fresh, { now: 1_000 + healedMs, isHeld: false });
  assert.deepEqual(names(later.rows.map(({ entry }) => entry)), ['b', 'core.web.22']);
});

test('a row that differs again is no longer healed, and a changed row keeps its place', () => {
  const first = following(nothingShown, entriesIn(tagged('a')), { now: 0, isHeld: false });
  const gone = following(first, [], { now: 1, isHeld: true });
  const again = following(gone, entriesIn(tagged('a', { criticality: 'critical' })), { now: 2, isHeld: true });
  const { entry, placed, healedAt } = only(again.rows);
  assert.deepEqual([entry.criticality, placed.criticality, healedAt], ['critical', undefined, undefined]);
});

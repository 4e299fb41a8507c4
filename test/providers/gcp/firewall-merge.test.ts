import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mergeRule, type Rule } from '../../../providers/gcp/firewall-merge.ts';
import type { RuleMatch } from '../../../src/core/resource.ts';

interface Said extends Partial<Omit<RuleMatch, 'direction'>> {
  readonly description?: string;
  readonly order?: Partial<Rule['order']>;
}

const rule = ({ description = '', order, ...match }: Said): Rule => ({
  match: {
    direction: 'ingress',
    action: 'allow',
    protocol: 'tcp',
    ports: '443',
    peers: ['10.0.0.0/8'],
    targets: ['tag:web'],
    ...match,
  },
  description,
  order: { priority: 1000, disabled: false, log: false, ...order },
});

interface Row {
  readonly name: string;
  readonly planned?: Said;
  readonly wanted: Said;
  readonly now: Said;
  /** The rule that is written, or the field of the conflict. */
  readonly gives: Said | string;
}

const [ours, theirs, other] = ['10.0.0.0/8', '192.0.2.0/24', '198.51.100.0/24'];

const rows: readonly Row[] = [
  { name: 'nothing moved', wanted: { ports: '80,443' }, now: {}, gives: { ports: '80,443' } },
  {
    name: 'a block is added beside one of theirs',
    wanted: { peers: [ours, other] },
    now: { peers: [ours, theirs] },
    gives: { peers: [ours, theirs, other].toSorted() },
  },
  {
    name: 'a planned removal is made, and their block stays',
    planned: { peers: ['0.0.0.0/0', ours] },
    wanted: { peers: [ours] },
    now: { peers: ['0.0.0.0/0', ours, theirs] },
    gives: { peers: [ours, theirs] },
  },
  {
    name: 'a planned removal is made where they turned to other ports and targets',
    planned: { peers: ['0.0.0.0/0', ours] },
    wanted: { peers: [ours] },
    now: { peers: ['0.0.0.0/0', ours], ports: '22,443', targets: ['tag:db', 'tag:web'], order: { priority: 7 } },
    gives: { ports: '22,443', targets: ['tag:db', 'tag:web'], order: { priority: 7 } },
  },
  {
    name: 'they made the planned removal already',
    planned: { peers: ['0.0.0.0/0', ours] },
    wanted: { peers: [ours] },
    now: {},
    gives: {},
  },
  { name: 'it stands as wanted already', wanted: { ports: '80' }, now: { ports: '80' }, gives: { ports: '80' } },
  {
    name: 'a block that they took away stays away',
    wanted: { peers: [ours, other] },
    now: { peers: [theirs] },
    gives: { peers: [theirs, other] },
  },
  {
    name: 'a port is added beside ports of theirs',
    wanted: { ports: '443,8000-8100' },
    now: { ports: '22,443-450,8050' },
    gives: { ports: '22,443-450,8000-8100' },
  },
  {
    name: 'a range of ports is cut, and their port stays',
    planned: { ports: '8000-8100' },
    wanted: { ports: '8050-8100' },
    now: { ports: '22,8000-8100' },
    gives: { ports: '22,8050-8100' },
  },
  { name: 'they opened every port', wanted: { ports: '80,443' }, now: { ports: 'all' }, gives: { ports: 'all' } },
  {
    name: 'every port is narrowed to one, and they left less',
    planned: { ports: 'all' },
    wanted: { ports: '443' },
    now: { ports: '22,443' },
    gives: { ports: '443' },
  },
  {
    name: 'another protocol of theirs stays',
    wanted: { ports: '80,443' },
    now: { protocol: 'icmp,tcp', ports: 'icmp:all;tcp:443' },
    gives: { protocol: 'icmp,tcp', ports: 'icmp:all;tcp:80,443' },
  },
  {
    name: 'a protocol that nobody wrote goes, and the next one of theirs stays',
    planned: { protocol: 'tcp,udp', ports: 'tcp:443;udp:53' },
    wanted: {},
    now: { protocol: 'tcp,udp', ports: 'tcp:443;udp:53-54' },
    gives: { protocol: 'tcp,udp', ports: 'tcp:443;udp:54' },
  },
  {
    name: 'ports that are no numbers are replaced as they were listed',
    planned: { ports: 'http' },
    wanted: { ports: '80' },
    now: { ports: 'http' },
    gives: { ports: '80' },
  },
  {
    name: 'a field that is not planned stays',
    wanted: { description: 'site' },
    now: { peers: [ours, theirs], order: { priority: 7, log: true } },
    gives: { peers: [ours, theirs], description: 'site', order: { priority: 7, log: true } },
  },
  {
    name: 'an addition, and less of another list',
    planned: { peers: [ours, theirs] },
    wanted: { ports: '80,443', peers: [ours, theirs] },
    now: { peers: [ours] },
    gives: { ports: '80,443', peers: [ours] },
  },
  {
    name: 'everyone instead of a group',
    wanted: { targets: [] },
    now: { targets: ['tag:db', 'tag:web'] },
    gives: { targets: [] },
  },

  {
    name: 'a port would be opened to a block of theirs',
    wanted: { ports: '80,443' },
    now: { peers: [ours, theirs] },
    gives: 'match.peers',
  },
  {
    name: 'a block would reach a port of theirs',
    wanted: { peers: [ours, other] },
    now: { protocol: 'icmp,tcp', ports: 'icmp:all;tcp:443' },
    gives: 'match.ports',
  },
  {
    name: 'a port and a block are added, and the block would reach a port of theirs',
    wanted: { peers: [ours, other], ports: '80,443' },
    now: { ports: '22,443' },
    gives: 'match.ports',
  },
  {
    name: 'a block would reach everyone, as they took the last target away',
    wanted: { peers: [ours, other] },
    now: { targets: [] },
    gives: 'match.targets',
  },
  {
    name: 'a block would be let in by a rule that was off',
    planned: { order: { disabled: true } },
    wanted: { peers: [ours, other], order: { disabled: true } },
    now: { order: { disabled: false } },
    gives: 'order.disabled',
  },
  {
    name: 'a rule would be switched on with a block of theirs',
    planned: { order: { disabled: true } },
    wanted: { order: { disabled: false } },
    now: { peers: [ours, theirs], order: { disabled: true } },
    gives: 'match.peers',
  },
  {
    name: 'the priority moved elsewhere',
    wanted: { order: { priority: 7 } },
    now: { order: { priority: 8 } },
    gives: 'order.priority',
  },
  { name: 'so did the text', wanted: { description: 'site' }, now: { description: 'shop' }, gives: 'description' },
  {
    name: 'allow became deny: less of the rule would let through more',
    planned: { peers: [ours, theirs] },
    wanted: { peers: [ours] },
    now: { peers: [ours, theirs], action: 'deny' },
    gives: 'match.action',
  },
  {
    name: 'they took away the only block that was to stay',
    planned: { peers: [ours, theirs] },
    wanted: { peers: [ours] },
    now: { peers: [theirs] },
    gives: 'match.peers',
  },
  {
    name: 'they took away the only port that was to stay',
    planned: { ports: '22,443' },
    wanted: { ports: '443' },
    now: { ports: '22' },
    gives: 'match.ports',
  },
  {
    name: 'they took away the only group that was to stay',
    planned: { targets: ['tag:db', 'tag:web'] },
    wanted: { targets: ['tag:web'] },
    now: { targets: ['tag:db'] },
    gives: 'match.targets',
  },
];

/** As the planner names them. */
function fieldsOf(planned: Rule, wanted: Rule): readonly string[] {
  const differing = (a: object, b: object, prefix: string): readonly string[] =>
    Object.entries(a).flatMap(([key, value]) =>
      JSON.stringify(value) === JSON.stringify(Reflect.get(b, key)) ? [] : [`${prefix}${key}`],
    );
  return [
    ...differing(planned.match, wanted.match, 'match.'),
    ...differing(planned.order, wanted.order, 'order.'),
    ...(planned.description === wanted.description ? [] : ['description']),
  ];
}

describe('a rule that somebody else changed since it was listed', () => {
  for (const { name, planned = {}, wanted, now, gives } of rows)
    test(name, () => {
      const [from, to, at] = [rule(planned), rule(wanted), rule(now)];
      const merged = mergeRule({ planned: from, wanted: to, now: at, fields: fieldsOf(from, to) });
      if (typeof gives !== 'string') {
        assert.deepEqual(merged, { ok: true, value: rule(gives) });
        return;
      }
      assert.ok(!merged.ok && merged.failure.kind === 'conflict', JSON.stringify(merged));
      assert.match(merged.failure.message, new RegExp(`^somebody changed ${gives} after`));
    });
});

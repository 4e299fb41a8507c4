import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Action } from '../../../src/core/action.ts';
import type { Desired } from '../../../src/core/desired.ts';
import { nobodyAround, type Surroundings } from '../../../src/core/order/neighbours.ts';
import { order } from '../../../src/core/order/order.ts';
import type { RuleMatch } from '../../../src/core/resource.ts';
import {
  at,
  attributes,
  create,
  desired,
  observed,
  attributes as of,
  remove,
  replace,
  update,
} from '../../support/actions.ts';
import { regroup, waits } from '../../support/waits.ts';

const network = create(desired('network', 'core', of.network()));
const subnet = create(desired('subnet', 'core.app', of.subnet()));
const group = create(desired('group', 'core.web', of.group()));
const machine = create(desired('instance', 'web-0', of.instance()));
const wantedRule = desired('firewall-rule', 'new', of.rule('core.web', { peers: [`group:${at('group', 'core.lb')}`] }));
const rule = create(wantedRule);
const oldRule = remove('old', observed('firewall-rule', 'sgr-1', of.rule('core.web')));
const grow = (name: string, id: string): Action =>
  update(
    desired('instance', name, of.instance()),
    observed('instance', id, of.instance()),
    [{ field: 'machine.size', from: 'small', to: 'large' }],
    'stops',
  );

const email = 'web@acme-prod.iam.gserviceaccount.com';
const account = `service-account:${email}`;

/** The machine `web-0` of Google Cloud: its tags, and the service account that it runs as. */
const taggedAs = (groups: readonly string[], identity?: string) => ({
  ...of.instance(),
  groups,
  machine: { ...of.instance().machine, ...(identity === undefined ? {} : { identity }) },
});
const reidentified = (to: ReturnType<typeof taggedAs>, from: ReturnType<typeof taggedAs>): Action =>
  update(desired('instance', 'web-0', to), observed('instance', 'i-1', from), [
    { field: 'groups' },
    { field: 'machine.identity' },
  ]);

/** A rule that its network holds, for the group `web`. */
const named = (name: string, match: Partial<RuleMatch>): Desired<'firewall-rule'> => {
  const { group: _, ...rule } = of.rule('core.web', { targets: ['tag:web'], ...match });
  return desired('firewall-rule', name, rule);
};
const ranked = (priority: number, rule: Desired<'firewall-rule'>): Desired<'firewall-rule'> => ({
  ...rule,
  attributes: { ...rule.attributes, order: { priority } },
});
const adjust = (name: string, from: Partial<RuleMatch>, to: Partial<RuleMatch>): Action =>
  update(named(name, to), observed('firewall-rule', `fw-${name}`, named(name, from).attributes), [
    { field: 'match.ports' },
  ]);

interface Row {
  readonly name: string;
  readonly actions: readonly Action[];
  readonly around?: Surroundings;
  readonly want: readonly string[];
}

const rows: readonly Row[] = [
  {
    name: 'parents are made before what names them',
    actions: [network, subnet, group, machine],
    want: ['core.app: core', 'core.web: core', 'web-0: core.app core.web'],
  },
  { name: 'what stands already holds nothing up', actions: [machine], want: [] },
  {
    name: 'an update of the parent comes first, but its failure stops nobody',
    actions: [update(desired('network', 'core', of.network()), observed('network', 'vpc-1', of.network()), []), subnet],
    want: ['core.app: ~core'],
  },
  {
    name: 'a rule waits for its group and for the group it lets in',
    actions: [group, create(desired('group', 'core.lb', of.group())), rule],
    want: ['new: core.lb core.web'],
  },
  {
    name: 'a machine moves to another group after its rules stand there, and its old ones go after it has moved',
    actions: [
      create(desired('firewall-rule', 'into-new', of.rule('core.new'))),
      create(desired('firewall-rule', 'from-new', of.rule('core.db', { peers: [`group:${at('group', 'core.new')}`] }))),
      create(desired('firewall-rule', 'other', of.rule('core.other'))),
      update(
        desired('instance', 'web-0', of.instance('core.app', ['core.new'])),
        observed('instance', 'i-1', of.instance('core.app', ['core.web'])),
        [{ field: 'groups' }],
      ),
      remove('into-web', observed('firewall-rule', 'sgr-1', of.rule('core.web'))),
      remove(
        'from-web',
        observed('firewall-rule', 'sgr-2', of.rule('core.lb', { peers: [`group:${at('group', 'core.web')}`] })),
      ),
    ],
    around: {
      ...nobodyAround,
      members: [{ before: [at('group', 'core.web')], after: [at('group', 'core.new')], blocks: [] }],
      wanted: [of.rule('core.new'), of.rule('core.lb', { peers: [`group:${at('group', 'core.new')}`] })],
    },
    want: ['web-0: from-new into-new', 'into-web: into-new web-0', 'from-web: web-0'],
  },
  {
    name: 'what lets it through nowhere else goes at once',
    actions: [
      update(
        desired('instance', 'web-0', of.instance('core.app', ['core.new'])),
        observed('instance', 'i-1', of.instance('core.app', ['core.web'])),
        [{ field: 'groups' }],
      ),
      remove('into-web', observed('firewall-rule', 'sgr-1', of.rule('core.web'))),
    ],
    around: {
      ...nobodyAround,
      members: [{ before: [at('group', 'core.web')], after: [at('group', 'core.new')], blocks: [] }],
      wanted: [of.rule('core.new', { ports: '22' })],
    },
    want: ['web-0: ~into-web'],
  },
  {
    name: 'a rule lets traffic out of a machine once the old rule that let it into the other is gone',
    actions: [
      create(desired('firewall-rule', 'out', of.rule('core.web', { direction: 'egress', peers: ['10.0.0.0/8'] }))),
      create(desired('firewall-rule', 'udp', of.rule('core.web', { direction: 'egress', protocol: 'udp' }))),
      remove(
        'in',
        observed('firewall-rule', 'sgr-1', of.rule('core.db', { peers: [`group:${at('group', 'core.web')}`] })),
      ),
    ],
    want: ['out: ~in'],
  },
  {
    name: 'of two ends that are both replaced, the new rules do not wait for the old ones: nothing is shut',
    actions: [
      create(desired('firewall-rule', 'out', of.rule('core.web', { direction: 'egress', peers: ['10.0.0.0/8'] }))),
      create(desired('firewall-rule', 'in', of.rule('core.db', { peers: ['10.0.0.0/8'] }))),
      remove('old-out', observed('firewall-rule', 'sgr-1', of.rule('core.web', { direction: 'egress' }))),
      remove('old-in', observed('firewall-rule', 'sgr-2', of.rule('core.db'))),
    ],
    want: ['old-out: out', 'old-in: in'],
  },
  {
    name: 'a machine is launched once the old rules of its groups are gone, and not if one stays',
    actions: [
      create(desired('instance', 'web-0', of.instance('core.app', ['core.web']))),
      remove('into-web', observed('firewall-rule', 'sgr-1', of.rule('core.web', { peers: ['203.0.113.0/24'] }))),
      remove('into-db', observed('firewall-rule', 'sgr-2', of.rule('core.db', { peers: ['10.0.0.0/8'] }))),
      remove(
        'lb',
        observed('firewall-rule', 'sgr-3', of.rule('core.db', { peers: [`group:${at('group', 'core.lb')}`] })),
      ),
    ],
    around: { ...nobodyAround, blocks: ['10.0.0.0/16'] },
    want: ['web-0: into-web ~into-db'],
  },
  {
    name: 'a machine joins a group once the one that a rule of it lets in has left the other group',
    actions: [regroup('web-0', [], ['core.app']), regroup('db-0', ['core.db'], [])],
    around: {
      ...nobodyAround,
      members: [
        { before: [], after: [at('group', 'core.app')], blocks: [] },
        { before: [at('group', 'core.db')], after: [], blocks: [] },
      ],
      standing: [of.rule('core.app', { peers: [`group:${at('group', 'core.db')}`] })],
      wanted: [of.rule('core.app', { peers: [`group:${at('group', 'core.db')}`] })],
    },
    want: ['web-0: ~db-0'],
  },
  {
    name: 'a rule lets traffic in once the machine has left the group whose rule lets it out',
    actions: [
      regroup('db-0', ['core.db'], []),
      create(desired('firewall-rule', 'in', of.rule('core.web', { peers: ['10.0.0.0/8'] }))),
    ],
    around: {
      ...nobodyAround,
      members: [{ before: [at('group', 'core.db')], after: [], blocks: [] }],
      standing: [of.rule('core.db', { direction: 'egress', peers: ['10.0.0.0/8'] })],
      wanted: [of.rule('core.db', { direction: 'egress', peers: ['10.0.0.0/8'] })],
    },
    want: ['in: ~db-0'],
  },
  {
    name: 'two machines that each join what the other leaves wait for nobody: one call moves one machine',
    actions: [regroup('web-0', ['core.web'], ['core.db']), regroup('db-0', ['core.db'], ['core.web'])],
    around: {
      ...nobodyAround,
      members: [
        { before: [at('group', 'core.web')], after: [at('group', 'core.db')], blocks: [] },
        { before: [at('group', 'core.db')], after: [at('group', 'core.web')], blocks: [] },
      ],
      standing: ['core.web', 'core.db'].map((group) => of.rule(group, { peers: [`group:${at('group', group)}`] })),
      wanted: ['core.web', 'core.db'].map((group) => of.rule(group, { peers: [`group:${at('group', group)}`] })),
    },
    want: [],
  },
  {
    name: 'children go before their parents',
    actions: [
      remove('core', observed('network', 'vpc-1', of.network())),
      remove('core.app', observed('subnet', 'sn-1', of.subnet())),
      remove('web-0', observed('instance', 'i-1', of.instance())),
    ],
    want: ['core: core.app', 'core.app: web-0'],
  },
  {
    name: 'children that name their parent by id go before it too',
    actions: [
      remove('core', observed('network', 'vpc-1', of.network())),
      remove('core.app', observed('subnet', 'sn-1', { ...of.subnet(), network: 'vpc-1' })),
    ],
    want: ['core: core.app'],
  },
  {
    name: 'a group goes after its rules, after rules that let it in, and after machines that leave it',
    actions: [
      remove('core.web', observed('group', 'sg-1', of.group())),
      oldRule,
      remove('peer', observed('firewall-rule', 'sgr-2', wantedRule.attributes)),
      update(desired('instance', 'web-0', of.instance('core.app', [])), observed('instance', 'i-1', of.instance()), []),
    ],
    want: ['core.web: old peer web-0'],
  },
  {
    name: 'what a shrinking rule let through is let through by a new one first, or by one that widens',
    actions: [
      adjust('web', { ports: '80,443' }, { ports: '443' }),
      create(named('new', { ports: '80' })),
      adjust('wide', { ports: '22' }, { ports: '22,80' }),
      create(named('udp', { protocol: 'udp' })),
      create(named('db', { targets: ['tag:db'] })),
    ],
    want: ['web: new wide'],
  },
  {
    name: 'a rule goes after one that widens in its place',
    actions: [
      adjust('web', { ports: '443' }, { ports: '80,443' }),
      remove('old', observed('firewall-rule', 'fw-old', named('old', { ports: '80' }).attributes)),
    ],
    want: ['old: web'],
  },
  {
    name: 'what is denied is denied after what stays allowed',
    actions: [
      create(
        ranked(
          2000,
          named('deny', { direction: 'egress', action: 'deny', protocol: 'all', ports: 'all', targets: [] }),
        ),
      ),
      create(ranked(1000, named('out', { direction: 'egress' }))),
      create(ranked(1000, named('in', {}))),
    ],
    want: ['deny: out', 'in: ~deny'],
  },
  {
    name: 'and before what it outranks: else that would be let through for a while',
    actions: [
      create(ranked(100, named('deny', { action: 'deny' }))),
      create(ranked(1000, named('in', { ports: '80,443' }))),
      create(ranked(1000, named('other', { ports: '80' }))),
    ],
    want: ['in: deny'],
  },
  {
    name: 'of those that go, what was outranked goes first',
    actions: [
      remove('deny', observed('firewall-rule', 'fw-1', ranked(100, named('deny', { action: 'deny' })).attributes)),
      remove('in', observed('firewall-rule', 'fw-2', ranked(1000, named('in', {})).attributes)),
      remove('top', observed('firewall-rule', 'fw-3', ranked(10, named('top', {})).attributes)),
    ],
    want: ['deny: in', 'top: deny'],
  },
  {
    name: 'a machine moves after a rule of its new group has widened, and one of its old group shrinks after that',
    actions: [
      adjust('new', { targets: ['tag:new'] }, { targets: ['tag:new'], ports: '80,443' }),
      adjust('old', { targets: ['tag:old'], ports: '80,443' }, { targets: ['tag:old'], ports: '443' }),
      update(
        desired('instance', 'web-0', { ...of.instance(), groups: ['tag:new'] }),
        observed('instance', 'i-1', { ...of.instance(), groups: ['tag:old'] }),
        [{ field: 'groups' }],
      ),
    ],
    around: {
      ...nobodyAround,
      members: [{ before: ['tag:old'], after: ['tag:new'], blocks: [] }],
      wanted: [named('new', { targets: ['tag:new'], ports: '80,443' }).attributes],
    },
    want: ['old: new web-0', 'web-0: new'],
  },
  {
    name: 'a service account is a group: the new rule stands, then the machine runs as it, then the old rule goes',
    actions: [
      create(named('new', { targets: [account] })),
      remove('old', observed('firewall-rule', 'fw-1', named('old', { targets: ['tag:web'] }).attributes)),
      reidentified(taggedAs([], email), taggedAs(['tag:web'])),
    ],
    around: {
      ...nobodyAround,
      members: [{ before: ['tag:web'], after: [account], blocks: [] }],
      standing: [named('old', { targets: ['tag:web'] }).attributes],
      wanted: [named('new', { targets: [account] }).attributes],
    },
    want: ['old: new web-0', 'web-0: new'],
  },
  {
    name: 'so it is as a source',
    actions: [
      create(named('new', { targets: ['tag:db'], peers: [account] })),
      remove(
        'old',
        observed('firewall-rule', 'fw-1', named('old', { targets: ['tag:db'], peers: ['tag:web'] }).attributes),
      ),
      reidentified(taggedAs([], email), taggedAs(['tag:web'])),
    ],
    around: {
      ...nobodyAround,
      members: [{ before: ['tag:web'], after: [account], blocks: [] }],
      standing: [named('old', { targets: ['tag:db'], peers: ['tag:web'] }).attributes],
      wanted: [named('new', { targets: ['tag:db'], peers: [account] }).attributes],
    },
    want: ['old: new web-0', 'web-0: new'],
  },
  {
    name: 'a rule of other machines does not wait for one that lets in a service account',
    actions: [
      create(named('out', { direction: 'egress', targets: ['tag:other'], peers: ['10.0.0.0/8'] })),
      remove(
        'in',
        observed('firewall-rule', 'fw-1', named('in', { targets: ['tag:db'], peers: [account] }).attributes),
      ),
    ],
    around: { ...nobodyAround, members: [{ before: [account], after: [account], blocks: [] }] },
    want: [],
  },
  {
    name: 'a machine whose identity nobody states keeps the group of its service account',
    actions: [
      create(named('new', { targets: [account] })),
      update(
        desired('instance', 'web-0', taggedAs(['tag:web'])),
        observed('instance', 'i-1', taggedAs(['tag:lb'], email)),
        [{ field: 'groups' }],
      ),
    ],
    want: [],
  },
  {
    name: 'so does one whose identity is stated, and held or ignored',
    actions: [
      create(named('new', { targets: [account] })),
      remove('old', observed('firewall-rule', 'fw-1', named('old', { targets: ['tag:lb'] }).attributes)),
      update(
        desired('instance', 'web-0', taggedAs(['tag:web'], email)),
        observed('instance', 'i-1', taggedAs(['tag:lb'], 'other@acme-prod.iam.gserviceaccount.com')),
        [{ field: 'groups' }],
      ),
    ],
    want: ['web-0: ~old'],
  },
  {
    name: 'and leaves it with its identity: a new rule for the service account comes after that',
    actions: [create(named('new', { targets: [account] })), reidentified(taggedAs(['tag:web']), taggedAs([], email))],
    want: ['new: ~web-0'],
  },
  {
    name: 'words, logging and what was disabled hold nothing up',
    actions: [
      create(named('new', {})),
      update(named('a', {}), observed('firewall-rule', 'fw-a', named('a', {}).attributes), [{ field: 'description' }]),
      update(named('b', {}), observed('firewall-rule', 'fw-b', named('b', {}).attributes), [{ field: 'order.log' }]),
    ],
    want: [],
  },
  {
    name: 'machines of one document stop one after the other, those of another beside them',
    actions: [grow('web-0', 'i-0'), grow('web-1', 'i-1'), grow('db-0', 'i-2')],
    want: ['web-1: web-0'],
  },
  {
    name: 'a machine that is being made is up before another of its document stops',
    actions: [machine, grow('web-1', 'i-1')],
    want: ['web-1: web-0'],
  },
  {
    name: 'so do replacements, and both together',
    actions: [
      grow('web-0', 'i-0'),
      replace(desired('instance', 'web-1', of.instance()), observed('instance', 'i-1', of.instance())),
    ],
    want: ['web-1: web-0'],
  },
  {
    name: 'a subnet waits for one on its addresses to be gone',
    actions: [subnet, remove('core.old', observed('subnet', 'sn-1', of.subnet('core', '10.0.0.0/20')))],
    want: ['core.app: ~core.old'],
  },
  {
    name: 'but not where a machine must move from the old one to the new one: that cannot be ordered',
    actions: [
      subnet,
      remove('core.old', observed('subnet', 'sn-1', of.subnet('core', '10.0.0.0/20'))),
      replace(desired('instance', 'web-0', of.instance()), observed('instance', 'i-1', of.instance('core.old'))),
    ],
    want: ['core.old: web-0', 'web-0: core.app'],
  },
  {
    name: 'a twin waits for nobody: it holds nothing, and shares its address with the one that stays',
    actions: [
      { ...remove('core', observed('network', 'vpc-2', of.network())), because: 'twin' } as Action, // why: `remove` makes a delete
      remove('core.app', observed('subnet', 'sn-1', of.subnet())),
    ],
    want: [],
  },
];

describe('order', () => {
  for (const row of rows) it(row.name, () => assert.deepEqual(waits(row.actions, row.around), row.want));

  it('never goes in a circle, for any plan', () => {
    const all = [
      network,
      subnet,
      group,
      machine,
      rule,
      oldRule,
      grow('web-1', 'i-1'),
      grow('web-2', 'i-2'),
      remove('core.old', observed('subnet', 'sn-1', of.subnet('core', '10.0.0.0/20'))),
      replace(desired('instance', 'web-3', of.instance()), observed('instance', 'i-3', of.instance('core.old'))),
      remove('web-4', observed('instance', 'i-4', of.instance('core.old', ['core.gone']))),
      remove('core.gone', observed('group', 'sg-9', of.group('away'))),
      remove('away', observed('network', 'vpc-9', of.network())),
      adjust('wide', { ports: '443' }, { ports: '80,443' }),
      adjust('narrow', { ports: '80,443', peers: ['tag:web'] }, { ports: '443', peers: ['tag:web'] }),
      create(named('deny', { action: 'deny', targets: [] })),
      create(named('more', { targets: ['tag:web'] })),
      remove('old', observed('firewall-rule', 'fw-old', named('old', { ports: '80' }).attributes)),
      update(
        desired('instance', 'web-5', { ...of.instance(), groups: ['tag:web'] }),
        observed('instance', 'i-5', { ...of.instance(), groups: ['tag:lb'] }),
        [{ field: 'groups' }],
      ),
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray(all), (actions) => {
        const { steps, gates } = order(actions, nobodyAround);
        const nodes = [...steps, ...gates];
        const done = new Set<number>();
        for (let before = -1; before < done.size; ) {
          before = done.size;
          for (const [i, { needs, follows }] of nodes.entries()) {
            if ([...needs, ...follows].every((j) => done.has(j))) done.add(i);
          }
        }
        assert.equal(done.size, nodes.length);
      }),
    );
  });
});

const g = (name: string): string => at('group', name);
const peers = (name: string) => ({ peers: [`group:${g(name)}`] });

/** `web-0` moves from `core.a` to `core.b`; `core.both` it stays in. */
const groupsThen = ['core.a', 'core.both'];
const groupsNow = ['core.b', 'core.both'];
const move = update(
  desired('instance', 'web-0', attributes.instance('core.app', groupsNow)),
  observed('instance', 'i-1', attributes.instance('core.app', groupsThen)),
  [{ field: 'groups', from: groupsThen, to: groupsNow }],
);
const around: Surroundings = {
  members: [{ before: groupsThen.map(g), after: groupsNow.map(g), blocks: ['10.0.1.0/24'] }],
  blocks: ['10.0.1.0/24'],
  isWhole: true,
  standing: [],
  wanted: [],
};

const made = (name: string): Action =>
  create(desired('firewall-rule', 'rule', attributes.rule('core.db', peers(name))));
const gone = (name: string): Action =>
  remove('rule', observed('firewall-rule', 'sgr-1', attributes.rule('core.db', peers(name))));
const madeIn = (name: string): Action => create(desired('firewall-rule', 'rule', attributes.rule(name)));
const goneIn = (name: string): Action => remove('rule', observed('firewall-rule', 'sgr-1', attributes.rule(name)));

/** The one of the two that waits for the other, with any gates between. */
function orderMovesWaits(rule: Action): string {
  const actions = [move, rule];
  const { steps, gates } = order(actions, around);
  const nodes = [...steps, ...gates];
  const reached = (from: number): ReadonlySet<number> => {
    const seen = new Set<number>();
    const open = [from];
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      const { needs = [], follows = [] } = nodes[one] ?? {};
      for (const next of [...needs, ...follows]) if (!seen.has(next)) open.push(next);
      seen.add(one);
    }
    return seen;
  };
  const [machineWaits, ruleWaits] = [reached(0).has(1), reached(1).has(0)];
  if (machineWaits && ruleWaits) return 'both';
  if (!machineWaits && !ruleWaits) return 'neither';
  return machineWaits ? 'the machine' : 'the rule';
}

/** The table above `orderMoves`. */
describe('a machine that changes groups, and a rule that names one of them', () => {
  const rows: readonly (readonly [name: string, rule: Action, waits: string])[] = [
    ['a new rule that names a group it joins', made('core.b'), 'the machine'],
    ['a new rule of a group it joins', madeIn('core.b'), 'the machine'],
    ['a new rule that names a group it leaves', made('core.a'), 'the rule'],
    ['a new rule of a group it leaves', madeIn('core.a'), 'the rule'],
    ['an old rule that names a group it joins', gone('core.b'), 'the machine'],
    ['an old rule of a group it joins', goneIn('core.b'), 'the machine'],
    ['a new rule that names a group it stays in', made('core.both'), 'neither'],
    // both ends count: a joined group may answer at the other end, as long as the old rule exists
    ['an old rule that names a group it stays in, while it joins another', gone('core.both'), 'the machine'],
    ['a new rule that names another group', made('core.other'), 'neither'],
    ['an old rule that names another group', gone('core.other'), 'neither'],
  ];
  for (const [name, rule, who] of rows) it(`${name}: ${who} waits`, () => assert.equal(orderMovesWaits(rule), who));

  it('the gates do not grow with the rules that share a bundle', () => {
    const rules = (many: number): readonly Action[] =>
      Array.from({ length: many }, (_, i) => [
        create(desired('firewall-rule', `new-${i}`, attributes.rule('core.web', { ports: `${1000 + i}-9000` }))),
        remove(
          `old-${i}`,
          observed('firewall-rule', `sgr-${i}`, attributes.rule('core.web', { ports: `${2000 + i}` })),
        ),
      ]).flat();
    const gatesOf = (many: number): number => order(rules(many), around).gates.length;
    assert.ok(gatesOf(64) <= 2 * gatesOf(32), `${gatesOf(32)} and ${gatesOf(64)}`);
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Observation } from '../../../src/core/observed.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import type { Kind, RuleMatch } from '../../../src/core/resource.ts';
import { allow, at, input, know, looked, ours, see, vpc, want } from './fixture.ts';
import { type Case, runCases } from './run-cases.ts';

const net = want('network', 'core', vpc());
const standing = ours('network', 'core', 'vpc-1', vpc());
const group = want('group', 'core.web', { network: net.address, labels: {} });
const standingGroup = ours('group', 'core.web', 'sg-1', { network: 'vpc-1', labels: {} });
const peer = '10.0.0.0/8';
const rule = (ports: string, mode: 'plan' | 'observe' = 'plan') =>
  want('firewall-rule', `core.web ingress tcp ${ports} ${peer}`, allow(group.address, ports, [peer]), { mode });
const atom = (ports: string, from = peer) =>
  see(
    'firewall-rule',
    `sgr-${ports}-${from}`,
    { ...allow('sg-1', ports, [from]), network: 'vpc-1' },
    { signs: { container: 'sg-1' } },
  );
const given = (
  wanted: readonly ReturnType<typeof rule>[],
  seen: readonly ReturnType<typeof atom>[],
  gaps: Observation['gaps'] = [],
) =>
  input(
    [net, group, ...wanted],
    { ...looked([...(gaps.length === 0 ? [standing] : []), standingGroup, ...seen]), gaps },
    { knowledge: know([standing, standingGroup]) },
  );
const unseenNetworks = [{ kind: 'network' as const, code: 'Unreachable', reason: 'a zone did not answer' }];
const name = (ports: string, from = peer): string =>
  at('firewall-rule', `core.web ingress tcp ${ports} ${from}`).slice('aws/1/eu-1/'.length);

const cases: readonly Case[] = [
  {
    name: 'the old goes where the new is made',
    given: given([rule('443')], [atom('80')]),
    want: [`create ${name('443')}`, `delete ${name('80')} (rogue)`],
  },
  {
    name: 'the old stays where the new must not be made',
    given: given([rule('443', 'observe')], [atom('400-500')]),
    want: [`withheld ${name('443')}: mode`, `withheld ${name('400-500')}: depends`].toSorted(),
  },
  {
    name: 'the old goes where the new, which must not be made, is for other ports',
    given: given([rule('443', 'observe')], [atom('80')]),
    want: [`delete ${name('80')} (rogue)`, `withheld ${name('443')}: mode`],
  },
  {
    name: 'what nobody wrote goes all the same if it cannot be serving in the place of the new',
    given: given([rule('443', 'observe')], [atom('443', '192.168.0.0/16')]),
    want: [`delete ${name('443', '192.168.0.0/16')} (rogue)`, `withheld ${name('443')}: mode`],
  },
  {
    name: 'the old stays while a gap keeps the new from being made',
    given: given([rule('443')], [atom('400-500')], unseenNetworks),
    want: [
      'blocked network/core: not-observed',
      'incomplete network: Unreachable',
      `withheld ${name('400-500')}: depends`,
      `withheld ${name('443')}: depends`,
    ],
  },
];

/** Rules that their network holds, which change in place; a denial stands behind. */
const held = (text: string, match: Partial<RuleMatch>, mode: 'plan' | 'observe' = 'plan') => {
  const { group: _, ...attributes } = allow('', '443', [peer]);
  const order = { priority: match.action === 'deny' ? 2000 : 1000 };
  const said = { ...attributes, order, match: { ...attributes.match, targets: ['tag:web'], ...match } };
  return want('firewall-rule', text, said, { mode });
};
const stands = (text: string, match: Partial<RuleMatch>) =>
  ours('firewall-rule', text, `fw-${text}`, { ...held(text, match).attributes, network: 'vpc-1' });
const inPlace = (wanted: readonly ReturnType<typeof held>[], seen: readonly ReturnType<typeof stands>[]) =>
  input([net, ...wanted], looked([standing, ...seen]), { knowledge: know([standing, ...seen]) });
const blocked = held('core.http', { ports: '80' }, 'observe');

const changing: readonly Case[] = [
  {
    name: 'a rule does not shrink while what takes its place must not be made',
    given: inPlace([held('core.web', { ports: '443' }), blocked], [stands('core.web', { ports: '80,443' })]),
    want: ['withheld firewall-rule/core.http: mode', 'withheld firewall-rule/core.web: depends'],
  },
  {
    name: 'it may widen, and shrink where the other speaks of other machines',
    given: inPlace(
      [held('core.web', { ports: '80,443' }), held('core.db', { ports: '1', targets: ['tag:db'] }), blocked],
      [stands('core.web', { ports: '443' }), stands('core.db', { ports: '1-2', targets: ['tag:db'] })],
    ),
    want: ['update firewall-rule/core.db', 'update firewall-rule/core.web', 'withheld firewall-rule/core.http: mode'],
  },
  {
    name: 'nothing is denied while what stays allowed must not be made',
    given: inPlace([held('core.none', { action: 'deny', ports: 'all' }), blocked], []),
    want: ['withheld firewall-rule/core.http: mode', 'withheld firewall-rule/core.none: depends'],
  },
  {
    name: 'a denial waits for no other',
    given: inPlace(
      [held('core.none', { action: 'deny' }), held('core.never', { action: 'deny', ports: '22' }, 'observe')],
      [],
    ),
    want: ['create firewall-rule/core.none', 'withheld firewall-rule/core.never: mode'],
  },
];

const machine = { machine: { image: 'i', size: 's', power: 'running' as const }, labels: {} };

/** A machine of ours in the group `from`, which is to be in `core.web`. */
const moves = (from: string) => {
  const placement = { subnet: at('subnet', 'core.a'), publicIp: false };
  const subnet = ours('subnet', 'core.a', 'subnet-1', { network: 'vpc-1', cidr: '10.0.0.0/24', labels: {} });
  const old = ours('group', 'core.old', 'sg-2', { network: 'vpc-1', labels: {} });
  const said = { ...machine, placement, groups: [group.address] };
  const stands = ours('instance', 'm-0', 'i-1', {
    ...machine,
    placement: { ...placement, subnet: 'subnet-1' },
    groups: [from],
  });
  const seen = [standing, subnet, standingGroup, old, stands];
  const wanted = [
    net,
    want('subnet', 'core.a', { network: net.address, cidr: '10.0.0.0/24', labels: {} }),
    group,
    rule('443'),
  ];
  return (rules: readonly ReturnType<typeof atom>[], gaps: Observation['gaps']) =>
    input(
      [...wanted, want('group', 'core.old', { network: net.address, labels: {} }), want('instance', 'm-0', said)],
      { ...looked([...seen, ...rules]), gaps },
      { knowledge: know(seen) },
    );
};
const inOld = {
  id: 'sgr-old',
  attributes: { ...allow('sg-2', '400-500', [peer]), network: 'vpc-1' },
  signs: { container: 'sg-2' },
};
const unseenRules = [{ kind: 'firewall-rule' as const, code: 'Throttled', reason: 'the second page did not come' }];

/** The machine is to move from `core.old` to `core.web`. The rule of `core.web` exists; that of `core.old` goes. */
const staying = (mode: 'plan' | 'observe') => {
  const made = moves('sg-2')([atom('443'), { ...atom('400-500'), ...inOld }], []);
  const desired = made.wanted.desired.map((one) =>
    one.kind === 'instance' ? { ...one, terms: { ...one.terms, mode } } : one,
  );
  const documents = new Map(
    desired.flatMap(({ documents: its, terms: { protect, mode: of } }) =>
      its.map(({ address }) => [address, { mode: of, protect, targets: ['prod'] }] as const),
    ),
  );
  return { ...made, wanted: { ...made.wanted, desired, documents } };
};

const unseenMachines = [{ kind: 'instance' as const, code: 'Unreachable', reason: 'a zone did not answer' }];

/** The same while machines were not listed: `was`: the groups in which the machine was asked for last; undefined: it was never made. */
const unlisted = (was: readonly string[] | undefined) => {
  const { wanted, observation, knowledge } = staying('plan');
  const resources = observation.resources.filter(({ kind }) => kind !== 'instance');
  const known = was === undefined ? know(resources) : knowledge;
  const asked = wanted.desired.find(({ kind }) => kind === 'instance');
  const applied = new Map(
    asked === undefined || was === undefined
      ? []
      : [[asked.address, { attributes: { ...asked.attributes, groups: was }, generation: 1 }] as const],
  );
  return input(
    [...wanted.desired],
    { ...observation, resources, gaps: unseenMachines },
    { knowledge: { ...known, applied } },
  );
};
const notListed = ['blocked instance/m-0: not-observed', 'incomplete instance: Unreachable'];
const goesFromOld = `delete firewall-rule/core.old ingress tcp 400-500 ${peer} (rogue)`;

const leaving: readonly Case[] = [
  {
    name: 'it stays while machines were not listed, of which one is to leave the group',
    given: unlisted([at('group', 'core.old')]),
    want: [...notListed, `withheld firewall-rule/core.old ingress tcp 400-500 ${peer}: depends`],
  },
  {
    name: 'it goes although machines were not listed, where each was asked for in its groups before',
    given: unlisted([group.address]),
    want: [goesFromOld, ...notListed],
  },
  {
    name: 'it goes although machines were not listed, where the one that is to be elsewhere was never made',
    given: unlisted(undefined),
    want: [goesFromOld, ...notListed],
  },
  {
    name: 'a rule of the group that a machine leaves goes',
    given: staying('plan'),
    want: ['update instance/m-0', `delete firewall-rule/core.old ingress tcp 400-500 ${peer} (rogue)`],
  },
  {
    name: 'it stays while the machine must not move',
    given: staying('observe'),
    want: [`withheld firewall-rule/core.old ingress tcp 400-500 ${peer}: depends`, 'withheld instance/m-0: mode'],
  },
  {
    name: 'a machine leaves a group where all rules were listed',
    given: moves('sg-2')([], []),
    want: [`create ${name('443')}`, 'update instance/m-0'],
  },
  {
    name: 'a machine leaves no group while the listing of rules is incomplete and a wanted rule was not seen',
    given: moves('sg-2')([], unseenRules),
    want: [
      `blocked ${name('443')}: not-observed`,
      'incomplete firewall-rule: Throttled',
      'withheld instance/m-0: depends',
    ],
  },
];

runCases([...cases, ...changing, ...leaving], 'hold');

const neededStanding = {
  network: ours('network', 'core', 'vpc-1', vpc()),
  subnet: ours('subnet', 'core.app', 'subnet-1', { network: 'vpc-1', cidr: '10.0.1.0/24', labels: {} }),
  group: ours('group', 'core.web', 'sg-1', { network: 'vpc-1', labels: {} }),
} as const;

/** The kinds of objects that a thing may contain, or that may name it: unlisted, they leave open whether it is empty. */
const holds: readonly (readonly [parent: keyof typeof neededStanding, name: string, users: readonly Kind[]])[] = [
  ['network', 'core', ['subnet', 'group', 'instance']],
  ['subnet', 'core.app', ['instance']],
  ['group', 'core.web', ['firewall-rule', 'instance']],
];

describe('nothing is deleted that something may still need', () => {
  for (const [parent, name, users] of holds) {
    const pruned = (gaps: readonly Kind[]) =>
      plan(
        input([], looked([neededStanding[parent]], { gaps: gaps.map((kind) => ({ kind, code: 'x', reason: 'y' })) }), {
          choices: { prune: new Set([at(parent, name)]) },
        }),
      );
    test(`${parent}: goes where everything was listed`, () =>
      assert.deepEqual(
        pruned([]).actions.map(({ verb, kind }) => `${verb} ${kind}`),
        [`delete ${parent}`],
      ));
    for (const user of users)
      test(`${parent}: stays while ${user} was not listed completely, and says so`, () => {
        const { actions, findings } = pruned([user]);
        assert.deepEqual(actions, []);
        const why = findings.flatMap((finding) => (finding.type === 'withheld' ? [finding.why] : []));
        assert.match(why.join(' '), new RegExp(`${user} was not listed completely`));
      });
  }

  test('of several that need it the first by id is named, in whatever order the cloud lists them', () => {
    const subnets = ['subnet-2', 'subnet-1', 'subnet-3'].map((id, nth) =>
      ours('subnet', `core.s${nth}`, id, { network: 'vpc-1', cidr: `10.0.${nth}.0/24`, labels: {} }),
    );
    const wanted = subnets.map(({ attributes }, nth) =>
      want('subnet', `core.s${nth}`, { ...attributes, network: at('network', 'core') }),
    );
    const { findings } = plan(
      input(wanted, looked([neededStanding.network, ...subnets]), {
        choices: { prune: new Set([at('network', 'core')]) },
      }),
    );
    const why = findings.flatMap((finding) => (finding.type === 'withheld' ? [finding.why] : []));
    assert.match(why.join(' '), /subnet \S*core\.s1 still needs it/);
  });
});

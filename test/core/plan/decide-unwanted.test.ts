import type { Desired } from '../../../src/core/desired.ts';
import {
  allow,
  at,
  ground,
  input,
  know,
  looked,
  mark,
  net,
  ours,
  see,
  settle,
  standing,
  standingSubnet,
  subnet,
  vpc,
  want,
} from './fixture.ts';
import { type Case, runCases } from './run-cases.ts';

const machine = { image: 'ami-1', size: 't3.small', power: 'running' } as const;
const web = want('instance', 'web-0', {
  placement: { subnet: at('subnet', 'core.app'), publicIp: false },
  machine,
  labels: {},
});
const standingWeb = ours('instance', 'web-0', 'i-1', {
  placement: { subnet: 'subnet-1', publicIp: false },
  machine,
  labels: {},
});

/** A group with the rule that the cloud puts into every group: nobody's document, and nobody's to delete. */
const withGroup = looked([
  standing,
  ours('group', 'core.web', 'sg-1', { network: 'vpc-1', labels: {} }),
  see(
    'firewall-rule',
    'sg-1 out',
    { ...allow('sg-1', 'all', ['0.0.0.0/0']), network: 'vpc-1' },
    { signs: { container: 'sg-1' } },
  ),
]);

const group = want('group', 'core.web', { network: at('network', 'core'), labels: {} });
const open = { ...allow('sg-1', '80', ['10.0.0.0/8']), network: 'vpc-1' };
const openAt = at('firewall-rule', 'core.web ingress tcp 80 10.0.0.0/8');
const openOf = at('firewall-rule', 'core.in');

/** A desired group with a rule whose removed document had `retain`. */
const retained = (prune: readonly string[], protect = false) => {
  const resources = [
    standing,
    ours('group', 'core.web', 'sg-1', { network: 'vpc-1', labels: {} }),
    see('firewall-rule', 'sg-1 80', open, { signs: { container: 'sg-1' } }),
  ];
  const known = know(resources);
  return input([net, group], looked(resources), {
    knowledge: {
      ...known,
      settled: new Map([...known.settled, ['sg-1 80', settle('firewall-rule', openAt, { protect })]]),
      applied: new Map([[openAt, { attributes: open, generation: 1, documents: [openOf] }]]),
    },
    choices: { prune: new Set(prune) },
  });
};

const cases: readonly Case[] = [
  { name: 'a retained rule of a standing group: an orphan', given: retained([]), want: ['orphan sg-1 80'] },
  {
    name: 'a retained rule of a standing group that a person chose is deleted',
    given: retained([openAt]),
    want: ['delete firewall-rule/core.web ingress tcp 80 10.0.0.0/8 (pruned)'],
  },
  {
    name: 'a rule that a person chose is not deleted while it is protected',
    given: retained([openAt], true),
    want: ['withheld firewall-rule/core.web ingress tcp 80 10.0.0.0/8: protect'],
  },
  { name: 'ours and not wanted: an orphan, retained', given: input([], looked([standing])), want: ['orphan vpc-1'] },
  {
    name: 'ours, not wanted, deletion policy delete: delete',
    given: input([], looked([standing]), {
      knowledge: know([], {
        settled: new Map([['vpc-1', settle('network', at('network', 'core'), { deletionPolicy: 'delete' })]]),
      }),
    }),
    want: ['delete network/core (removed)'],
  },
  {
    name: 'protect outlives its document',
    given: input([], looked([standing]), {
      knowledge: know([], {
        settled: new Map([
          ['vpc-1', settle('network', at('network', 'core'), { deletionPolicy: 'delete', protect: true })],
        ]),
      }),
    }),
    want: ['withheld network/core: protect'],
  },
  {
    name: 'an orphan that a person chose is deleted, unless something still stands in it',
    given: input(
      [],
      looked([standing, see('subnet', 'subnet-9', { network: 'vpc-1', cidr: '10.0.9.0/24', labels: {} })]),
      { choices: { prune: new Set([at('network', 'core')]) } },
    ),
    want: ['unmanaged subnet-9', 'withheld network/core: depends'],
  },
  {
    name: 'what the cloud makes with a network does not keep it',
    given: input(
      [],
      looked([
        standing,
        see(
          'group',
          'sg-0',
          { network: 'vpc-1', labels: {} },
          { signs: { origin: { why: 'provider-default', detail: 'default group' } } },
        ),
      ]),
      { choices: { prune: new Set([at('network', 'core')]) } },
    ),
    want: ['delete network/core (pruned)', 'unmanaged sg-0'],
  },
  {
    name: 'fewer replicas: the highest ordinals go, whatever the deletion policy',
    given: input(
      [net, subnet, web],
      looked([...ground, standingWeb, ours('instance', 'web-1', 'i-2', standingWeb.attributes)]),
    ),
    want: ['delete instance/web-1 (scaled-down)'],
  },
  {
    name: 'nobody claims it: report, never touch',
    given: input([], looked([see('network', 'vpc-9', vpc())])),
    want: ['unmanaged vpc-9'],
  },
  {
    name: 'someone else claims it: leave alone',
    given: input([], looked([see('network', 'vpc-9', vpc(), { signs: { mark: mark('x', { estate: 'other' }) } })])),
    want: [],
  },
  {
    name: 'ours, not wanted, deletion policy delete, but its kind was not listed completely: nothing is deleted',
    given: input([], looked([standing], { gaps: [{ kind: 'network', code: 'x', reason: 'y' }] }), {
      knowledge: know([], {
        settled: new Map([['vpc-1', settle('network', at('network', 'core'), { deletionPolicy: 'delete' })]]),
      }),
    }),
    want: ['incomplete network: x'],
  },
  {
    name: 'a pruned group takes its own rules along',
    given: input(
      [],
      looked([
        ours('group', 'core.web', 'sg-1', { network: 'vpc-x', labels: {} }),
        see('firewall-rule', 'sg-1 80', allow('sg-1', '80', ['group:sg-1']), { signs: { container: 'sg-1' } }),
      ]),
      { choices: { prune: new Set([at('group', 'core.web')]) } },
    ),
    want: ['delete group/core.web (pruned)'],
  },
  {
    name: 'a pruned network goes with a pruned group that still has rules',
    given: input([], withGroup, { choices: { prune: new Set([at('network', 'core'), at('group', 'core.web')]) } }),
    want: ['delete group/core.web (pruned)', 'delete network/core (pruned)'],
  },
  {
    name: 'while a group stays, its rules keep the network',
    given: input([], withGroup, { choices: { prune: new Set([at('network', 'core')]) } }),
    want: ['orphan sg-1', 'withheld network/core: depends'],
  },
];

runCases(cases, 'release');

const guardedNet = (more: Partial<Desired['terms']> = {}) => want('network', 'core', vpc(), more);
const guardedWeb = (more: Partial<Desired['terms']> = {}) =>
  want(
    'instance',
    'web-0',
    { placement: { subnet: at('subnet', 'core.app'), publicIp: false }, machine, labels: {} },
    more,
  );
const guardedStandingWeb = (ordinal: number) =>
  ours('instance', `web-${ordinal}`, `i-${ordinal}`, {
    placement: { subnet: 'subnet-1', publicIp: false },
    machine,
    labels: {},
  });
const machines = looked([standing, standingSubnet, guardedStandingWeb(0), guardedStandingWeb(1)]);
const standingGroup = ours('group', 'core.web', 'sg-1', { network: 'vpc-1', labels: {} });
const rule = (port: string, more: Partial<Desired['terms']> = {}): Desired => ({
  ...want('firewall-rule', `core.web ingress tcp ${port} 10.0.0.0/8`, allow(group.address, port, ['10.0.0.0/8']), more),
  documents: [{ address: at('firewall-rule', 'core.in'), file: 'specs/a.yaml', line: 1 }],
});
const atom = (port: string) =>
  see(
    'firewall-rule',
    `sg-1 ${port}`,
    { ...allow('sg-1', port, ['10.0.0.0/8']), network: 'vpc-1' },
    { signs: { container: 'sg-1' } },
  );
const standingCore2 = ours('network', 'core-2', 'vpc-2', vpc());
const rules = looked([standing, standingGroup, atom('80'), atom('443')]);
const written = know(rules.resources, {
  applied: new Map([
    [
      rule('80').address,
      { attributes: rule('80').attributes, generation: 1, documents: [at('firewall-rule', 'core.in')] },
    ],
  ]),
});

const guardedCases: readonly Case[] = [
  {
    name: 'fewer replicas: the highest goes',
    given: input([guardedNet(), subnet, guardedWeb()], machines),
    want: ['delete instance/web-1 (scaled-down)'],
  },
  {
    name: 'fewer replicas of a document that is only read: none goes, whatever the mode of the target',
    given: input([guardedNet(), subnet, guardedWeb({ mode: 'observe' })], machines),
    want: ['withheld instance/web-1: mode'],
  },
  {
    name: 'fewer replicas of a document that says protect only now: none goes',
    given: input([guardedNet(), subnet, guardedWeb({ protect: true })], machines),
    want: ['update instance/web-0', 'withheld instance/web-1: protect'],
  },
  {
    name: 'a rule that nobody wrote in a network that is only read stays',
    given: input([guardedNet({ mode: 'observe' }), group, rule('443')], rules),
    want: ['withheld firewall-rule/core.web ingress tcp 80 10.0.0.0/8: mode'],
  },
  {
    name: 'the protection of a network is not of the rules in it',
    given: input([guardedNet({ protect: true }), group, rule('443')], rules),
    want: ['update network/core', 'delete firewall-rule/core.web ingress tcp 80 10.0.0.0/8 (rogue)'],
  },
  {
    name: 'a rule made narrower by a document that is only read keeps its atoms',
    given: input([guardedNet(), group, rule('443', { mode: 'observe' })], rules, { knowledge: written }),
    want: ['withheld firewall-rule/core.web ingress tcp 80 10.0.0.0/8: mode'],
  },
  {
    name: 'a network whose name ends in a number is no replica of another',
    given: input([guardedNet({ mode: 'observe' })], looked([standing, standingCore2]), {
      choices: { prune: new Set([at('network', 'core-2')]) },
    }),
    want: ['delete network/core-2 (pruned)'],
  },
  {
    name: 'a subnet is not taken away while machines could not be listed',
    given: input(
      [guardedNet()],
      looked([standing, standingSubnet], { gaps: [{ kind: 'instance', code: 'x', reason: 'y' }] }),
      {
        choices: { prune: new Set([at('subnet', 'core.app')]) },
      },
    ),
    want: ['incomplete instance: x', 'withheld subnet/core.app: depends'],
  },
  {
    name: 'a rule is not forgotten while only its group is out of sight',
    given: input([guardedNet()], looked([standing, atom('80')], { pending: ['sg-1'] }), {
      knowledge: know([standing, standingGroup], {
        settled: new Map([
          ['vpc-1', settle('network', at('network', 'core'))],
          ['sg-1', settle('group', group.address)],
          ['sg-1 80', settle('firewall-rule', rule('80').address)],
        ]),
      }),
    }),
    want: [],
  },
  {
    name: 'the loop without a person deletes where the document enforces, though nobody else said so',
    given: input([guardedNet(), subnet, guardedWeb({ mode: 'enforce' })], machines, { choices: { unattended: true } }),
    want: ['delete instance/web-1 (scaled-down)'],
  },
];

runCases(guardedCases, 'removal-guards');

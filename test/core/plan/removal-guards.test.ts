import type { Desired } from '../../../src/core/desired.ts';
import { allow, at, input, know, looked, ours, see, settle, vpc, want } from './fixture.ts';
import { type Case, runCases } from './run-cases.ts';

const machine = { image: 'ami-1', size: 't3.small', power: 'running' } as const;
const standing = ours('network', 'core', 'vpc-1', vpc());
const standingSubnet = ours('subnet', 'core.app', 'subnet-1', { network: 'vpc-1', cidr: '10.0.1.0/24', labels: {} });
const net = (more: Partial<Desired['terms']> = {}) => want('network', 'core', vpc(), more);
const subnet = want('subnet', 'core.app', { network: at('network', 'core'), cidr: '10.0.1.0/24', labels: {} });
const web = (more: Partial<Desired['terms']> = {}) =>
  want(
    'instance',
    'web-0',
    { placement: { subnet: at('subnet', 'core.app'), publicIp: false }, machine, labels: {} },
    more,
  );
const standingWeb = (ordinal: number) =>
  ours('instance', `web-${ordinal}`, `i-${ordinal}`, {
    placement: { subnet: 'subnet-1', publicIp: false },
    machine,
    labels: {},
  });
const machines = looked([standing, standingSubnet, standingWeb(0), standingWeb(1)]);

const group = want('group', 'core.web', { network: at('network', 'core'), labels: {} });
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

const cases: readonly Case[] = [
  {
    name: 'fewer replicas: the highest goes',
    given: input([net(), subnet, web()], machines),
    want: ['delete instance/web-1 (scaled-down)'],
  },
  {
    name: 'fewer replicas of a document that is only read: none goes, whatever the mode of the target',
    given: input([net(), subnet, web({ mode: 'observe' })], machines),
    want: ['withheld instance/web-1: mode'],
  },
  {
    name: 'fewer replicas of a document that says protect only now: none goes',
    given: input([net(), subnet, web({ protect: true })], machines),
    want: ['update instance/web-0', 'withheld instance/web-1: protect'],
  },
  {
    name: 'a rule that nobody wrote in a network that is only read stays',
    given: input([net({ mode: 'observe' }), group, rule('443')], rules),
    want: ['withheld firewall-rule/core.web ingress tcp 80 10.0.0.0/8: mode'],
  },
  {
    name: 'the protection of a network is not of the rules in it',
    given: input([net({ protect: true }), group, rule('443')], rules),
    want: ['update network/core', 'delete firewall-rule/core.web ingress tcp 80 10.0.0.0/8 (rogue)'],
  },
  {
    name: 'a rule made narrower by a document that is only read keeps its atoms',
    given: input([net(), group, rule('443', { mode: 'observe' })], rules, { knowledge: written }),
    want: ['withheld firewall-rule/core.web ingress tcp 80 10.0.0.0/8: mode'],
  },
  {
    name: 'a network whose name ends in a number is no replica of another',
    given: input([net({ mode: 'observe' })], looked([standing, standingCore2]), {
      choices: { prune: new Set([at('network', 'core-2')]) },
    }),
    want: ['delete network/core-2 (pruned)'],
  },
  {
    name: 'a subnet is not taken away while machines could not be listed',
    given: input(
      [net()],
      looked([standing, standingSubnet], { gaps: [{ kind: 'instance', code: 'x', reason: 'y' }] }),
      {
        choices: { prune: new Set([at('subnet', 'core.app')]) },
      },
    ),
    want: ['incomplete instance: x', 'withheld subnet/core.app: depends'],
  },
  {
    name: 'a rule is not forgotten while only its group is out of sight',
    given: input([net()], looked([standing, atom('80')], { pending: ['sg-1'] }), {
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
    given: input([net(), subnet, web({ mode: 'enforce' })], machines, { choices: { unattended: true } }),
    want: ['delete instance/web-1 (scaled-down)'],
  },
];

runCases(cases, 'removal-guards');

import type { Attributes } from '../../../src/core/resource.ts';
import { at, input, know, looked, mark, see, vpc, want } from './fixture.ts';
import { type Case, runCases } from './run-cases.ts';

const app = { cidr: '10.0.1.0/24', labels: {} };

const groupAt = at('group', 'core.web');
const https = (group: string, network: string, description = ''): Attributes['firewall-rule'] => ({
  network,
  group,
  match: { direction: 'ingress', action: 'allow', protocol: 'tcp', ports: '443', peers: ['0.0.0.0/0'] },
  description,
});
const group = want('group', 'core.web', { network: at('network', 'core'), labels: {} }, { claim: { adopt: 'sg-9' } });
const httpsRule = (description = '') => ({
  ...want('firewall-rule', 'core.web', https(groupAt, at('network', 'core'), description)),
  address: 'aws/1/eu-1/firewall-rule/core.web ingress tcp 443 0.0.0.0/0',
});
const withGroup = [want('network', 'core', vpc(), { claim: { adopt: 'vpc-9' } }), group];
const standingGroup = [see('network', 'vpc-9', vpc()), see('group', 'sg-9', { network: 'vpc-9', labels: {} })];
const standingRule = see('firewall-rule', 'sgr-1', https('sg-9', 'vpc-9'), { signs: { container: 'sg-9' } });

const cases: readonly Case[] = [
  {
    name: 'a rule of an adopted group is adopted with it: nothing is created',
    given: input([...withGroup, httpsRule()], looked([...standingGroup, standingRule])),
    want: ['adopt network/core', 'adopt group/core.web'],
  },
  {
    name: 'a rule of an adopted group with a copied mark is adopted with it, too',
    given: input(
      [...withGroup, httpsRule()],
      looked([
        see('network', 'vpc-9', vpc()),
        see('group', 'sg-9', { network: 'vpc-9', labels: {} }, { signs: { mark: mark(at('group', 'core.old')) } }),
        standingRule,
      ]),
      { knowledge: know([]) },
    ),
    want: ['adopt network/core', 'adopt group/core.web'],
  },
  {
    name: 'a rule of an adopted group that differs waits until the group is ours',
    given: input([...withGroup, httpsRule('public site')], looked([...standingGroup, standingRule])),
    want: [
      'adopt network/core',
      'adopt group/core.web',
      'blocked firewall-rule/core.web ingress tcp 443 0.0.0.0/0: pending',
    ],
  },
  {
    name: 'a rule that an adopted group lacks is created',
    given: input([...withGroup, httpsRule()], looked(standingGroup)),
    want: ['adopt network/core', 'adopt group/core.web', 'create firewall-rule/core.web ingress tcp 443 0.0.0.0/0'],
  },
  {
    name: 'a rule of an adopted group that no document states stays unmanaged',
    given: input(withGroup, looked([...standingGroup, standingRule])),
    want: ['adopt network/core', 'adopt group/core.web', 'unmanaged sgr-1'],
  },
  {
    name: 'adopt takes over what nobody claims',
    given: input(
      [want('network', 'core', vpc(), { claim: { adopt: 'vpc-9' } })],
      looked([see('network', 'vpc-9', vpc())]),
    ),
    want: ['adopt network/core'],
  },
  {
    name: 'adopted together: a subnet lies in the network that is adopted with it',
    given: input(
      [
        want('network', 'core', vpc(), { claim: { adopt: 'vpc-9' } }),
        want('subnet', 'core.app', { network: at('network', 'core'), ...app }, { claim: { adopt: 'subnet-9' } }),
      ],
      looked([see('network', 'vpc-9', vpc()), see('subnet', 'subnet-9', { network: 'vpc-9', ...app })]),
    ),
    want: ['adopt network/core', 'adopt subnet/core.app'],
  },
  {
    name: 'a subnet of a network that is not adopted with it is not taken',
    given: input(
      [
        want('network', 'core', vpc(), { claim: { adopt: 'vpc-9' } }),
        want('subnet', 'core.app', { network: at('network', 'core'), ...app }, { claim: { adopt: 'subnet-9' } }),
      ],
      looked([see('network', 'vpc-9', vpc()), see('subnet', 'subnet-9', { network: 'vpc-8', ...app })]),
    ),
    want: ['adopt network/core', 'blocked subnet/core.app: immutable'],
  },
  {
    name: 'adopt does not take what differs in what cannot change',
    given: input(
      [want('network', 'core', vpc('10.5.0.0/16'), { claim: { adopt: 'vpc-9' } })],
      looked([see('network', 'vpc-9', vpc())]),
    ),
    want: ['blocked network/core: immutable'],
  },
  {
    name: 'adopt of what is not there: block',
    given: input([want('network', 'core', vpc(), { claim: { adopt: 'vpc-9' } })], looked([])),
    want: ['blocked network/core: adopt-missing'],
  },
  {
    name: "adopt never takes another estate's",
    given: input(
      [want('network', 'core', vpc(), { claim: { adopt: 'vpc-9' } })],
      looked([see('network', 'vpc-9', vpc(), { signs: { mark: mark('x', { estate: 'other' }) } })]),
    ),
    want: ['blocked network/core: owned-by'],
  },
];

runCases(cases, 'adoption');

import { at, input, looked, mark, see, vpc, want } from './fixture.ts';
import { type Case, runCases } from './run-cases.ts';

const app = { cidr: '10.0.1.0/24', labels: {} };

const cases: readonly Case[] = [
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

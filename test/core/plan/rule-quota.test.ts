import type { PlanInput } from '../../../src/core/plan/plan-input.ts';
import { allow, dialect, input, know, looked, ours, see, vpc, want } from './fixture.ts';
import { type Case, runCases } from './run-cases.ts';

const net = want('network', 'core', vpc());
const group = want('group', 'core.web', { network: net.address, labels: {} });
const standing = [
  ours('network', 'core', 'vpc-1', vpc()),
  ours('group', 'core.web', 'sg-1', { network: 'vpc-1', labels: {} }),
];
const office = '10.0.0.0/8';
const rule = (ports: string, peer = office) =>
  want('firewall-rule', `core.web ingress tcp ${ports} ${peer}`, allow(group.address, ports, [peer]));
const atom = (ports: string, peer = office) =>
  see(
    'firewall-rule',
    `sgr-${ports}-${peer}`,
    { ...allow('sg-1', ports, [peer]), network: 'vpc-1' },
    { signs: { container: 'sg-1' } },
  );

/** A cloud whose groups hold three rules in each direction and family. */
const small = {
  ...dialect,
  rules: {
    ...dialect.rules,
    room: { most: 3, apart: ['direction', 'family'], quota: 'rules per group', container: 'a group' },
  },
} as const;

const given = (
  wanted: readonly ReturnType<typeof rule>[],
  seen: readonly ReturnType<typeof atom>[],
  rulesPerContainer?: number,
): PlanInput => {
  const made = input([net, group, ...wanted], looked([...standing, ...seen]), { knowledge: know(standing) });
  const wantedThere = { ...made.wanted, ...(rulesPerContainer === undefined ? {} : { rulesPerContainer }) };
  return { ...made, dialect: small, wanted: wantedThere };
};
const name = (ports: string, peer = office): string => `firewall-rule/core.web ingress tcp ${ports} ${peer}`;

const cases: readonly Case[] = [
  {
    name: 'a group with room for all: they are made',
    given: given([rule('1'), rule('2'), rule('3')], [atom('1')]),
    want: [`create ${name('2')}`, `create ${name('3')}`],
  },
  {
    name: 'a group without room for all: none is sent, and what would make room at once is closed',
    given: given([rule('1'), rule('2'), rule('3')], [atom('1'), atom('7')]),
    want: [`delete ${name('7')} (rogue)`, `withheld ${name('2')}: quota`, `withheld ${name('3')}: quota`],
  },
  {
    name: 'the old stays where it carries what there is no room for',
    given: given([rule('1'), rule('2'), rule('3')], [atom('1'), atom('2-9')]),
    want: [`withheld ${name('2')}: quota`, `withheld ${name('2-9')}: depends`, `withheld ${name('3')}: quota`],
  },
  {
    name: 'the families have room of their own',
    given: given([rule('1', '::/0'), rule('2')], [atom('2'), atom('7'), atom('8')]),
    want: [`create ${name('1', '::/0')}`, `delete ${name('7')} (rogue)`, `delete ${name('8')} (rogue)`],
  },
  {
    name: 'the quota that a target states counts',
    given: given([rule('1'), rule('2'), rule('3'), rule('4')], [], 4),
    want: ['1', '2', '3', '4'].map((ports) => `create ${name(ports)}`),
  },
  {
    name: 'a group that holds more than it should: its quota was raised, and only the cloud knows',
    given: given(
      [rule('1'), rule('2'), rule('3'), rule('4'), rule('5')],
      ['1', '2', '3', '4'].map((ports) => atom(ports)),
    ),
    want: [`create ${name('5')}`],
  },
];

runCases(cases, import.meta.url);

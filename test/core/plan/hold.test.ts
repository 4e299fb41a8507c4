import type { RuleMatch } from '../../../src/core/attributes.ts';
import type { Observation } from '../../../src/core/observed.ts';
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
    given: given([rule('443', 'observe')], [atom('80')]),
    want: [`withheld ${name('443')}: mode`, `withheld ${name('80')}: depends`].toSorted(),
  },
  {
    name: 'what nobody wrote goes all the same if it cannot be serving in the place of the new',
    given: given([rule('443', 'observe')], [atom('80', '192.168.0.0/16')]),
    want: [`delete ${name('80', '192.168.0.0/16')} (rogue)`, `withheld ${name('443')}: mode`],
  },
  {
    name: 'the old stays while a gap keeps the new from being made',
    given: given([rule('443')], [atom('80')], unseenNetworks),
    want: [
      'blocked network/core: not-observed',
      'incomplete network: Unreachable',
      `withheld ${name('443')}: depends`,
      `withheld ${name('80')}: depends`,
    ],
  },
];

/** Rules that their network holds, which change in place. */
const held = (text: string, match: Partial<RuleMatch>, mode: 'plan' | 'observe' = 'plan') => {
  const { group: _, ...attributes } = allow('', '443', [peer]);
  const said = { ...attributes, match: { ...attributes.match, targets: ['tag:web'], ...match } };
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

runCases([...cases, ...changing]);

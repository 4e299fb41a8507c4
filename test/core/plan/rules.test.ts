import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plan } from '../../../src/core/plan/plan.ts';
import { allow, at, input, looked, ours, see, vpc, want } from './fixture.ts';
import { summary } from './summary.ts';

const net = want('network', 'core', vpc());
const standing = ours('network', 'core', 'vpc-1', vpc());
const group = want('group', 'core.web', { network: at('network', 'core'), labels: {} });
const standingGroup = ours('group', 'core.web', 'sg-1', { network: 'vpc-1', labels: {} });
const rule = (ports: string, description = '') =>
  want(
    'firewall-rule',
    `core.web ingress tcp ${ports} 10.0.0.0/8`,
    allow(group.address, ports, ['10.0.0.0/8'], description),
    { deletionPolicy: 'delete' },
  );
const atom = (ports: string, description = '') =>
  see(
    'firewall-rule',
    `sg-1 ${ports}`,
    { ...allow('sg-1', ports, ['10.0.0.0/8'], description), network: 'vpc-1' },
    { signs: { container: 'sg-1' } },
  );

const ruleCases: ReadonlyArray<{ name: string; wanted: string[]; seen: string[]; want: string[] }> = [
  { name: '80-81 equals 80 and 81', wanted: ['80-81'], seen: ['80', '81'], want: [] },
  { name: '80 and 81 equal 80-81', wanted: ['80', '81'], seen: ['80-81'], want: [] },
  { name: 'no ports equal 0-65535', wanted: ['all'], seen: ['0-65535'], want: [] },
  { name: 'only what is open is asked for', wanted: ['80-82'], seen: ['80', '81'], want: ['create 82'] },
  {
    name: 'what reaches outside gets a whole successor first',
    wanted: ['80-81'],
    seen: ['80-90'],
    want: ['create 80-81', 'delete 80-90 (rogue)'],
  },
  { name: 'nobody wrote it: rogue', wanted: ['80'], seen: ['80', '443'], want: ['delete 443 (rogue)'] },
  {
    name: 'a wider rule is narrowed by adding first',
    wanted: ['443'],
    seen: ['all'],
    want: ['create 443', 'delete all (rogue)'],
  },
];

for (const { name, wanted, seen, want: expected } of ruleCases) {
  test(`ports are sets: ${name}`, () => {
    const got = plan(
      input(
        [net, group, ...wanted.map((ports) => rule(ports))],
        looked([standing, standingGroup, ...seen.map((ports) => atom(ports))]),
      ),
    );
    const ports = summary(got).map((line) =>
      line.replace('firewall-rule/core.web ingress tcp ', '').replace(' 10.0.0.0/8', ''),
    );
    assert.deepEqual(ports, expected);
  });
}

test('a description is changed in place, also where the cloud spells the ports otherwise', () => {
  const got = plan(
    input([net, group, rule('80-81', 'new')], looked([standing, standingGroup, atom('80', 'old'), atom('81', 'new')])),
  );
  assert.deepEqual(summary(got), ['update firewall-rule/core.web ingress tcp 80 10.0.0.0/8']);
});

test('a rule that nobody wrote stays in an additive network, and is named', () => {
  const given = input([net, group], looked([standing, standingGroup, atom('80')]));
  const got = plan({ ...given, wanted: { ...given.wanted, additive: new Set([at('network', 'core')]) } });
  assert.deepEqual(summary(got), ['unmanaged sg-1 80']);
});

test('rules in an orphan group stay with it', () => {
  assert.deepEqual(summary(plan(input([net], looked([standing, standingGroup, atom('80')])))), ['orphan sg-1']);
});

test('a rule whose group was not listed is neither ours nor foreign: nothing is concluded', () => {
  const gaps = [{ kind: 'group' as const, code: 'x', reason: 'y' }];
  assert.deepEqual(summary(plan(input([net], looked([standing, atom('80')], { gaps })))), ['incomplete group: x']);
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Effect, joinEffects, noEffect } from '../../../src/core/effect/effect.ts';
import { effectJson, effectText, servicesJson, servicesText } from '../../../src/core/render/effect.ts';
import { type EstateDraft, effectOn } from '../effect/estate.ts';

const machines = ['web-0', 'web-1', 'web-2', 'web-3'].map((name, at) => ({
  ...{ name, groups: ['all', 'web'], publicIp: at < 2, ip: `10.0.1.${at + 5}` },
}));
const db = { name: 'db-0', groups: ['all', 'db'], subnet: 'far', ip: '10.0.2.5' };
const estate: EstateDraft = {
  cloud: 'aws',
  machines: [...machines, db],
  rules: [
    { name: 'out', text: 'all to 0.0.0.0/0 of all' },
    { name: 'sql', text: 'tcp 5432 from web to db' },
  ],
};
const on = (scope: string, { opens, cuts, ...rest }: Effect): Effect => ({
  ...rest,
  opens: opens.map((one) => ({ ...one, scope })),
  cuts: cuts.map((one) => ({ ...one, scope })),
});

const textOf = (effect: Effect): string | undefined => effectText(effectJson(effect));

describe('the effect of a plan as text', () => {
  test('openings from anyone first, then others, cuts, doubts, and rules that apply to nothing', () => {
    const effect = effectOn(estate, [
      '-sql',
      '+ssh: tcp 22 from 0.0.0.0/0 to web',
      '+ping: icmp 8/all from 192.168.0.0/16 to db',
      '+list: tcp 25 from prefix-list:pl-1 to db',
      '+cache: tcp 6379 from web to cache',
    ]);
    assert.deepEqual(textOf(effect)?.split('\n'), [
      'Effect on traffic:',
      '  ! opens 22/tcp to core.web (4 instances) from 0.0.0.0/0  2 of them exposed  firewall-rule core.ssh',
      '  ! opens 8/icmp to core.db (1 instance) from 192.168.0.0/16  0 of them exposed, 1 by ways that Setpoint does not evaluate  firewall-rule core.ping',
      '  ! opens 22/tcp to core.web (4 instances) from all 5 instances of core  firewall-rule core.ssh',
      '  - cuts core.web (4 instances) from core.db (1 instance) on 5432/tcp  firewall-rule core.sql',
      '  ? may open 25/tcp to core.db (1 instance) from 0.0.0.0/0  Setpoint cannot tell all that rule core.list is about',
      '  ? may open 25/tcp to core.db (1 instance) from all 5 instances of core  Setpoint cannot tell all that rule core.list is about',
      '  · firewall-rule core.cache applies to no instance  specs/a.yaml:1',
    ]);
  });

  test('names of machines are few, and their own traffic has its own words', () => {
    const some = effectOn(estate, ['+one: tcp 80 from 10.0.1.5/32 to db', '+three: tcp 90 from 10.0.1.4/30 to db']);
    assert.deepEqual(
      some.opens.map(({ from }) => from.kind === 'instances' && from.names),
      [['web-0', 'web-1', 'web-2'], ['web-0']],
    );
    const lines = textOf(some)?.split('\n') ?? [];
    assert.match(lines[1] ?? '', /from web-0, web-1, web-2 \(3 instances\) {2}/);
    assert.match(lines[2] ?? '', /from web-0 {2}/);
    const sent = effectOn({ ...estate, rules: [] }, ['+out: tcp 443 to 0.0.0.0/0 of db']);
    assert.match(
      textOf(sent) ?? '',
      /! opens 443\/tcp from core\.db \(1 instance\) to 0\.0\.0\.0\/0 {2}none of them exposed: no way to the internet/,
    );
  });

  test('a note on several scopes is one line, with their clouds where it is not on all', () => {
    const opened = effectOn(estate, ['+ssh: tcp 22 from 192.0.2.0/24 to web']);
    const cut = effectOn(estate, ['-sql']);
    const lines = textOf(joinEffects([on('aws/1/a', opened), on('azure/1/b', opened), on('gcp/1', cut)]))?.split('\n');
    assert.deepEqual(lines, [
      'Effect on traffic:',
      '  ! opens 22/tcp to core.web (4 instances) from 192.0.2.0/24  on aws, azure  2 of them exposed  firewall-rule core.ssh',
      '  - cuts core.web (4 instances) from core.db (1 instance) on 5432/tcp  on gcp  firewall-rule core.sql',
    ]);
    const twice = textOf(joinEffects([on('aws/1/a', opened), on('aws/1/b', cut)])) ?? '';
    assert.match(twice, / on aws\/1\/a /);
  });

  test('more than ten lines of a sort are a number', () => {
    const rules = Array.from(
      { length: 12 },
      (_, at) => `+r${at}: tcp ${100 + 2 * at} from 192.0.2.${at * 4}/32 to web`,
    );
    const lines = textOf(effectOn(estate, rules))?.split('\n') ?? [];
    assert.deepEqual(lines.slice(11), ['  and 2 more: --json lists all']);
  });

  test('a plan that changes no traffic has no section', () => {
    assert.equal(textOf(noEffect), undefined);
  });

  test('rules for machines that the plan creates are a number, and gaps show', () => {
    const idle = { scope: 'aws/1/a', rule: 'aws/1/a/firewall-rule/core.x', toCome: 2 };
    assert.deepEqual(textOf({ ...noEffect, idle: [idle, { ...idle, scope: 'gcp/1' }], gaps: ['a gap'] })?.split('\n'), [
      'Effect on traffic:',
      '  · A new rule applies only to instances that this plan creates',
      '  · may be incomplete  a gap',
    ]);
  });
});

describe('services as text', () => {
  for (const [services, want] of [
    [
      [
        {
          protocol: 'tcp',
          ports: [
            { from: 1, to: 2 },
            { from: 9, to: 9 },
          ],
        },
        { protocol: 'udp' },
      ],
      '1-2/tcp, 9/tcp, all udp',
    ],
    [[{ protocol: 'all' }], 'all traffic'],
    [[{ protocol: 'all' }, { protocol: 'tcp', ports: [] }], 'all traffic but tcp'],
    [[{ protocol: 'all' }, { protocol: 'tcp', ports: [{ from: 53, to: 53 }] }], 'all traffic but tcp, of which 53/tcp'],
    [
      [
        {
          protocol: 'icmp',
          ports: [
            { from: 2048, to: 2048 },
            { from: 2304, to: 3071 },
          ],
        },
      ],
      '8/0/icmp, 9-11/icmp',
    ],
  ] as const)
    test(want, () => assert.equal(servicesText(services.map(servicesJson)), want));
});

test('an opening to machines that are all exposed says so', () => {
  const exposed = {
    cloud: 'aws',
    internet: true,
    machines: [{ name: 'edge-0', groups: ['edge'], publicIp: true }],
    rules: [],
  } as const;
  assert.match(
    textOf(effectOn(exposed, ['+ssh: tcp 22 from 0.0.0.0/0 to edge'])) ?? '',
    /! opens 22\/tcp to \S* ?.*from 0\.0\.0\.0\/0 {2}all of them exposed {2}firewall-rule core\.ssh/,
  );
});

test('the effect as data names each end, each service and each cause', () => {
  const { opens, cuts } = effectJson(effectOn(estate, ['-sql', '+ssh: tcp 22-23 from 0.0.0.0/0 to db']));
  assert.deepEqual(opens[0], {
    scope: 'aws/1/eu-1',
    from: { cidr: '0.0.0.0/0', anyone: true },
    to: {
      ...{ network: 'core', groups: ['core.db'], names: [], count: 1, instances: ['aws/1/eu-1/instance/db-0'] },
      ...{ exposed: 0, maybeExposed: 0 },
    },
    services: [{ protocol: 'tcp', ports: '22-23' }],
    resources: ['aws/1/eu-1/firewall-rule/core.ssh'],
  });
  assert.equal(cuts.length, 1);
});

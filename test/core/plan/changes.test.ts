import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dialect as azure } from '../../../providers/azure/dialect.ts';
import type { Dialect } from '../../../src/core/compile/dialect.ts';
import type { Desired } from '../../../src/core/desired.ts';
import { causeOfReturn } from '../../../src/core/plan/changes.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import { allow, at, dialect as byContent, input, know, looked, ours, see, summary, vpc, want } from './fixture.ts';

const net = want('network', 'core', vpc());
const standing = ours('network', 'core', 'vpc-1', vpc());
const subnet = want('subnet', 'core.app', { network: at('network', 'core'), cidr: '10.0.1.0/24', labels: {} });

test('drift and rollout are told apart by the last applied spec', () => {
  const applied = (labels: Record<string, string>) => ({
    knowledge: know([standing], {
      applied: new Map([[at('network', 'core'), { attributes: vpc('10.0.0.0/16', labels), generation: 1 }]]),
    }),
  });
  const cause = (labels: Record<string, string>) =>
    plan(input([want('network', 'core', vpc('10.0.0.0/16', { a: '1' }))], looked([standing]), applied(labels)))
      .actions[0]?.cause;
  assert.equal(cause({ a: '1' }), 'drift', 'the spec stands as it was applied: the cloud moved');
  assert.equal(cause({ a: '0' }), 'rollout', 'the spec moved');
});

test('what vanished comes back as drift, and as a rollout where the spec has moved since', () => {
  const knowledge = know([], { applied: new Map([[at('network', 'core'), { attributes: vpc(), generation: 1 }]]) });
  const causes = (labels: Record<string, string>) =>
    plan(input([want('network', 'core', vpc('10.0.0.0/16', labels))], looked([]), { knowledge })).actions.map(
      ({ verb, cause }) => `${verb} ${cause}`,
    );
  assert.deepEqual(causes({}), ['create drift']);
  assert.deepEqual(causes({ a: '1' }), ['create rollout']);
});

test('a rule that its group is born with: gone it is drift, unless the spec had closed it or never applied the group', () => {
  const group = at('group', 'core.web');
  const egress = want('firewall-rule', 'core.web.egress.all.all.0.0.0.0/0', {
    network: at('network', 'core'),
    group,
    match: { direction: 'egress', action: 'allow', protocol: 'all', ports: 'all', peers: ['0.0.0.0/0'] },
    description: '',
  });
  const cause = (presence: 'implied' | 'stated', defaultEgress: 'allow' | 'deny' | undefined) => {
    const attributes = { network: at('network', 'core'), defaultEgress, labels: {} };
    const applied = new Map(defaultEgress && [[group, { attributes, generation: 1 }]]);
    const desired = { ...egress, terms: { ...egress.terms, presence } };
    return causeOfReturn(desired, { knowledge: know([], { applied }), dialect: azure });
  };
  assert.equal(cause('implied', 'allow'), 'drift');
  assert.equal(cause('implied', 'deny'), 'rollout');
  assert.equal(cause('implied', undefined), 'rollout');
  assert.equal(cause('stated', 'allow'), 'rollout');
});

test('a label that the last applied spec had and this one has not is removed', () => {
  const seen = ours('network', 'core', 'vpc-1', vpc('10.0.0.0/16', { a: '1', theirs: '2' }));
  const got = plan(
    input([net], looked([seen]), {
      knowledge: know([seen], {
        applied: new Map([[at('network', 'core'), { attributes: vpc('10.0.0.0/16', { a: '1' }), generation: 1 }]]),
      }),
    }),
  );
  assert.deepEqual(
    got.actions.flatMap((a) => (a.verb === 'update' ? a.changes : [])),
    [{ field: 'labels.a', from: '1' }],
  );
});

test('a label is removed by the key that the cloud has, where it compares keys without case', () => {
  const seen = ours('network', 'core', 'vpc-1', vpc('10.0.0.0/16', { Team: 'net', TIER: '1' }));
  const wanted = want('network', 'core', vpc('10.0.0.0/16', { tier: '1' }));
  const applied = { attributes: vpc('10.0.0.0/16', { team: 'net', tier: '1' }), generation: 1 };
  const { dialect, ...rest } = input([wanted], looked([seen]), {
    knowledge: know([seen], { applied: new Map([[at('network', 'core'), applied]]) }),
  });
  const got = plan({
    ...rest,
    dialect: { ...dialect, matchSpelling: (one, present) => azure.matchSpelling?.(one, present) ?? one },
  });
  assert.deepEqual(
    got.actions.flatMap((a) => (a.verb === 'update' ? a.changes : [])),
    [{ field: 'labels.Team', from: 'net' }],
  );
});

test('the same input gives a byte-identical plan, whatever the order of listings and documents', () => {
  const desired = [net, subnet, want('network', 'b', vpc()), want('network', 'a', vpc())];
  const seen = [standing, see('network', 'vpc-9', vpc()), see('network', 'vpc-8', vpc())];
  const one = plan(input(desired, looked(seen)));
  const other = plan(input(desired.toReversed(), looked(seen.toReversed())));
  assert.equal(JSON.stringify(other), JSON.stringify(one));
  assert.equal(one.actions.length, 3);
});

/** Compares without case and numbers its rules, as Azure does. */
const dialect: Dialect = {
  ...byContent,
  matchSpelling: (desired, observed) => azure.matchSpelling?.(desired, observed) ?? desired,
  rules: { ...byContent.rules, numbering: { first: 100, last: 4095, gap: 10 } },
};

const [core, app, web] = [at('network', 'core'), at('subnet', 'core.app'), at('group', 'core.web')];
const cidr = '10.0.1.0/24';
/** Observed resources that match their specs. */
const around = [
  want('network', 'core', vpc()),
  want('subnet', 'core.app', { network: core, cidr, labels: {} }),
  want('group', 'core.web', { network: core, labels: {} }),
];
const returnsStanding = [
  ours('network', 'core', 'vnet', vpc()),
  ours('subnet', 'core.app', 'sub', { network: 'vnet', cidr, labels: {} }),
  ours('group', 'core.web', 'asg', { network: 'vnet', labels: {} }),
];
const labelled = (labels: Record<string, string>) => want('network', 'blog', vpc('10.1.0.0/16', labels));
const rule = (priority: number, peers = ['10.0.0.0/8']) =>
  want('firewall-rule', 'core.web', { ...allow(web, '80', peers), order: { priority } });
const fixedRule = (priority: number): Desired => ({
  ...rule(priority),
  documents: [{ address: core, file: 'specs/a.yaml', line: 1 }],
});
const machine = (size: string) =>
  want('instance', 'web-0', {
    placement: { subnet: app, publicIp: false },
    machine: { image: 'ubuntu', size, power: 'running' },
    labels: {},
  });

/** `was`: as it was applied last; it vanished since. */
const rows: readonly {
  readonly name: string;
  readonly was: Desired;
  readonly is: Desired;
  readonly want: 'drift' | 'rollout';
}[] = [
  { name: 'the same', was: labelled({ a: '1' }), is: labelled({ a: '1' }), want: 'drift' },
  { name: 'another value', was: labelled({ a: '0' }), is: labelled({ a: '1' }), want: 'rollout' },
  { name: 'a key in another case', was: labelled({ Team: 'x' }), is: labelled({ team: 'x' }), want: 'drift' },
  {
    name: 'a key in another case, with another value',
    was: labelled({ Team: 'x' }),
    is: labelled({ team: 'y' }),
    want: 'rollout',
  },
  { name: 'one more key', was: labelled({ a: '1' }), is: labelled({ a: '1', b: '2' }), want: 'rollout' },
  { name: 'a size in another case', was: machine('Standard_B1s'), is: machine('standard_b1s'), want: 'drift' },
  { name: 'another size', was: machine('standard_b1s'), is: machine('standard_b2s'), want: 'rollout' },
  { name: 'a rule that gets another number', was: rule(350), is: rule(1000), want: 'drift' },
  {
    name: 'a rule that gets another number, for others',
    was: rule(350),
    is: rule(1000, ['11.0.0.0/8']),
    want: 'rollout',
  },
  { name: 'a rule with a fixed number: another one', was: fixedRule(4096), is: fixedRule(4095), want: 'rollout' },
];

describe('why what vanished comes back', () => {
  for (const { name, was, is, want: cause } of rows)
    test(`${name}: ${cause}`, () => {
      const knowledge = know(returnsStanding, {
        applied: new Map([[is.address, { attributes: was.attributes, generation: 1 }]]),
      });
      const { actions } = plan({ ...input([...around, is], looked(returnsStanding), { knowledge }), dialect });
      assert.deepEqual(
        actions.map((action) => [action.verb, action.address, action.cause]),
        [['create', is.address, cause]],
      );
    });

  test('where a cloud gives no numbers, a number is what its spec says', () => {
    const applied = new Map([[rule(1).address, { attributes: rule(1).attributes, generation: 1 }]]);
    const given = input([...around, rule(2)], looked(returnsStanding), {
      knowledge: know(returnsStanding, { applied }),
    });
    assert.deepEqual(
      plan(given).actions.map(({ cause }) => cause),
      ['rollout'],
    );
  });
});

const group = want('group', 'core.web', { network: at('network', 'core'), labels: {} });
const standingGroup = ours('group', 'core.web', 'sg-1', { network: 'vpc-1', labels: {} });
const atomRule = (ports: string, description = '') =>
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
        [net, group, ...wanted.map((ports) => atomRule(ports))],
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
    input(
      [net, group, atomRule('80-81', 'new')],
      looked([standing, standingGroup, atom('80', 'old'), atom('81', 'new')]),
    ),
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

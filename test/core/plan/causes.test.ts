import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dialect as azure } from '../../../providers/azure/dialect.ts';
import { causeOfReturn } from '../../../src/core/plan/changes.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import { at, input, know, looked, ours, see, vpc, want } from './fixture.ts';

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
    dialect: { ...dialect, respell: (one, present) => azure.respell?.(one, present) ?? one },
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

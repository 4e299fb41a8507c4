import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Desired } from '../../../src/core/desired.ts';
import { kindNames } from '../../../src/core/kinds/kinds.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import { planText } from '../../../src/core/render/plan-text.ts';
import { entriesOf } from '../../../src/core/render/summary.ts';
import type { Kind, RuleAttributes } from '../../../src/core/resource.ts';
import type { HeardTouch } from '../../../src/core/touch.ts';
import { allow, at, input, know, looked, ours, see, vpc, want } from '../plan/fixture.ts';

const net = want('network', 'core', vpc('10.0.0.0/16', { tier: 'net' }));
const standing = ours('network', 'core', 'vpc-1', vpc('10.0.0.0/16', { tier: 'old' }));
const group = want('group', 'core.web', { network: at('network', 'core'), labels: {} });
const standingGroup = ours('group', 'core.web', 'sg-1', { network: 'vpc-1', labels: {} });

function rule(ports: string, document: string): Desired<'firewall-rule'> {
  const atom: RuleAttributes = allow(group.address, ports, ['10.0.0.0/8']);
  const made = want('firewall-rule', `core.web ingress tcp ${ports} 10.0.0.0/8`, atom);
  return { ...made, documents: [{ address: at('firewall-rule', document), file: 'specs/rules.yaml', line: 7 }] };
}
const atom = (ports: string) =>
  see('firewall-rule', `sg-1 ${ports}`, allow('sg-1', ports, ['10.0.0.0/8']), { signs: { container: 'sg-1' } });

test('a plan for people: the verdict, each change with its document, then what is not acted on', () => {
  const made = plan(
    input(
      [net, group, rule('80', 'core.web'), rule('443', 'core.web')],
      looked([standing, standingGroup, atom('22'), see('network', 'vpc-9', vpc(), { name: 'lab' })]),
    ),
  );
  assert.equal(
    planText([made], { revision: 'folder:1a2b3c4d5e' }),
    `Plan: 1 to add, 1 to change, 0 to replace, 1 to delete · 1 drifted · 1 unmanaged · folder 1a2b3c4 · 4 calls

aws/1/eu-1
  ~ network core  specs/a.yaml:1
      ~ labels.tier  old → net
  + firewall-rule core.web  specs/rules.yaml:7
      + ingress tcp 443 from 10.0.0.0/8 to core.web
      + ingress tcp 80 from 10.0.0.0/8 to core.web
  - firewall-rule core.web ingress tcp 22 10.0.0.0/8  nobody wrote this rule  ! drifted
      - ingress tcp 22 from 10.0.0.0/8 to core.web
  ? network vpc-9 (lab)  rogue: nobody claims it`,
  );
});

test('what was not listed is one line a kind, with its number', () => {
  const gaps = [{ kind: 'network', code: 'Denied', reason: 'denied' }] as const;
  const wanted = [net, want('network', 'lab', vpc()), want('network', 'old', vpc())];
  const made = plan(input(wanted, looked([], { gaps })));
  assert.deepEqual(planText([made], { revision: 'folder:1a2b3c4d5e' }).split('\n').slice(3), [
    '  · network core and 2 more blocked  network could not be listed: denied. Nothing is concluded from it; run again.',
    '  · incomplete  network was not listed completely: denied',
  ]);
});

test('a reason for which nothing could be listed is told once for all its scopes, with the next step', () => {
  const without = (scope: string, reason: string, kinds: readonly Kind[] = kindNames) => {
    const gaps = kinds.map((kind) => ({ kind, code: 'NoCredentials', reason }));
    return { ...plan(input([net], looked([], { gaps }))), scope };
  };
  const plans = [
    without('aws/1/eu-1', 'no credentials'),
    without('aws/1/us-1', 'no credentials'),
    without('aws/2/eu-1', 'no such region'),
    without('aws/3/eu-1', 'denied', ['network', 'subnet']),
  ];
  assert.deepEqual(planText(plans, { revision: 'folder:1a2b3c4d5e' }).split('\n').slice(1), [
    '',
    'aws/3/eu-1',
    '  · network core blocked  network could not be listed: denied. Nothing is concluded from it; run again.',
    '  · incomplete  network was not listed completely: denied',
    '  · incomplete  subnet was not listed completely: denied',
    '',
    'aws/1/eu-1',
    'aws/1/us-1',
    '  · nothing could be listed  no credentials',
    '',
    'aws/2/eu-1',
    '  · nothing could be listed  no such region',
    '',
    'Nothing is concluded from a scope that could not be listed. What each target needs: setpoint doctor',
  ]);
});

test('a rule document that moves on is one change, not an addition and a deletion', () => {
  const document = at('firewall-rule', 'core.web');
  const applied = new Map([
    [
      at('firewall-rule', 'core.web ingress tcp 22 10.0.0.0/8'),
      { attributes: allow('x', '22', []), generation: 1, documents: [document] },
    ],
  ]);
  const seen = [standing, standingGroup, atom('22')];
  const given = input([group, rule('443', 'core.web')], looked(seen), { knowledge: know(seen, { applied }) });
  assert.deepEqual(
    entriesOf(plan(given).actions).map(({ verb, address, actions }) => `${verb} ${address} ${actions.length}`),
    [`update ${document} 2`],
  );
});

test('nothing to do is said in one line', () => {
  assert.equal(
    planText([plan(input([], looked([])))], { revision: 'abcdef0123' }),
    'Plan: 0 to add, 0 to change, 0 to replace, 0 to delete · 0 drifted · 0 unmanaged · commit abcdef0 · 0 calls',
  );
});

test('who changed what drifted is said below it, each once, by how long ago it was', () => {
  const by = { who: 'user/eve', action: 'Authorize', from: '203.0.113.9', event: 'e', at: 1 };
  const stranger = see('network', 'vpc-9', vpc(), { name: 'lab' });
  const touches = new Map<string, HeardTouch>([
    ['sg-1 22', { by, heardAt: 1 }],
    ['sg-1 23', { by, heardAt: 1 }],
    ['vpc-9', { by: { who: 'user/bob', action: 'CreateVpc', event: 'f', at: Date.UTC(2026, 0, 1, 8) }, heardAt: 1 }],
  ]);
  const seen = [standing, standingGroup, atom('22'), stranger];
  const given = input([net, group], looked(seen), { knowledge: know(seen, { touches }) });
  const text = (ago?: (at: number) => string): readonly string[] =>
    planText([plan(given)], { revision: 'folder:1a2b3c4d5e', ...(ago ? { ago } : {}) }).split('\n');
  assert.deepEqual(text((at) => `${at} ms ago`).slice(5), [
    '  - firewall-rule core.web ingress tcp 22 10.0.0.0/8  nobody wrote this rule  ! drifted',
    '      - ingress tcp 22 from 10.0.0.0/8 to core.web',
    '      changed by user/eve (Authorize from 203.0.113.9) 1 ms ago',
    '  ? network vpc-9 (lab)  rogue: nobody claims it',
    '      changed by user/bob (CreateVpc) 1767254400000 ms ago',
  ]);
  assert.equal(text().at(-1), '      changed by user/bob (CreateVpc) at 2026-01-01 08:00:00 UTC');
});

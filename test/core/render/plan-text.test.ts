import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import type { Action, Cause, ScopePlan } from '../../../src/core/action.ts';
import type { Desired } from '../../../src/core/desired.ts';
import { kindNames } from '../../../src/core/kinds/kinds.ts';
import type { HeardTouch } from '../../../src/core/last-modified.ts';
import { pauseHold } from '../../../src/core/plan/holds.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import type { Choices, PlanInput } from '../../../src/core/plan/plan-input.ts';
import { planJson } from '../../../src/core/render/plan-json.ts';
import { planText } from '../../../src/core/render/plan-text.ts';
import { ruleText } from '../../../src/core/render/rule-text.ts';
import { entriesOf, summarise } from '../../../src/core/render/summary.ts';
import { bareMoment, dayOf, formatMoment, shortRevision } from '../../../src/core/render/wording.ts';
import type { Cloud, Kind, RuleAttributes, RuleMatch } from '../../../src/core/resource.ts';
import { desiredOf } from '../../support/fixtures.ts';
import { allow, at, input, know, looked, ours, see, vpc, want } from '../plan/fixture.ts';
import { machines, standing, web } from '../plan/rollouts.ts';

const net = want('network', 'core', vpc('10.0.0.0/16', { tier: 'net' }));
const planTextStanding = ours('network', 'core', 'vpc-1', vpc('10.0.0.0/16', { tier: 'old' }));
const group = want('group', 'core.web', { network: at('network', 'core'), labels: {} });
const standingGroup = ours('group', 'core.web', 'sg-1', { network: 'vpc-1', labels: {} });

function rule(ports: string, document: string): Desired<'firewall-rule'> {
  const atom: RuleAttributes = allow(group.address, ports, ['10.0.0.0/8']);
  const made = want('firewall-rule', `core.web ingress tcp ${ports} 10.0.0.0/8`, atom);
  return { ...made, documents: [{ address: at('firewall-rule', document), file: 'specs/rules.yaml', line: 7 }] };
}
const atom = (ports: string) =>
  see('firewall-rule', `sg-1 ${ports}`, allow('sg-1', ports, ['10.0.0.0/8']), { signs: { container: 'sg-1' } });

test('a plan for people: the verdict, each change with its document, then the rest', () => {
  const made = plan(
    input(
      [net, group, rule('80', 'core.web'), rule('443', 'core.web')],
      looked([planTextStanding, standingGroup, atom('22'), see('network', 'vpc-9', vpc(), { name: 'lab' })]),
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
  - firewall-rule core.web ingress tcp 22 10.0.0.0/8  no document states this rule  ! drifted
      - ingress tcp 22 from 10.0.0.0/8 to core.web
  ? network vpc-9 (lab)  rogue: no estate claims it`,
  );
});

test('unlisted resources are one line a kind, with their number', () => {
  const gaps = [{ kind: 'network', code: 'Denied', reason: 'denied' }] as const;
  const wanted = [net, want('network', 'lab', vpc()), want('network', 'old', vpc())];
  const made = plan(input(wanted, looked([], { gaps })));
  assert.deepEqual(planText([made], { revision: 'folder:1a2b3c4d5e' }).split('\n').slice(3), [
    '  · network core and 2 more blocked  network could not be listed: denied. Setpoint plans nothing that depends on it; run it again.',
    '  · incomplete  network was not listed completely: denied',
  ]);
});

test('a reason for which nothing could be listed shows once for all its scopes, with the next step', () => {
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
    '  · network core blocked  network could not be listed: denied. Setpoint plans nothing that depends on it; run it again.',
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
    'Setpoint plans nothing for a scope that it could not list. Find the cause with: setpoint doctor',
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
  const seen = [planTextStanding, standingGroup, atom('22')];
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

test('authors of drift show below it, each once, the newest change first', () => {
  const by = { who: 'user/eve', action: 'Authorize', from: '203.0.113.9', event: 'e', at: 1 };
  const stranger = see('network', 'vpc-9', vpc(), { name: 'lab' });
  const touches = new Map<string, HeardTouch>([
    ['sg-1 22', { by, heardAt: 1 }],
    ['sg-1 23', { by, heardAt: 1 }],
    ['vpc-9', { by: { who: 'user/bob', action: 'CreateVpc', event: 'f', at: Date.UTC(2026, 0, 1, 8) }, heardAt: 1 }],
  ]);
  const seen = [planTextStanding, standingGroup, atom('22'), stranger];
  const given = input([net, group], looked(seen), { knowledge: know(seen, { touches }) });
  const text = (ago?: (at: number) => string): readonly string[] =>
    planText([plan(given)], { revision: 'folder:1a2b3c4d5e', ...(ago ? { ago } : {}) }).split('\n');
  assert.deepEqual(text((at) => `${at} ms ago`).slice(5), [
    '  - firewall-rule core.web ingress tcp 22 10.0.0.0/8  no document states this rule  ! drifted',
    '      - ingress tcp 22 from 10.0.0.0/8 to core.web',
    '      changed by user/eve (Authorize from 203.0.113.9) 1 ms ago; healing undoes it',
    '  ? network vpc-9 (lab)  rogue: no estate claims it',
    '      changed by user/bob (CreateVpc) 1767254400000 ms ago; Setpoint leaves it',
  ]);
  assert.equal(text().at(-1), '      changed by user/bob (CreateVpc) at 2026-01-01 08:00:00 UTC; Setpoint leaves it');
});

test('drift without an author says so where its cloud sends events, also where it is withheld', () => {
  const seen = [planTextStanding, standingGroup, atom('22')];
  const given = input([net, group], looked(seen), { knowledge: know(seen) });
  const text = (of: Partial<PlanInput>, auditLogs?: readonly Cloud[]): string =>
    planText([plan({ ...given, ...of })], { revision: 'abcdef0123', auditLogs });
  const nobody = /^ {6}nobody told: no event names this change; (.*)$/m;
  assert.equal(nobody.exec(text({}, ['aws', 'gcp']))?.[1], 'healing undoes it');
  const holds = [() => ({ code: 'paused', why: 'a freeze' }) as const];
  assert.equal(nobody.exec(text({ choices: { holds } }, ['aws']))?.[1], 'healing would undo it, and is withheld');
  for (const auditLogs of [undefined, [], ['gcp'] as const]) assert.doesNotMatch(text({}, auditLogs), /nobody told/);
  const stranger = see('network', 'vpc-9', vpc(), { name: 'lab' });
  const observation = looked([planTextStanding, standingGroup, stranger]);
  assert.doesNotMatch(text({ observation }, ['aws']), /nobody told/, 'an unmanaged object is no drift');
});

const base: RuleMatch = { direction: 'ingress', action: 'allow', protocol: 'tcp', ports: '443', peers: ['10.0.0.0/8'] };
const ruleTextRule = (match: Partial<RuleMatch>, more: Partial<RuleAttributes> = {}): RuleAttributes => ({
  network: 'vnet',
  match: { ...base, ...match },
  description: '',
  ...more,
});

const rows: readonly { readonly name: string; readonly rule: RuleAttributes; readonly want: string }[] = [
  {
    name: 'in a group',
    rule: ruleTextRule({}, { group: 'aws/1/eu/group/core.web' }),
    want: 'ingress tcp 443 from 10.0.0.0/8 to core.web',
  },
  {
    name: 'for a tag',
    rule: ruleTextRule({ targets: ['tag:core-web'], peers: ['tag:core-lb'] }, { order: { priority: 1000 } }),
    want: 'ingress tcp 443 from core-lb to core-web, priority 1000',
  },
  {
    name: 'several protocols',
    rule: ruleTextRule({ protocol: 'icmp,tcp', ports: 'icmp:all;tcp:80,443', targets: ['tag:web'] }),
    want: 'ingress icmp and tcp 80,443 from 10.0.0.0/8 to web',
  },
  {
    name: 'ports of every protocol',
    rule: ruleTextRule({ protocol: 'all', ports: '88-90', targets: [] }),
    want: 'ingress all 88-90 from 10.0.0.0/8 to everyone',
  },
  {
    name: 'from source ports, which only Azure has',
    rule: ruleTextRule({ protocol: 'all', ports: '88-90 from 5000', targets: [], peers: ['service-tag:Internet'] }),
    want: 'ingress all 88-90 (source ports 5000) from service-tag:Internet to everyone',
  },
  {
    name: 'for everyone in the network, switched off',
    rule: ruleTextRule({ targets: [], action: 'deny', ports: 'all' }, { order: { priority: 9, disabled: true } }),
    want: 'deny ingress tcp from 10.0.0.0/8 to everyone, priority 9, disabled',
  },
  {
    name: 'out of a group',
    rule: ruleTextRule({
      direction: 'egress',
      targets: ['azure/s/weu/rg/group/core.web'],
      peers: ['group:azure/s/weu/rg/group/core.db'],
    }),
    want: 'egress tcp 443 from core.web to core.db',
  },
];
for (const { name, rule: given, want } of rows) test(`a rule ${name}`, () => assert.equal(ruleText(given), want));

test('changes that wait alike for a wave or a pause are one line', () => {
  const given = machines({ replicas: 12, there: [...standing(0, 0, 'new'), ...standing(1, 11, 'old')] });
  const freeze = { reason: 'freeze', person: 'ann', until: Date.parse('2027-01-31T17:30:00Z') };
  const of = { by: 'address', name: at('instance', 'web-1') } as const;
  const holds = [pauseHold([{ what: 'all', of, ...freeze }], given.wanted)];
  const text = (choices: Choices): readonly string[] =>
    planText([plan({ ...given, choices })], { revision: 'abcdef0123' }).split('\n');
  assert.deepEqual(text({}), [
    'Plan: 0 to add, 0 to change, 2 to replace, 0 to delete · 0 drifted · 0 unmanaged · 9 withheld · commit abcdef0 · 2 calls',
    '',
    'aws/1/eu-1',
    '  -/+ instance web-1  the old machine is deleted first  specs/a.yaml:1',
    '      ! the data on its disks is LOST: nothing is carried over. Its private address changes.',
    '      ~ machine.image  old → new',
    '  -/+ instance web-2  the old machine is deleted first  specs/a.yaml:1',
    '      ! the data on its disks is LOST: nothing is carried over. Its private address changes.',
    '      ~ machine.image  old → new',
    '  · instance web-10 and 8 more withheld  wave 2 of 3: 1 of 12 done; waits for web-1 and 1 more',
  ]);
  assert.deepEqual(text({ holds }).slice(-2), [
    '  · instance web-1 withheld  paused for address aws/1/eu-1/instance/web-1 by ann until 2027-01-31 17:30 UTC: freeze. It resumes then. To resume earlier, run the line that setpoint status prints.',
    '  · instance web-10 and 8 more withheld  wave 2 of 3: 1 of 12 done; waits for web-1 (withheld) and 1 more',
  ]);
  assert.deepEqual(text({ stopped: [{ document: web, why: 'no such image' }] }).slice(-1), [
    '  · instance web-1 and 10 more withheld  stopped in wave 2 of 3: 1 of 12 done. no such image. To resume: setpoint resume --rollout-of aws/1/eu-1/instance/web --reason "…"; to go back: commit the former spec.',
  ]);
  const fresh = plan({
    ...machines({ replicas: 90, there: [] }),
    choices: { holds: [() => ({ code: 'limit', why: 'too many' })] },
  });
  assert.deepEqual(planText([fresh], { revision: 'abcdef0123' }).split('\n').slice(-1), [
    '  · create instance web-0 and 89 more withheld  too many',
  ]);
  const { findings } = planJson([plan(given)], { estate: 'acme', revision: 'abcdef0123' }, (told) => told);
  assert.deepEqual(JSON.parse(JSON.stringify(findings[0])), {
    type: 'withheld',
    address: at('instance', 'web-10'),
    kind: 'instance',
    action: 'replace',
    code: 'wave',
    reason: 'wave 2 of 3: 1 of 12 done; waits for web-1 and 1 more',
    scope: 'aws/1/eu-1',
  });
});

const document = { address: 'aws/1/eu-west-1/firewall-rule/web', file: 'web.yaml', line: 1 };

/** One atom of the document `web`. */
const summaryAtom = (port: string, cause: Cause): Action => ({
  verb: 'create',
  because: 'absent',
  kind: 'firewall-rule',
  address: `aws/1/eu-west-1/firewall-rule/core.web.ingress.tcp.${port}.10.0.0.0/8`,
  documents: [document],
  cause,
  desired: desiredOf('firewall-rule', {
    address: `aws/1/eu-west-1/firewall-rule/core.web.ingress.tcp.${port}.10.0.0.0/8`,
    name: '',
    attributes: {
      network: 'n',
      match: { direction: 'ingress', action: 'allow', protocol: 'tcp', ports: port, peers: ['10.0.0.0/8'] },
      description: '',
    },
  }),
});

const planOf = (actions: readonly Action[]): ScopePlan => ({
  scope: 'aws/1/eu-west-1',
  actions,
  findings: [],
  calls: { observed: 0, predicted: 0 },
});

/** The actions of a plan that `drift` keeps. */
const onlyDrift = (actions: readonly Action[]): readonly Action[] => actions.filter(({ cause }) => cause === 'drift');

const pages = (text: string): readonly string[] => text.split('\n').slice(4);
const route = { destination: '10.0.0.0/8', nextHop: 'igw-1' };
const other = { destination: '10.9.0.0/16', nextHop: 'pcx-1' };

test('a creation shows lists of maps as the document spells them, and settings that are false', () => {
  const settings = { privateGoogleAccess: false, routes: [route, other] };
  const app = want('subnet', 'core.app', { network: net.address, cidr: '10.0.1.0/24', settings, labels: {} });
  assert.deepEqual(pages(planText([plan(input([net, app], looked([planTextStanding])))], { revision: 'a' })).slice(1), [
    '  + subnet core.app  specs/a.yaml:1',
    '      network                       core',
    '      cidr                          10.0.1.0/24',
    '      settings.privateGoogleAccess  false',
    '      settings.routes               { destination: 10.0.0.0/8, nextHop: igw-1 }',
    '                                    { destination: 10.9.0.0/16, nextHop: pcx-1 }',
  ]);
});

test('a difference of long lists has a line for each entry that differs', () => {
  const action: Action = {
    ...{ verb: 'update', kind: 'network', address: net.address, documents: [document], cause: 'drift' },
    ...{ desired: net, observed: planTextStanding, effect: 'in-place' },
    changes: [
      { field: 'settings.routes', from: [route], to: [other] },
      { field: 'settings.natGateways', to: ['a', 'b', 'c', 'd'] },
      { field: 'settings.peerings', from: [{ name: 'far', network: 'vpc-2' }] },
    ],
  };
  assert.deepEqual(pages(planText([planOf([action])], { revision: 'a' })), [
    '      ~ settings.routes',
    '          - { destination: 10.0.0.0/8, nextHop: igw-1 }',
    '          + { destination: 10.9.0.0/16, nextHop: pcx-1 }',
    '      + settings.natGateways',
    '          + a',
    '          + b',
    '          + c',
    '          + d',
    '      - settings.peerings',
    '          - { name: far, network: vpc-2 }',
  ]);
});

test('a creation shows the name that its document states, where the cloud fixes names', () => {
  const attributes = {
    placement: { subnet: 's', publicIp: false },
    machine: { size: 's', power: 'running' },
    labels: {},
  } as const;
  const machine = want('instance', 'web-0', attributes);
  const text = (desired: Desired): string => planText([plan(input([desired], looked([])))], { revision: 'a' });
  const named = { ...machine, name: 'legacy-db-09', terms: { ...machine.terms, named: true as const } };
  assert.match(text(named), /^ {6}name {14}legacy-db-09$/m);
  assert.doesNotMatch(text(machine), /^ {6}name /m);
});

const summaryRows: readonly (readonly [causes: readonly Cause[], drifted: number])[] = [
  [['drift'], 1],
  [['drift', 'drift'], 1],
  [['rollout'], 0],
  [['rollout', 'drift'], 1],
  [['drift', 'rollout'], 1],
  [['unknown', 'unknown'], 0],
];

for (const [causes, drifted] of summaryRows)
  test(`atoms of one document, ${causes.join(' and ')}: ${drifted} drifted, in plan as in drift`, () => {
    const actions = causes.map((cause, index) => summaryAtom(`${80 + index}`, cause));
    assert.equal(summarise([planOf(actions)]).drifted, drifted);
    assert.equal(summarise([planOf(onlyDrift(actions))]).drifted, drifted);
  });

const wordingAt = Date.parse('2026-12-01T23:59:59.999Z');

it('a time is in UTC, cut off and never rounded up', () => {
  assert.equal(formatMoment(wordingAt), '2026-12-01 23:59 UTC');
  assert.equal(formatMoment(wordingAt, 'second'), '2026-12-01 23:59:59 UTC');
  assert.equal(bareMoment(wordingAt, 'second'), '2026-12-01 23:59:59');
});

const a = '1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d';
const b = '9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c';

describe('a revision for people', () => {
  for (const [revision, want] of [
    [`folder:${a}`, 'folder 1a2b3c4'],
    [`git:${a}`, 'commit 1a2b3c4'],
    [a, 'commit 1a2b3c4'],
    [`git:${a}+web=${b}`, 'commit 1a2b3c4 + web 9f8e7d6'],
    [`git:${a}+db=${b}+web=${a}@prod`, 'commit 1a2b3c4 + db 9f8e7d6 + web 1a2b3c4 (overlay prod)'],
    [`folder:${a}@prod`, 'folder 1a2b3c4 (overlay prod)'],
    [`git:${a}~0123456789ab`, 'commit 1a2b3c4, patched'],
    [`git:${a}~ended-0123456789ab`, 'commit 1a2b3c4, in part ended'],
  ] as const)
    it(`${revision} is ${want}`, () => assert.equal(shortRevision(revision), want));
});

it('a day ends with UTC midnight', () => {
  const last = Date.parse('2026-12-31T23:59:59.999Z');
  assert.deepEqual([dayOf(last), dayOf(last + 1)], ['2026-12-31', '2027-01-01']);
});

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandLine } from './support/in-process.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const document = (kind: string, name: string, spec: string): string =>
  `apiVersion: setpoint.dev/v1\nkind: ${kind}\nmetadata: ${name}\nspec: ${spec}\n`;

const estate = [
  document('Estate', '{ name: acme }', '{}'),
  document('Target', '{ name: north }', '{ provider: memory, account: acme, region: north }'),
  document('Target', '{ name: south }', '{ provider: memory, account: acme, region: south }'),
  document(
    'Network',
    '{ name: core, owner: team-net }',
    '{ targets: [north, south], cidr: 10.0.0.0/16, subnets: [{ name: app, cidr: 10.0.1.0/24 }] }',
  ),
  document(
    'FirewallRule',
    '{ name: ssh }',
    '{ network: core, direction: ingress, protocol: tcp, ports: [22, 443], peers: { any: true } }',
  ),
].join('---\n');

const policy = (exemptions: string): string =>
  `${document('Policy', '{ name: open, owner: team-security }', '')}  kinds: [firewall-rule]
  rules:
    - name: ssh
      deny: resource.direction == 'ingress' && resource.fromAnyone && resource.opens(22)
      message: Let in only the bastion's group.
    - name: owner
      warn: resource.owner == ''
      message: State an owner.
  exemptions: ${exemptions}
`.replace('spec: \n', 'spec:\n');

const folder = (exemptions = '[]', specs = estate) =>
  join(temporaryFolder({ 'specs/a.yaml': specs, 'specs/policy.yaml': policy(exemptions) }), 'specs');

test('validate warns of each violation at its document, with the way to comply', async () => {
  const { code, stdout } = await commandLine()(['validate', folder()]);
  assert.equal(code, 0);
  const [verdict, , ...rest] = stdout.split('\n');
  assert.equal(verdict, 'Valid: 6 documents of the estate acme · 2 warnings');
  const text = rest.join('\n').replaceAll(/^\S*specs\//gm, 'specs/');
  assert.equal(
    text,
    [
      'specs/a.yaml:21:1: warning: firewall-rule core.ssh on north, south violates the rule owner of the policy open (warn): the rule has no answer for it (no such key: owner), which counts as a violation',
      '  expected: State an owner.',
      '',
      'specs/a.yaml:21:1: warning: firewall-rule core.ssh on north, south violates the rule ssh of the policy open (deny)',
      "  expected: Let in only the bastion's group.",
      '',
    ].join('\n'),
  );
});

test('validate --strict takes a violation for an error', async () => {
  const { code } = await commandLine()(['validate', folder(), '--strict']);
  assert.equal(code, 1);
});

const exemption = (until: string, resources = "['*/firewall-rule/core.ssh']", rules = '[ssh]'): string =>
  `[{ resources: ${resources}, rules: ${rules}, owner: team-net, reason: tests, until: ${until} }]`;

const codes = async (specs: string): Promise<readonly string[]> => {
  const { stdout } = await commandLine()(['validate', specs, '--json']);
  return JSON.parse(stdout).problems.map(({ code, message }: { code: string; message: string }) =>
    code === 'policy-violation' ? (/the rule (\w+)/.exec(message)?.[1] ?? '') : code,
  );
};

for (const [name, exemptions, want] of [
  ['one rule', exemption('9999-01-01'), ['owner']],
  ['all rules', exemption('9999-01-01').replace('rules: [ssh], ', ''), []],
  ['none after its last day', exemption('2020-01-01'), ['owner', 'ssh', 'exemption-ended']],
  [
    'nothing where it matches nothing',
    exemption('9999-01-01', "['*/instance/x']"),
    ['owner', 'ssh', 'unused-exemption'],
  ],
  ['an unmanaged object, which no spec can tell', exemption('9999-01-01', "['sg-0abc/ingress/*']"), ['owner', 'ssh']],
  ['one target', exemption('9999-01-01', "['memory/acme/north/*']", '[owner, ssh]'), ['owner', 'ssh']],
] as const)
  test(`an exemption covers ${name}`, async () => assert.deepEqual(await codes(folder(exemptions)), want));

test('a fault in an expression is an error of its place, and nothing is judged', async () => {
  const broken = policy('[]').replace('resource.fromAnyone', 'resource.fromAnyon');
  const dir = join(temporaryFolder({ 'specs/a.yaml': estate, 'specs/policy.yaml': broken }), 'specs');
  const { code, stdout } = await commandLine()(['validate', dir]);
  assert.equal(code, 1);
  assert.match(stdout, /policy\.yaml:8:57: error: `deny` of the rule ssh is no expression: no such key: fromAnyon/);
  assert.match(stdout, /did you mean: fromAnyone/);
});

test('plan has a section of violations in its scopes, and no other action or exit code', async () => {
  const dir = folder();
  const run = commandLine();
  const { code, stdout } = await run(['plan', dir]);
  assert.equal(code, 0);
  assert.match(
    stdout,
    /\n\nPolicies: 2 violations, reported only \(audit\)\n {2}! firewall-rule core\.ssh {2}open\/ssh {2}deny {2}on north, south {2}\S*a\.yaml:21\n {6}Let in only the bastion's group\.\n {2}! firewall-rule core\.ssh {2}open\/owner {2}warn/,
  );
  const one = JSON.parse((await run(['plan', dir, '--target', 'north', '--json'])).stdout);
  assert.deepEqual(one.policies.slice(0, 1), [
    {
      ...{ policy: 'open', rule: 'ssh', effect: 'deny', mode: 'audit', kind: 'firewall-rule' },
      ...{ address: 'memory/acme/north/firewall-rule/core.ssh', targets: ['north'] },
      document: { file: join(dir, 'a.yaml'), line: 21 },
      message: "Let in only the bastion's group.",
    },
  ]);
  assert.equal(one.policies.length, 2);
});

const enforced = (exemptions = '[]'): string =>
  join(
    temporaryFolder({
      'specs/a.yaml': estate.replace('name: acme }\nspec: {}', 'name: acme }\nspec: { mode: enforce }'),
      'specs/policy.yaml': policy(exemptions).replace('spec:\n', 'spec:\n  mode: enforce\n'),
    }),
    'specs',
  );

test('in enforce mode a violation is an error of validate where the rule denies', async () => {
  const { code, stdout } = await commandLine()(['validate', enforced()]);
  assert.equal(code, 1);
  assert.match(stdout, /^Invalid: 1 error and 1 warning/);
  assert.match(stdout, /a\.yaml:21:1: error: firewall-rule core\.ssh on north, south violates the rule ssh/);
  assert.match(stdout, /a\.yaml:21:1: warning: firewall-rule core\.ssh on north, south violates the rule owner/);
});

test('in enforce mode a plan withholds what the policy denies, and says how to comply', async () => {
  const { code, stdout } = await commandLine()(['plan', enforced()]);
  assert.equal(code, 0);
  assert.match(
    stdout,
    /firewall-rule core\.all_ingress_tcp_22_0\.0\.0\.0\/0 and 3 more withheld {2}the rule ssh of the policy open denies it: Let in only the/,
  );
  assert.match(
    stdout,
    /\n\nPolicies: 2 violations, 1 denied \(enforce\)\n {2}! firewall-rule core\.ssh {2}open\/ssh {2}denied {2}on/,
  );
  assert.doesNotMatch(stdout, /\+ firewall-rule/);
});

test('a plan reports rules about changes in audit, and withholds by them in enforce mode', async () => {
  const about = (mode: string): string =>
    join(
      temporaryFolder({
        'specs/a.yaml': estate,
        'specs/policy.yaml': `${document('Policy', '{ name: careful }', '')}  kinds: [network]
  mode: ${mode}
  rules:
    - { name: few, deny: "action.verb == 'create' && plan.creates > 3", message: Few at once. }
`.replace('spec: \n', 'spec:\n'),
      }),
      'specs',
    );
  assert.equal((await commandLine()(['validate', about('enforce')])).stdout, 'Valid: 6 documents of the estate acme\n');
  const audit = await commandLine()(['plan', about('audit')]);
  assert.match(audit.stdout, /\+ network core/);
  assert.match(
    audit.stdout,
    /Policies: 1 violation, reported only \(audit\)\n {2}! network core {2}careful\/few {2}deny {2}on north, south {2}\S*a\.yaml:16\n/,
  );
  const held = await commandLine()(['plan', about('enforce')]);
  assert.match(held.stdout, /network core withheld {2}the rule few of the policy careful denies it: Few at once\./);
  assert.doesNotMatch(held.stdout, /\+ network core/);
});

test('without a policy a plan says nothing of policies', async () => {
  const dir = join(temporaryFolder({ 'specs/a.yaml': estate }), 'specs');
  assert.equal('policies' in JSON.parse((await commandLine()(['plan', dir, '--json'])).stdout), false);
});

// The memory cloud is one for all tests of this file, so what applies comes last.
test('in enforce mode an apply sends nothing of what the policy denies, and exits with 3', async () => {
  const run = commandLine();
  const dir = enforced();
  const { code, stdout } = await run(['apply', dir, '--yes']);
  assert.equal(code, 3, stdout);
  assert.match(stdout, /the rule ssh of the policy open denies it/);
  assert.equal((await run(['apply', enforced(exemption('9999-01-01')), '--yes'])).code, 3, 'the exemption is new');
});

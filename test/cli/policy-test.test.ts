import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandLine } from './support/in-process.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const specs = `apiVersion: setpoint.dev/v1
kind: Estate
metadata: { name: acme }
spec: {}
---
apiVersion: setpoint.dev/v1
kind: Policy
metadata: { name: open }
spec:
  kinds: [firewall-rule, instance]
  rules:
    - name: ssh
      deny: resource.kind == 'firewall-rule' && resource.fromAnyone && resource.opens(22)
      message: Let in only the bastion's group.
    - name: owner
      warn: resource.owner == ''
      message: State an owner.
`;

const rule = '{ kind: firewall-rule, owner: me, ports: [22, 8000-8100], peers: [0.0.0.0/0] }';

const run = async (cases: string, ...more: readonly string[]) => {
  const folder = temporaryFolder({ 'specs/a.yaml': specs, 'policy-tests/open.yaml': cases });
  const answer = await commandLine()(['policy', 'test', '--specs', join(folder, 'specs'), ...more]);
  return { ...answer, stdout: answer.stdout.replaceAll(folder, '') };
};

const passing = `policy: open
cases:
  - { name: ssh from the world, resource: ${rule}, expect: deny }
  - { name: ssh from a block, resource: ${rule.replace('0.0.0.0/0', '10.0.0.0/8')}, expect: allow }
  - { name: another port, resource: ${rule.replace('22', '{ from: 23, to: 30 }')}, expect: allow }
  - { name: a machine, resource: { kind: instance, owner: me }, expect: allow }
  - { name: a machine of nobody, resource: { kind: instance }, expect: warn }
  - { name: one rule, rule: ssh, resource: { kind: instance }, expect: allow }
`;

test('cases that hold pass, exit 0', async () => {
  const { code, stdout } = await run(passing);
  assert.equal(code, 0);
  assert.match(stdout, /^6 cases passed\n {2}ok {4}open: ssh from the world\n/);
});

test('a case that does not hold fails, with its place and the answers of the rules, exit 1', async () => {
  const { code, stdout } = await run(passing.replace('expect: deny', 'expect: allow'));
  assert.equal(code, 1);
  assert.match(
    stdout,
    /^1 of 6 cases failed\n {2}FAIL {2}open: ssh from the world {2}\/policy-tests\/open\.yaml:3\n {8}expected allow, got deny\n {8}ssh: Let in only the bastion's group\.\n/,
  );
});

test('--json is one object', async () => {
  const { code, stdout } = await run(passing.replace('expect: warn', 'expect: allow'), '--json');
  const answer = JSON.parse(stdout);
  assert.deepEqual([code, answer.passed, answer.failed, answer.cases.length], [1, 5, 1, 6]);
  assert.deepEqual(answer.cases[4], {
    ...{ policy: 'open', name: 'a machine of nobody', file: '/policy-tests/open.yaml', line: 7 },
    ...{ expected: 'allow', got: 'warn', passed: false, answers: ['owner: no answer: no such key: owner'] },
  });
});

for (const [name, cases, says] of [
  ['an unknown policy', passing.replace('policy: open', 'policy: closed'), /got nothing\n {8}there is no such policy/],
  ['an unknown rule', passing.replace('rule: ssh', 'rule: shh'), /got nothing\n {8}the policy has no rule shh/],
  [
    'another kind',
    passing.replace('kind: instance, owner: me', 'kind: network, owner: me'),
    /got nothing\n {8}the policy is not about the kind network/,
  ],
] as const)
  test(`a case of ${name} fails`, async () => {
    const { code, stdout } = await run(cases);
    assert.equal(code, 1);
    assert.match(stdout, says);
  });

for (const [name, cases, says] of [
  [
    'a misspelt field',
    passing.replace('peers', 'peer'),
    /open\.yaml:3:[\s\S]*unknown field `peer`[\s\S]*did you mean: peers/,
  ],
  ['a port that is none', passing.replace('22,', '70000,'), /cases\[0\]\.resource\.ports\[0\]/],
  ['nothing', '', /There are no cases in .*policy-tests/],
] as const)
  test(`a file with ${name} runs no case, exit 1`, async () => {
    const { code, stdout, stderr } = await run(cases);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, says);
  });

test('a file that is not there is an error', async () => {
  const { code, stderr } = await run(passing, 'nowhere.yaml');
  assert.equal(code, 1);
  assert.match(stderr, /nowhere\.yaml:1:1: error: this file cannot be read/);
});

test('a case of a rule about changes has an action, a plan and an effect', async () => {
  const about = `apiVersion: setpoint.dev/v1
kind: Policy
metadata: { name: careful }
spec:
  kinds: [firewall-rule]
  rules:
    - { name: opening, deny: "effect.opens.exists(one, one.fromAnyone && one.includes(22))", message: No. }
    - { name: many, warn: "action.verb == 'delete' && plan.deletes > 2", message: Few. }
`;
  const cases = `policy: careful
cases:
  - name: opens 22
    resource: { kind: firewall-rule }
    effect: { opens: [{ from: [0.0.0.0/0], ports: [20-25] }] }
    expect: deny
  - name: opens 443
    resource: { kind: firewall-rule }
    effect: { opens: [{ from: [0.0.0.0/0], ports: [443] }] }
    expect: allow
  - { name: three, resource: { kind: firewall-rule }, action: { verb: delete }, plan: { deletes: 3 }, expect: warn }
  - { name: no change, resource: { kind: firewall-rule }, expect: allow }
`;
  const estate = specs.slice(0, specs.indexOf('---\n'));
  const folder = temporaryFolder({ 'specs/a.yaml': `${estate}---\n${about}`, 'policy-tests/c.yaml': cases });
  const { code, stdout } = await commandLine()(['policy', 'test', '--specs', join(folder, 'specs')]);
  assert.equal(code, 0, stdout);
  assert.match(stdout, /^4 cases passed/);
});

test('the starter set passes its cases, and each of its rules has one that it does not allow', async () => {
  const root = join(import.meta.dirname, '../..');
  const read = (file: string): string => readFileSync(join(root, file), 'utf8');
  const estate = specs.slice(0, specs.indexOf('---\n'));
  const folder = temporaryFolder({
    'specs/a.yaml': estate,
    'specs/policies/starter.yaml': read('specs/policies/starter.yaml'),
  });
  const args = ['policy', 'test', join(root, 'policy-tests/starter.yaml'), '--specs', join(folder, 'specs'), '--json'];
  const { code, stdout } = await commandLine()(args);
  const { cases } = JSON.parse(stdout);
  assert.equal(code, 0, stdout);
  const named = new Set(
    cases.flatMap((one: { answers: readonly string[] }) => one.answers.map((text) => text.split(':')[0])),
  );
  assert.deepEqual(
    [...named].toSorted(),
    [...read('specs/policies/starter.yaml').matchAll(/- name: (\S+)/g)].map(([, rule]) => rule).toSorted(),
  );
});

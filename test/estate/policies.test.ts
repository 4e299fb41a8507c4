import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dialect } from '../../providers/memory/dialect.ts';
import { compile } from '../../src/core/compile/compile.ts';
import { ofKind } from '../../src/core/documents/spec-set.ts';
import { violationOf } from '../../src/core/policy/evaluate.ts';
import { policyRulesOf } from '../../src/core/policy/rules.ts';
import { viewsOf } from '../../src/core/policy/view.ts';
import { brokenRuleFinder } from '../../src/estate/policies.ts';
import { sha256 } from '../../src/estate/sha256.ts';
import type { Evaluate } from '../../src/policy/evaluator.ts';
import { parseSpecs } from '../../src/source/parse-specs.ts';
import { document } from '../core/documents/problems-of.ts';

const policy = (rules: string, more = ''): string =>
  document('Policy', '{ name: p }', `{ kinds: [network, subnet], rules: [${rules}]${more} }`);

const rule = (text: string): string => `{ name: r, deny: ${text}, message: m }`;

/** Two targets with a network and a subnet each. */
function estateWith(...policies: readonly string[]) {
  const text = [
    document('Estate', '{ name: acme }', '{}'),
    ...['north', 'south'].map((name) =>
      document('Target', `{ name: ${name} }`, `{ provider: memory, account: acme, region: ${name} }`),
    ),
    document(
      'Network',
      '{ name: core }',
      '{ targets: [north, south], cidr: 10.0.0.0/16, subnets: [{ name: app, cidr: 10.0.1.0/24 }] }',
    ),
    ...policies,
  ].join('---\n');
  const { documents, problems } = parseSpecs([{ path: 'x.yaml', text }], '2027-01-31');
  assert.deepEqual(problems, []);
  const [estate] = ofKind(documents, 'Estate');
  assert.ok(estate);
  const hashes = { userData: () => '', access: () => '' };
  const input = { estate: estate.value, documents, dialects: { memory: dialect }, hashes, today: '2027-01-31' };
  return { documents, scopes: compile(input).scopes, today: '2027-01-31' };
}

/** A rule is a kind: true of its resources. */
function counting() {
  const evaluated: string[] = [];
  const evaluate: Evaluate = async (expressions, givens) =>
    givens.map(({ resource }) =>
      expressions.flatMap(({ text }, rule) => {
        evaluated.push(text);
        return resource.kind === text ? [{ rule, outcome: true }] : [];
      }),
    );
  const find = brokenRuleFinder(
    { evaluate, subjectOf: ({ text }) => (text === 'action' ? 'change' : 'resource') },
    sha256,
  );
  return {
    evaluated,
    judge: async ({ documents, scopes, today }: ReturnType<typeof estateWith>) => {
      const viewed = scopes.flatMap((scope) => viewsOf(scope, documents));
      const { broken, unused } = await find(policyRulesOf(ofKind(documents, 'Policy')), viewed, today);
      const violations = broken.flatMap(({ viewed: of, rules }) => rules.map((one) => violationOf(of, one)));
      return { violations, unused };
    },
  };
}

test('a judge evaluates each rule once for each resource, and nothing again of what has not changed', async () => {
  const { judge, evaluated } = counting();
  const first = await judge(estateWith(policy(rule('network'))));
  assert.deepEqual([first.violations.length, evaluated.length], [2, 4]);
  const again = await judge(estateWith(policy(rule('network').replace('m }', 'other }'))));
  assert.deepEqual([evaluated.length, again.violations.map(({ message }) => message)], [4, ['other', 'other']]);
  const changed = await judge(estateWith(policy(rule('subnet'))));
  assert.deepEqual([evaluated.length, changed.violations.map(({ kind }) => kind)], [8, ['subnet', 'subnet']]);
});

test('a policy of one target is about its resources alone', async () => {
  const { violations } = await counting().judge(estateWith(policy(rule('network'), ', targets: [south]')));
  assert.deepEqual(
    violations.map(({ address }) => address),
    ['memory/acme/south/network/core'],
  );
});

test('an exemption is of its own policy', async () => {
  const exempt = ", exemptions: [{ resources: ['*'], owner: o, reason: r, until: 2027-01-31 }]";
  const other = policy(rule('network')).replace('name: p', 'name: q');
  const { violations, unused } = await counting().judge(estateWith(policy(rule('network'), exempt), other));
  assert.deepEqual([violations.map((one) => one.policy), unused], [['q', 'q'], []]);
});

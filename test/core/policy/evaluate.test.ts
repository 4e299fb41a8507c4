import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dialect } from '../../../providers/memory/dialect.ts';
import { compile } from '../../../src/core/compile/compile.ts';
import { ofKind } from '../../../src/core/documents/spec-set.ts';
import { createJudge, type Language } from '../../../src/core/policy/evaluate.ts';
import { finish } from '../../../src/core/steps.ts';
import { sha256 } from '../../../src/estate/sha256.ts';
import { parseSpecs } from '../../../src/source/parse-specs.ts';
import { document } from '../documents/problems-of.ts';

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
function counting(): { readonly language: Language; readonly evaluated: string[] } {
  const evaluated: string[] = [];
  return {
    evaluated,
    language: {
      compile: (text) => (given) => {
        evaluated.push(text);
        return 'kind' in given && given.kind === text;
      },
      prepare: (view) => view,
    },
  };
}

test('a judge evaluates each rule once for each resource, and nothing again of what has not changed', () => {
  const { language, evaluated } = counting();
  const { judge } = createJudge(language, sha256);
  const first = finish(judge(estateWith(policy(rule('network')))));
  assert.deepEqual([first.violations.length, evaluated.length], [2, 4]);
  const again = finish(judge(estateWith(policy(rule('network').replace('m }', 'other }')))));
  assert.deepEqual([evaluated.length, again.violations.map(({ message }) => message)], [4, ['other', 'other']]);
  const changed = finish(judge(estateWith(policy(rule('subnet')))));
  assert.deepEqual([evaluated.length, changed.violations.map(({ kind }) => kind)], [8, ['subnet', 'subnet']]);
});

test('a policy of one target is about its resources alone', () => {
  const { judge } = createJudge(counting().language, sha256);
  const { violations } = finish(judge(estateWith(policy(rule('network'), ', targets: [south]'))));
  assert.deepEqual(
    violations.map(({ address }) => address),
    ['memory/acme/south/network/core'],
  );
});

test('an exemption is of its own policy', () => {
  const { judge } = createJudge(counting().language, sha256);
  const exempt = ", exemptions: [{ resources: ['*'], owner: o, reason: r, until: 2027-01-31 }]";
  const other = policy(rule('network')).replace('name: p', 'name: q');
  const { violations, unused } = finish(judge(estateWith(policy(rule('network'), exempt), other)));
  assert.deepEqual([violations.map((one) => one.policy), unused], [['q', 'q'], []]);
});

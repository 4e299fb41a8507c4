import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSpecs } from '../../src/source/parse-specs.ts';
import { expressionProblems } from '../../src/source/policy-expressions.ts';

const policyOf = (rules: string): string =>
  `apiVersion: setpoint.dev/v1\nkind: Policy\nmetadata: { name: p }\nspec:\n  kinds: [firewall-rule]\n  rules:\n${rules}`;

/** The line, the word that stands at the place, and the message. */
async function faultsOf(text: string, path = 'p.yaml'): Promise<readonly string[]> {
  const files = [{ path, text }];
  const { documents } = parseSpecs(files, '2027-01-31');
  assert.equal(documents.length, 1, 'the policy was refused before its expressions');
  const problems = await expressionProblems(documents, files);
  return problems.map(({ at, message, source, hint }) => {
    const line = text.split('\n')[at.line - 1] ?? '';
    assert.equal(source, line);
    const [word] = /^\w+|^./.exec(line.slice(at.column - 1)) ?? [];
    return `${at.line}: ${word}: ${message}${hint?.didYouMean === undefined ? '' : ` (${hint.didYouMean})`}`;
  });
}

const rule = (expression: string): string => `    - { name: r, message: m, deny: ${expression} }\n`;
const block = (style: string, lines: readonly string[]): string =>
  `    - name: r\n      message: m\n      deny: ${style}\n${lines.map((line) => `        ${line}\n`).join('')}`;

const unknown = '`deny` of the rule r is no expression: unknown variable: nope';

for (const [name, rules, want] of [
  ['a plain scalar', rule('resource.log && nope'), `7: nope: ${unknown}`],
  ['single quotes', rule("'resource.name == ''x'' && nope'"), `7: nope: ${unknown}`],
  ['double quotes', rule('"resource.name == \\"x\\" && nope"'), `7: nope: ${unknown}`],
  ['a plain scalar on two lines', block('resource.log &&', ['nope']), `10: nope: ${unknown}`],
  ['a literal block', block('|', ['resource.log', '', '  && nope || true']), `12: nope: ${unknown}`],
  ['a folded block', block('>-', ['resource.log', '&& nope']), `11: nope: ${unknown}`],
  [
    'the end of the text',
    rule('resource.log &&'),
    '7: &: `deny` of the rule r is no expression: unexpected token: EOF',
  ],
  [
    'a misspelt field',
    rule('resource.dirction == "ingress"'),
    '7: dirction: `deny` of the rule r is no expression: no such key: dirction (direction)',
  ],
] as const)
  test(`the fault of an expression stands at its place: ${name}`, async () => {
    const got = await faultsOf(policyOf(rules));
    assert.deepEqual(got, [want]);
  });

test('in JSON, too', async () => {
  const text = JSON.stringify({
    ...{ apiVersion: 'setpoint.dev/v1', kind: 'Policy', metadata: { name: 'p' } },
    spec: { kinds: ['instance'], rules: [{ name: 'r', warn: "resource.name == 'x' && nope", message: 'm' }] },
  });
  assert.deepEqual(await faultsOf(text, 'p.json'), [
    '1: nope: `warn` of the rule r is no expression: unknown variable: nope',
  ]);
});

test('an expression without a fault has no problem', async () =>
  assert.deepEqual(await faultsOf(policyOf(rule('resource.fromAnyone && resource.opens(22)'))), []));

import { test } from 'node:test';
import type { Problem } from '../../../src/core/documents/problem.ts';
import { parseSpecs } from '../../../src/source/parse-specs.ts';
import { assertGolden } from '../../support/golden.ts';

const head = 'apiVersion: setpoint.dev/v1\n';
const SUBSCRIPTION = '00000000-0000-0000-0000-000000000001';

/** One document of YAML: `document('Network', '{ name: n }', '{ targets: [aws], … }')`. */
export const document = (kind: string, metadata: string, spec: string): string =>
  `${head}kind: ${kind}\nmetadata: ${metadata}\nspec: ${spec}\n`;

/** A sound estate on the three clouds: targets aws, gcp and azure, and the network core with a subnet app on each. */
const base: readonly string[] = [
  document('Estate', '{ name: acme }', '{}'),
  document('Target', '{ name: aws }', '{ provider: aws, account: "111122223333", region: eu-west-1 }'),
  document(
    'Target',
    '{ name: gcp }',
    '{ provider: gcp, account: acme-prod, region: europe-west1, zone: europe-west1-b }',
  ),
  document(
    'Target',
    '{ name: azure }',
    `{ provider: azure, account: ${SUBSCRIPTION}, region: westeurope, resourceGroup: acme }`,
  ),
  document(
    'Network',
    '{ name: core }',
    '{ targets: [aws, gcp, azure], cidr: 10.0.0.0/16, internet: true, subnets: [{ name: app, cidr: 10.0.0.0/22 }] }',
  ),
];

const seen: string[] = [];

/** The problems of these documents, read after the base: `error code: message`. Hints are left out. */
export function problemsOf(...documents: readonly string[]): readonly string[] {
  const file = { path: 'x.yaml', text: [...base, ...documents].join('---\n') };
  const problems = parseSpecs([file], '2027-01-31').problems.filter(({ code }) => code !== 'empty-group');
  seen.push(...problems.map((problem) => inFull(problem, file.text)));
  return problems.map(({ severity, code, message }) => `${severity} ${code}: ${message}`);
}

/** With the place, by the text that stands there, and with the hint. */
function inFull({ severity, code, at, message, hint }: Problem, text: string): string {
  const place = text.split('\n')[at.line - 1]?.slice(at.column - 1, at.column + 39) ?? '';
  return [
    `${severity} ${code}: ${message}`,
    `  at: ${place}`,
    ...(hint?.expected === undefined ? [] : [`  expected: ${hint.expected}`]),
    ...(hint?.didYouMean === undefined ? [] : [`  did you mean: ${hint.didYouMean}`]),
  ].join('\n');
}

/** The last test of a subject: each problem that its tests found reads as in golden/problems. */
export function problemsReadAsBefore(golden: string): void {
  const file = `problems/${golden}.txt`;
  test(`all of these problems read as in golden/${file}`, () =>
    assertGolden(`${[...new Set(seen.splice(0))].join('\n\n')}\n`, file));
}

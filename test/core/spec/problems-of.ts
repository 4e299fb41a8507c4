import { parseSpecs } from '../../../src/source/parse-specs.ts';

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

/** What is found in these documents, read after the base: `error code: message`, without what nobody asks of. */
export function problemsOf(...documents: readonly string[]): readonly string[] {
  const file = { path: 'x.yaml', text: [...base, ...documents].join('---\n') };
  return parseSpecs([file], '2027-01-31')
    .problems.filter(({ code }) => code !== 'empty-group')
    .map(({ severity, code, message }) => `${severity} ${code}: ${message}`);
}

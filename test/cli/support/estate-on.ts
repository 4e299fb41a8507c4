/** Estates whose targets lie in one sandbox. */
export const account = '111122223333';
export const subscription = '11112222-3333-4444-8555-666677778888';

const places = {
  'aws-prod': `provider: aws, account: "${account}", region: eu-west-1`,
  'gcp-prod': 'provider: gcp, account: acme-prod, region: europe-west1, zone: europe-west1-b',
  'gcp-dev': 'provider: gcp, account: acme-dev, region: europe-west1, zone: europe-west1-b',
  'gcp-east': 'provider: gcp, account: acme-prod, region: us-east1, zone: us-east1-b',
  'gcp-west': 'provider: gcp, account: acme-prod, region: europe-west1, zone: europe-west1-b',
  'azure-prod': `provider: azure, account: ${subscription}, region: westeurope, resourceGroup: acme`,
} as const;

/** `spec`: of the estate, such as `mode: enforce`. */
export const estateOn = (url: string, targets: readonly (keyof typeof places)[], spec = ''): string =>
  [
    `apiVersion: setpoint.dev/v1\nkind: Estate\nmetadata: { name: acme }\nspec: { ${spec} }\n`,
    ...targets.map(
      (name) =>
        `apiVersion: setpoint.dev/v1\nkind: Target\nmetadata: { name: ${name} }\nspec: { ${places[name]}, endpoint: "${url}" }\n`,
    ),
  ].join('---\n');

import { canary } from './canaries.ts';

/** The places of the secrets that specs name: variables, files, and stores of the sandbox by their names. */
export const kept = {
  variables: {
    SETPOINT_SECRET_AWS: JSON.stringify({
      accessKeyId: 'AKIDTARGET',
      secretAccessKey: canary('spec: a secret key of AWS in a variable'),
    }),
    SETPOINT_SECRET_SESSION: JSON.stringify({
      accessKeyId: 'AKIDSESSION',
      secretAccessKey: 'any',
      sessionToken: canary('spec: a session token of AWS in a variable'),
    }),
    SETPOINT_SECRET_APP: JSON.stringify({
      tenantId: '11112222-3333-4444-8555-000000000001',
      clientId: '11112222-3333-4444-8555-000000000002',
      clientSecret: canary('spec: a secret of an app of Azure in a variable'),
    }),
    SETPOINT_SECRET_PASSWORD: canary('spec: a password in a variable'),
    SETPOINT_SECRET_HOOK: canary('spec: the secret of a hook'),
    SETPOINT_SECRET_BROKEN: `{ "accessKeyId": "${canary('spec: a credential that is malformed')}`,
  },
  files: {
    'google.json': JSON.stringify({
      type: 'service_account',
      project_id: 'acme-other',
      private_key: `-----BEGIN PRIVATE KEY-----\n${canary('spec: a private key of Google in a file').replaceAll('-', '/')}\n-----END PRIVATE KEY-----\n`,
      client_email: 'setpoint@acme-other.iam.gserviceaccount.com',
    }),
    password: `${canary('spec: a password in a file')}\n`,
  },
  stores: {
    'arn:aws:secretsmanager:eu-west-1:999900001111:secret:password-a1b2c3': canary(
      'spec: a password in Secrets Manager',
    ),
    'https://acme.vault.azure.net/secrets/password': canary('spec: a password in Key Vault'),
  },
} as const;

const subscription = '11112222-3333-4444-8555-666677778888';
const azure = `provider: azure, account: ${subscription}, region: westeurope, resourceGroup: acme-prod`;
const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f';

/** An estate that names every one of them: targets that can be opened and some that cannot, and machines with passwords. */
export function specs(endpoint: string): string {
  const target = (name: string, rest: string): string =>
    `kind: Target\nmetadata: { name: ${name} }\nspec: { ${rest}, endpoint: "${endpoint}" }`;
  const machine = (name: string, password: string): string =>
    `kind: Instance\nmetadata: { name: ${name}, owner: team-web }\nspec: { targets: [azure], network: core, subnet: app, image: "Debian:debian-12:12-gen2:latest", size: Standard_B1ms, access: { user: ops, sshKeys: ["${key}"], password: ${password} } }`;
  return documents([
    `kind: Estate\nmetadata: { name: acme }\nspec: { mode: enforce, hooks: [${hooks}] }`,
    target(
      'aws',
      'provider: aws, account: "111122223333", region: eu-west-1, credentials: { env: SETPOINT_SECRET_AWS }',
    ),
    target(
      'aws-session',
      'provider: aws, account: "222233334444", region: eu-west-1, credentials: { env: SETPOINT_SECRET_SESSION }',
    ),
    target(
      'aws-broken',
      'provider: aws, account: "333344445555", region: eu-west-1, credentials: { env: SETPOINT_SECRET_BROKEN }',
    ),
    target('aws-default', 'provider: aws, account: "999900001111", region: eu-west-1'),
    target('gcp-other', 'provider: gcp, account: acme-other, region: europe-west1, credentials: { file: google.json }'),
    target('azure', azure),
    target(
      'azure-app',
      `provider: azure, account: 99992222-3333-4444-8555-666677778888, region: westeurope, resourceGroup: other, credentials: { env: SETPOINT_SECRET_APP }`,
    ),
    'kind: Network\nmetadata: { name: core, owner: team-net }\nspec: { targets: [aws, aws-session, aws-broken, aws-default, gcp-other, azure, azure-app], cidr: 10.20.0.0/16, subnets: [{ name: app, cidr: 10.20.1.0/24 }] }',
    machine('by-variable', '{ env: SETPOINT_SECRET_PASSWORD }'),
    machine('by-file', '{ file: password }'),
    machine('by-manager', '{ uri: "arn:aws:secretsmanager:eu-west-1:999900001111:secret:password-a1b2c3" }'),
    machine('by-vault', '{ uri: "https://acme.vault.azure.net/secrets/password" }'),
  ]);
}

/** Specs that are refused, for what people should not have written into them. */
export const refused = (endpoint: string): string =>
  documents([
    'kind: Estate\nmetadata: { name: acme }\nspec: {}',
    `kind: Target\nmetadata: { name: azure }\nspec: { ${azure}, endpoint: "${endpoint}", credentials: "${canary('spec: a key written out')}" }`,
    'kind: Network\nmetadata: { name: core }\nspec: { targets: [azure], cidr: 10.20.0.0/16, subnets: [{ name: app, cidr: 10.20.1.0/24 }] }',
    `kind: Instance\nmetadata: { name: web }\nspec: { targets: [azure], network: core, subnet: app, image: "Debian:debian-12:12-gen2:latest", size: Standard_B1ms, access: { user: ops, password: "${canary('spec: a password written out')}" } }`,
  ]);

const hooks = ['hmac', 'eventbridge', 'eventgrid', 'github']
  .map((from) => `{ name: ${from}, from: ${from}, secret: { env: SETPOINT_SECRET_HOOK } }`)
  .concat(
    '{ name: pubsub, from: pubsub, audience: "https://setpoint.acme.example/v1/hooks/acme/pubsub", serviceAccount: push@acme-prod.iam.gserviceaccount.com }',
  )
  .join(', ');

const documents = (texts: readonly string[]): string =>
  texts.map((text) => `apiVersion: setpoint.dev/v1\n${text}\n`).join('---\n');

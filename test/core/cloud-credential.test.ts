import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { type CredentialCloud, credentialFor, parseCredential } from '../../src/core/cloud-credential.ts';
import type { Access } from '../../src/ports/provider.ts';

const canary = 'kanarienvogel';
const key = `-----BEGIN PRIVATE KEY-----\n${canary}\n-----END PRIVATE KEY-----\n`;
const id = '11111111-2222-4333-8444-555555555555';

const awsText = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: canary };
const gcpText = {
  type: 'service_account',
  project_id: 'acme-prod',
  private_key_id: 'abc',
  private_key: key,
  client_email: 'setpoint@acme-prod.iam.gserviceaccount.com',
  client_id: '1',
  auth_uri: 'https://accounts.google.com/o/oauth2/auth',
  token_uri: 'https://oauth2.googleapis.com/token',
  auth_provider_x509_cert_url: 'https://www.googleapis.com/oauth2/v1/certs',
  client_x509_cert_url: 'https://www.googleapis.com/robot/v1/metadata/x509/setpoint',
  universe_domain: 'googleapis.com',
};
const azureText = { tenantId: id, clientId: id, clientSecret: canary };

const sound: readonly { name: string; cloud: CredentialCloud; text: object; want: object }[] = [
  { name: 'keys of AWS', cloud: 'aws', text: awsText, want: { cloud: 'aws', ...awsText } },
  {
    name: 'keys of a session',
    cloud: 'aws',
    text: { ...awsText, sessionToken: 'IQoJ/+==' },
    want: { cloud: 'aws', ...awsText, sessionToken: 'IQoJ/+==' },
  },
  {
    name: 'a key file of Google, without its URLs',
    cloud: 'gcp',
    text: gcpText,
    want: {
      cloud: 'gcp',
      projectId: 'acme-prod',
      clientEmail: 'setpoint@acme-prod.iam.gserviceaccount.com',
      privateKey: key,
      privateKeyId: 'abc',
    },
  },
  { name: 'an application of Azure', cloud: 'azure', text: azureText, want: { cloud: 'azure', ...azureText } },
];

for (const { name, cloud, text, want } of sound)
  test(`${name} is read`, () => {
    assert.deepEqual(parseCredential(cloud, JSON.stringify(text)), { ok: true, value: want });
  });

const broken: readonly { name: string; cloud: CredentialCloud; text: string; why: RegExp }[] = [
  { name: 'the bare secret', cloud: 'aws', text: canary, why: /it is no JSON;/ },
  { name: 'JSON cut short', cloud: 'aws', text: `{"secretAccessKey":"${canary}`, why: /it is no JSON;/ },
  { name: 'null', cloud: 'aws', text: 'null', why: /it is no JSON;/ },
  { name: 'a JSON string', cloud: 'azure', text: JSON.stringify(canary), why: /it is no JSON object/ },
  { name: 'a list', cloud: 'azure', text: JSON.stringify([canary]), why: /it is no JSON object/ },
  {
    name: 'a key too many',
    cloud: 'aws',
    text: JSON.stringify({ ...awsText, [canary]: 1 }),
    why: /: 1 of its fields do not belong there;/,
  },
  {
    name: 'a field too few',
    cloud: 'azure',
    text: JSON.stringify({ ...azureText, tenantId: undefined }),
    why: /: tenantId is missing or has another form;/,
  },
  {
    name: 'a line end in a key, which would reach a header',
    cloud: 'aws',
    text: JSON.stringify({ ...awsText, secretAccessKey: `${canary}\r\nx: y` }),
    why: /: secretAccessKey is missing or has another form;/,
  },
  {
    name: 'a credential that names programs and URLs',
    cloud: 'gcp',
    text: JSON.stringify({ ...gcpText, type: 'external_account' }),
    why: /: type is missing or has another form;/,
  },
  {
    name: 'another universe',
    cloud: 'gcp',
    text: JSON.stringify({ ...gcpText, universe_domain: `${canary}.example` }),
    why: /: universe_domain is/,
  },
  {
    name: 'a key that is none',
    cloud: 'gcp',
    text: JSON.stringify({ ...gcpText, private_key: canary }),
    why: /: private_key is missing or has another form;/,
  },
  { name: "another cloud's", cloud: 'gcp', text: JSON.stringify(azureText), why: /no credential for gcp: type is/ },
];

for (const { name, cloud, text, why } of broken)
  test(`${name} is refused, and nothing of it is repeated`, () => {
    const read = parseCredential(cloud, text);
    assert.ok(!read.ok);
    assert.equal(read.failure.kind, 'terminal');
    assert.match(read.failure.message, why);
    assert.ok(!inspect(read, { depth: null }).includes(canary), inspect(read));
  });

test('an access shows its credential to nobody who prints it', () => {
  const held = parseCredential('aws', JSON.stringify(awsText));
  assert.ok(held.ok);
  const access: Access = {
    scope: 'aws/1/eu-west-1',
    account: '1',
    region: 'eu-west-1',
    credentials: { secret: () => held.value },
  };
  for (const shown of [JSON.stringify(access), inspect(access, { depth: null, showHidden: true })])
    assert.ok(!shown.includes(canary), shown);
  assert.equal(credentialFor('aws', access.credentials?.secret)?.secretAccessKey, canary);
});

test('a credential of another cloud is never used, nor is the default chain in its place', () => {
  const held = parseCredential('azure', JSON.stringify(azureText));
  assert.ok(held.ok);
  assert.throws(() => credentialFor('aws', () => held.value), /a credential of azure was given for aws/);
  assert.equal(credentialFor('aws', undefined), undefined);
});

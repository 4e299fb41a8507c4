import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Sandbox, startSandbox } from '../../sandbox/index.ts';

const arn = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:prod/setpoint-a1b2c3';
const google = 'projects/acme/secrets/setpoint';
const azure = 'https://acme.vault.azure.net/secrets/setpoint';

let sandbox: Sandbox;
before(async () => {
  sandbox = await startSandbox();
  const put = [arn, google, azure].map((name) => ({ name, text: 'quiet' }));
  const answer = await fetch(`${sandbox.url}/_sandbox/secrets`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ put }),
  });
  assert.equal(answer.status, 200);
});
after(() => sandbox.close());

const bearer = { authorization: 'Bearer x' };
const signed = (key: string) => ({
  authorization: `AWS4-HMAC-SHA256 Credential=${key}/20260101/eu-west-1/secretsmanager/aws4_request`,
  'x-amz-target': 'secretsmanager.GetSecretValue',
});

interface Case {
  readonly name: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Given for a POST. */
  readonly body?: string;
  readonly want: readonly [status: number, body: RegExp];
}

const cases: readonly Case[] = [
  {
    name: 'Secrets Manager gives a secret by its ARN, and its name without the six characters',
    path: '/',
    headers: signed('test'),
    body: JSON.stringify({ SecretId: arn }),
    want: [200, /"Name":"prod\/setpoint".*"SecretString":"quiet"/],
  },
  {
    name: 'Secrets Manager knows no stranger',
    path: '/',
    headers: signed('NOBODY'),
    body: JSON.stringify({ SecretId: arn }),
    want: [400, /"__type":"UnrecognizedClientException"/],
  },
  {
    name: 'Secrets Manager gives nobody the secret of another account',
    path: '/',
    headers: signed('test'),
    body: JSON.stringify({ SecretId: arn.replace('111122223333', '999900001111') }),
    want: [400, /"__type":"ResourceNotFoundException"/],
  },
  {
    name: 'Secrets Manager wants to be told which',
    path: '/',
    headers: signed('test'),
    body: '{}',
    want: [400, /"__type":"InvalidParameterException"/],
  },
  {
    name: 'Secrets Manager reads JSON only',
    path: '/',
    headers: signed('test'),
    body: 'SecretId=x',
    want: [400, /"__type":"SerializationException"/],
  },
  {
    name: 'Secret Manager gives a version',
    path: `/v1/${google}/versions/1:access`,
    headers: bearer,
    want: [200, /"name":"projects\/acme\/secrets\/setpoint\/versions\/1","payload":{"data":"cXVpZXQ="}/],
  },
  {
    name: 'Secret Manager wants a token',
    path: `/v1/${google}/versions/latest:access`,
    want: [401, /"status":"UNAUTHENTICATED"/],
  },
  {
    name: 'Secret Manager has no second version',
    path: `/v1/${google}/versions/2:access`,
    headers: bearer,
    want: [404, /"status":"NOT_FOUND"/],
  },
  {
    name: 'Key Vault gives the newest version',
    path: '/acme.vault.azure.net/secrets/setpoint/?api-version=7.6',
    headers: bearer,
    want: [200, /"value":"quiet","id":"https:\/\/acme.vault.azure.net\/secrets\/setpoint\/[0-9a-f]{32}"/],
  },
  {
    name: 'Key Vault wants an api-version',
    path: '/acme.vault.azure.net/secrets/setpoint',
    headers: bearer,
    want: [400, /"code":"BadParameter"/],
  },
  {
    name: 'Key Vault wants a token',
    path: '/acme.vault.azure.net/secrets/setpoint?api-version=7.6',
    want: [401, /"code":"Unauthorized"/],
  },
  {
    name: 'one vault has not what another has',
    path: '/other.vault.azure.net/secrets/setpoint?api-version=7.6',
    headers: bearer,
    want: [404, /"code":"SecretNotFound"/],
  },
];

describe('the secret stores of the sandbox', () => {
  for (const { name, path, headers = {}, body, want } of cases)
    it(name, async () => {
      const answer = await fetch(`${sandbox.url}${path}`, {
        headers,
        ...(body === undefined ? {} : { method: 'POST', body }),
      });
      assert.equal(answer.status, want[0]);
      assert.match(await answer.text(), want[1]);
    });

  it('a vault says who gives tokens for it', async () => {
    const { headers } = await fetch(`${sandbox.url}/acme.vault.usgovcloudapi.net/secrets/s?api-version=7.6`);
    const challenge = headers.get('www-authenticate') ?? '';
    assert.match(challenge, /^Bearer authorization="https:\/\/[^"]+", resource="https:\/\/vault.usgovcloudapi.net"$/);
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import {
  parseSecretUri,
  type SecretUri,
  secretRef,
  secretUriExamples,
} from '../../../src/core/documents/secret-ref.ts';

const arn = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:prod/setpoint-a1b2c3';
const hex = '0123456789abcdef0123456789abcdef';

const uris: readonly { name: string; uri: string; want: SecretUri | undefined }[] = [
  { name: 'an ARN of AWS', uri: arn, want: { cloud: 'aws', arn, region: 'eu-west-1' } },
  {
    name: 'an ARN of another partition',
    uri: 'arn:aws-us-gov:secretsmanager:us-gov-west-1:111122223333:secret:x',
    want: {
      cloud: 'aws',
      arn: 'arn:aws-us-gov:secretsmanager:us-gov-west-1:111122223333:secret:x',
      region: 'us-gov-west-1',
    },
  },
  {
    name: 'a version of Google by its number',
    uri: 'gcpsecretmanager://projects/acme/secrets/set_point-1/versions/12',
    want: { cloud: 'gcp', version: 'projects/acme/secrets/set_point-1/versions/12' },
  },
  {
    name: 'the latest version of Google',
    uri: 'gcpsecretmanager://projects/123456789012/secrets/s/versions/latest',
    want: { cloud: 'gcp', version: 'projects/123456789012/secrets/s/versions/latest' },
  },
  {
    name: 'a secret of Azure',
    uri: 'https://acme-prod.vault.azure.net/secrets/setpoint',
    want: { cloud: 'azure', vault: 'https://acme-prod.vault.azure.net', name: 'setpoint' },
  },
  {
    name: 'a version of Azure',
    uri: `https://acme.vault.azure.cn/secrets/s/${hex}`,
    want: { cloud: 'azure', vault: 'https://acme.vault.azure.cn', name: 's', version: hex },
  },
  {
    name: 'a vault of the US government',
    uri: 'https://acme.vault.usgovcloudapi.net/secrets/s',
    want: { cloud: 'azure', vault: 'https://acme.vault.usgovcloudapi.net', name: 's' },
  },
  { name: 'an ARN of another service', uri: arn.replace('secretsmanager', 'ssm'), want: undefined },
  { name: 'an ARN without account', uri: arn.replace('111122223333', ''), want: undefined },
  { name: 'an ARN whose region is a host', uri: arn.replace('eu-west-1', 'evil.example'), want: undefined },
  { name: 'an ARN and a line more', uri: `${arn}\nx`, want: undefined },
  { name: 'no version', uri: 'gcpsecretmanager://projects/acme/secrets/s', want: undefined },
  { name: 'version 0', uri: 'gcpsecretmanager://projects/acme/secrets/s/versions/0', want: undefined },
  { name: 'a way up', uri: 'gcpsecretmanager://projects/acme/secrets/../versions/1', want: undefined },
  { name: 'a verb', uri: 'gcpsecretmanager://projects/acme/secrets/s/versions/1:destroy', want: undefined },
  { name: 'another host', uri: 'https://vault.example/secrets/s', want: undefined },
  { name: 'a host behind the suffix', uri: 'https://acme.vault.azure.net.evil.example/secrets/s', want: undefined },
  { name: 'a suffix in the middle of a name', uri: 'https://evil.example/.vault.azure.net/secrets/s', want: undefined },
  { name: 'a user', uri: 'https://acme@evil.example/.vault.azure.net/secrets/s', want: undefined },
  { name: 'a port', uri: 'https://acme.vault.azure.net:444/secrets/s', want: undefined },
  { name: 'no vault', uri: 'https://vault.azure.net/secrets/s', want: undefined },
  { name: 'two labels before the suffix', uri: 'https://a.acme.vault.azure.net/secrets/s', want: undefined },
  { name: 'a vault with two hyphens in a row', uri: 'https://ac--me.vault.azure.net/secrets/s', want: undefined },
  { name: 'a vault that is too short', uri: 'https://ab.vault.azure.net/secrets/s', want: undefined },
  { name: 'a managed HSM', uri: 'https://acme.managedhsm.azure.net/secrets/s', want: undefined },
  { name: 'in clear', uri: 'http://acme.vault.azure.net/secrets/s', want: undefined },
  { name: 'a key', uri: 'https://acme.vault.azure.net/keys/s', want: undefined },
  { name: 'a query', uri: 'https://acme.vault.azure.net/secrets/s?api-version=1', want: undefined },
  { name: 'a short version', uri: 'https://acme.vault.azure.net/secrets/s/1', want: undefined },
  { name: 'a loopback address', uri: 'http://127.0.0.1:4566/secrets/s', want: undefined },
];

for (const { name, uri, want } of uris)
  test(`the uri ${want ? 'may' : 'may not'} be ${name}`, () => {
    assert.deepEqual(parseSecretUri(uri), want);
    assert.equal(secretRef().safeParse({ uri }).success, want !== undefined);
  });

test('each example of a uri is one', () => {
  assert.deepEqual(
    secretUriExamples.map((uri) => parseSecretUri(uri)?.cloud),
    ['aws', 'gcp', 'azure'],
  );
});

const forms: readonly { name: string; ref: object; sound: boolean }[] = [
  { name: 'a variable', ref: { env: 'SETPOINT_SECRET_AWS' }, sound: true },
  { name: 'a variable without the beginning', ref: { env: 'AWS_SECRET_ACCESS_KEY' }, sound: false },
  { name: 'the bare beginning', ref: { env: 'SETPOINT_SECRET_' }, sound: false },
  { name: 'a file', ref: { file: 'aws/key.json' }, sound: true },
  { name: "a file behind kubelet's own link", ref: { file: '..data/key' }, sound: true },
  { name: 'a file a folder up', ref: { file: '../key' }, sound: false },
  { name: 'a file up in the middle', ref: { file: 'a/../key' }, sound: false },
  { name: 'a file from the root', ref: { file: '/etc/shadow' }, sound: false },
  { name: 'a file with a NUL', ref: { file: 'a\0b' }, sound: false },
  { name: 'nothing', ref: {}, sound: false },
  { name: 'two at once', ref: { env: 'SETPOINT_SECRET_A', file: 'a' }, sound: false },
  { name: 'an unknown way', ref: { vault: 'secret/data/x' }, sound: false },
];

for (const { name, ref, sound } of forms)
  test(`a reference ${sound ? 'may' : 'may not'} be ${name}`, () => {
    assert.equal(secretRef().safeParse(ref).success, sound);
  });

test('what is refused is not repeated', () => {
  const canary = 'kanarienvogel';
  for (const ref of [canary, { env: canary }, { file: `/${canary}` }, { uri: `https://${canary}/secrets/s` }]) {
    const { error } = secretRef().safeParse(ref);
    assert.ok(error);
    assert.ok(!inspect(error, { depth: null }).includes(canary), inspect(error, { depth: null }));
  }
});

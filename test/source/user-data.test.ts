import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { loadSpecs } from '../../src/source/load.ts';

const dir = mkdtempSync(join(tmpdir(), 'setpoint-user-data-'));
after(() => rmSync(dir, { recursive: true, force: true }));

const head = 'apiVersion: setpoint.dev/v1\n';
const machines: Readonly<Record<string, string>> = {
  aws: 'image: ami-0abc1234, size: t3.small',
  gcp: 'image: global/images/web, size: e2-small',
  azure: 'image: "a:b:c:latest", size: Standard_B2s, access: { user: ops, sshKeys: ["ssh-ed25519 AAAA"] }',
  m: 'image: i, size: s',
};
const base = [
  'kind: Estate\nmetadata: { name: acme }\nspec: {}\n',
  'kind: Target\nmetadata: { name: aws }\nspec: { provider: aws, account: "111122223333", region: eu-west-1 }\n',
  'kind: Target\nmetadata: { name: gcp }\nspec: { provider: gcp, account: acme-prod, region: europe-west1, zone: europe-west1-b }\n',
  'kind: Target\nmetadata: { name: azure }\nspec: { provider: azure, account: 00000000-0000-0000-0000-000000000001, region: westeurope, resourceGroup: acme }\n',
  'kind: Target\nmetadata: { name: m }\nspec: { provider: memory, account: a, region: r }\n',
  'kind: Network\nmetadata: { name: core }\nspec: { targets: [aws, gcp, azure, m], cidr: 10.0.0.0/16, subnets: [{ name: app, cidr: 10.0.0.0/24 }] }\n',
];

async function problemsOf(spec: string, bytes: Uint8Array): Promise<readonly string[]> {
  const instance = `kind: Instance\nmetadata: { name: web }\nspec: { network: core, subnet: app, ${spec} }\n`;
  writeFileSync(join(dir, 'x.yaml'), [...base, instance].map((text) => head + text).join('---\n'));
  writeFileSync(join(dir, 'web.sh'), bytes);
  writeFileSync(join(dir, 'small.sh'), '#!/bin/sh\n');
  const { problems } = await loadSpecs(dir, '2027-01-31');
  return problems.map(({ at, message }) => `${at.line}:${at.column} ${message}`);
}

const text = (length: number): Uint8Array => Buffer.alloc(length, 'x');
const gzip = Uint8Array.of(0x1f, 0x8b, 0x08, 0xff);

const rows: readonly { on: string; name: string; bytes: Uint8Array; want: string }[] = [
  { on: 'aws', name: '16 KiB', bytes: text(16_384), want: '' },
  { on: 'aws', name: 'a byte more', bytes: text(16_385), want: 'it has 16385 bytes, and aws takes at most 16384' },
  { on: 'azure', name: '64 KiB less one', bytes: text(65_535), want: '' },
  { on: 'azure', name: '64 KiB', bytes: text(65_536), want: 'it has 65536 bytes, and azure takes at most 65535' },
  { on: 'gcp', name: '256 KiB', bytes: text(262_144), want: '' },
  { on: 'm', name: '256 KiB', bytes: text(262_144), want: '' },
  ...['aws', 'gcp', 'azure', 'm'].map((on) => ({ on, name: 'no text', bytes: gzip, want: 'it is not UTF-8 text' })),
];

for (const { on, name, bytes, want } of rows) {
  test(`user data on ${on}: ${name}: ${want || 'sound'}`, async () => {
    const found = await problemsOf(`targets: [${on}], ${machines[on]}, userData: { file: web.sh }`, bytes);
    if (want === '') assert.deepEqual(found, []);
    else {
      assert.equal(found.length, 1, found.join('\n') || 'nothing was found');
      assert.ok(found[0]?.includes(`the file "web.sh" cannot boot ${on}: ${want}`), found[0]);
    }
  });
}

const login = ', access: { user: ops, sshKeys: ["ssh-ed25519 AAAA"] }';

test('a login is user data too on AWS: there is less room beside it', async () => {
  const spec = (on: string): string => `targets: [${on}], ${machines[on]}, userData: { file: web.sh }${login}`;
  assert.deepEqual(await problemsOf(spec('aws'), text(12_288)), []);
  const [found] = await problemsOf(spec('aws'), text(12_289));
  assert.match(
    found ?? 'nothing',
    /it has 12289 bytes, 16388 as it is sent beside a login, and aws takes at most 16384/,
  );
  assert.deepEqual(await problemsOf(spec('gcp'), text(262_144)), []);
});

test('user data of one target is asked of that target alone, and placed where it is named', async () => {
  const on = `on: { aws: { ${machines['aws']}, userData: { file: small.sh } }, gcp: { ${machines['gcp']} } }`;
  assert.deepEqual(await problemsOf(`targets: [aws, gcp], userData: { file: web.sh }, ${on}`, text(16_385)), []);
  const turned = `on: { aws: { ${machines['aws']}, userData: { file: web.sh } }, gcp: { ${machines['gcp']} } }`;
  const [found, ...more] = await problemsOf(
    `targets: [aws, gcp], userData: { file: small.sh }, ${turned}`,
    text(16_385),
  );
  assert.match(found ?? 'nothing', /^34:1\d\d the file "web\.sh" cannot boot aws/);
  assert.deepEqual(more, []);
});

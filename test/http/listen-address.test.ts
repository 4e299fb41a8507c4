import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readTls } from '../../src/http/listen-address.ts';
import { ownCertificate } from './support/certificate.ts';

const { cert, key } = ownCertificate();
const otherKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });

const cases: readonly (readonly [
  string,
  { readonly cert?: string; readonly key?: string | Buffer },
  RegExp | undefined,
])[] = [
  ['both as they should be', { cert, key }, undefined],
  ['one that is not there', { cert }, /key\.pem of --tls-key cannot be read: there is no such file$/],
  ['the two mixed up', { cert: key, key: cert }, /cert\.pem of --tls-cert holds no certificate in PEM/],
  ['no key', { cert, key: 'x' }, /key\.pem of --tls-key holds no private key in PEM/],
  [
    'the key of another',
    { cert, key: otherKey },
    /key\.pem of --tls-key is not that of the certificate in .*cert\.pem/,
  ],
];

for (const [name, files, refused] of cases)
  test(`files for TLS: ${name}`, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'setpoint-tls-'));
    t.after(() => rm(folder, { recursive: true }));
    const paths = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
    for (const [which, text] of Object.entries(files)) await writeFile(join(folder, `${which}.pem`), text);
    if (refused === undefined) assert.deepEqual(await readTls(paths), files);
    else await assert.rejects(readTls(paths), refused);
  });

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readAccess } from '../../src/bootstrap/http-server.ts';

const folder = await mkdtemp(join(tmpdir(), 'setpoint-access-'));
after(() => rm(folder, { recursive: true }));
const path = join(folder, 'access.yaml');

test('a sound file is what it says', async () => {
  const issuer = '{ issuer: "https://a.example", audience: setpoint, algorithms: [RS256] }';
  await writeFile(path, `apiVersion: setpoint.dev/v1\nkind: Access\noidc: [${issuer}]\nbindings: []\n`);
  assert.equal((await readAccess(path)).oidc[0]?.issuer, 'https://a.example');
});

test('one that is not sound says every place that is wrong', async () => {
  await writeFile(path, 'apiVersion: setpoint.dev/v1\nkind: Acces\noidc: []\nbindings: x\n');
  await assert.rejects(readAccess(path), ({ message }: Error) => {
    for (const place of [`${path}:2:7`, `${path}:3:7`, `${path}:4:11`, 'did you mean: Access'])
      assert.ok(message.includes(place), `${place} in ${message}`);
    return true;
  });
});

test('one that is not there says what to do', () =>
  assert.rejects(readAccess(join(folder, 'none')), /cannot be read: .*Name another with --access/));

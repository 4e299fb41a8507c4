import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { openCast, type Row } from './cast.ts';
import { gpgRows } from './gpg-rows.ts';
import { hasGpg } from './keys.ts';
import { objectRows } from './object-rows.ts';
import { sshRows } from './ssh-rows.ts';

const cast = openCast();
const folder = mkdtempSync(join(tmpdir(), 'setpoint-verify-'));
after(() => {
  cast.close();
  rmSync(folder, { recursive: true, force: true });
});

const rows = [...objectRows, ...sshRows, ...(hasGpg ? gpgRows : [])];

/** Git's own verdict on a commit, given the same keys. */
function gitHolds({ commit, signers }: Row): boolean {
  const id = commit(cast);
  const keys = signers(cast);
  const home = mkdtempSync(join(folder, 'home-'));
  const gnupg = join(home, 'gnupg');
  mkdirSync(gnupg, { mode: 0o700 });
  const allowed = join(home, 'allowed');
  writeFileSync(
    allowed,
    keys.flatMap(({ email, ssh }) => (ssh ? [`${email} namespaces="git" ${ssh}\n`] : [])).join(''),
  );
  writeFileSync(join(gnupg, 'gpg.conf'), 'trust-model always\nno-autostart\n');
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    GNUPGHOME: gnupg,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
  };
  for (const { gpg } of keys)
    if (gpg !== undefined) execFileSync('gpg', ['--batch', '--import'], { env, input: gpg, stdio: 'pipe' });
  const args = [
    `--git-dir=${cast.repository.folder}`,
    '-c',
    `gpg.ssh.allowedSignersFile=${allowed}`,
    'verify-commit',
    id,
  ];
  return spawnSync('git', args, { env }).status === 0;
}

describe('what we hold to be signed, git holds too', () => {
  for (const row of rows.filter(({ want }) => 'signer' in want)) it(row.name, () => assert.equal(gitHolds(row), true));
});

// These are why git verify-commit alone is not asked.
const STRICTER = [
  'committed under the address of another signer',
  'the key is listed for another address',
  'text after the armour',
  'a digest of SHA-1',
];

describe('what git alone would take, we refuse', () => {
  for (const row of rows.filter(({ name }) => STRICTER.includes(name)))
    it(row.name, () => assert.equal(gitHolds(row), true));
});

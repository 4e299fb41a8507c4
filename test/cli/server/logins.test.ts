import assert from 'node:assert/strict';
import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { loginsFile, readLogins, writeLogins } from '../../../src/cli/api-client/logins.ts';
import { UserError } from '../../../src/cli/errors.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const url = 'https://setpoint.example';
const logins = {
  last: url,
  servers: { [url]: { token: 's3cret', person: 'ann', expires: '2027-01-01T00:00:00.000Z' } },
};

describe('logins on this machine', () => {
  test('lie where the base directory specification says, and a relative folder is none', () => {
    assert.equal(loginsFile({ XDG_CONFIG_HOME: '/etc/ann' }), '/etc/ann/setpoint/logins.json');
    assert.match(loginsFile({ XDG_CONFIG_HOME: 'here' }), /^\/.*\/\.config\/setpoint\/logins\.json$/);
    assert.match(loginsFile({}), /\/\.config\/setpoint\/logins\.json$/);
  });

  test('are for their owner alone, whatever the umask, and nothing else is left beside them', async () => {
    const home = temporaryFolder();
    const file = loginsFile({ XDG_CONFIG_HOME: home });
    const before = process.umask(0);
    try {
      await writeLogins(file, { servers: {} });
      await writeLogins(file, logins);
    } finally {
      process.umask(before);
    }
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(statSync(join(home, 'setpoint')).mode & 0o777, 0o700);
    assert.deepEqual(readdirSync(join(home, 'setpoint')), ['logins.json']);
    assert.deepEqual(await readLogins(file), logins);
  });

  test('a file that is replaced is not written through: a link to elsewhere is not followed', async () => {
    const home = temporaryFolder({ 'setpoint/elsewhere': 'kept' });
    const file = loginsFile({ XDG_CONFIG_HOME: home });
    symlinkSync(join(home, 'setpoint/elsewhere'), file);
    await writeLogins(file, logins);
    assert.equal(readFileSync(join(home, 'setpoint/elsewhere'), 'utf8'), 'kept');
  });

  test('there are none where there is no file', async () => {
    assert.deepEqual(await readLogins(join(temporaryFolder(), 'logins.json')), { servers: {} });
  });

  test('a file that others may read is refused, with what to do', async () => {
    const file = join(temporaryFolder(), 'logins.json');
    writeFileSync(file, JSON.stringify(logins));
    chmodSync(file, 0o640);
    await assert.rejects(
      readLogins(file),
      (error) => error instanceof UserError && /chmod 600/.test(error.details.next ?? ''),
    );
  });

  for (const text of [
    '{"servers": {"https://x": {"token": "s3cret"',
    '{"servers": {"https://x": {"token": ["s3cret"]}}}',
    '[]',
  ])
    test(`a damaged one is said to be, and not quoted: ${text.length} characters`, async () => {
      const file = join(temporaryFolder(), 'logins.json');
      writeFileSync(file, text, { mode: 0o600 });
      await assert.rejects(
        readLogins(file),
        (error) => error instanceof UserError && /is damaged/.test(error.message) && !`${error.stack}`.includes('s3cr'),
      );
    });

  test('a folder that cannot be written is said to be, with what else there is', async () => {
    const file = join(temporaryFolder({ setpoint: 'a file' }), 'setpoint/logins.json');
    await assert.rejects(
      writeLogins(file, logins),
      (error) => error instanceof UserError && /SETPOINT_TOKEN/.test(error.details.next ?? ''),
    );
  });
});

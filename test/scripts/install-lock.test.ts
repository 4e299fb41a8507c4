import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { withInstallLock } from '../../scripts/install-lock.mjs';
import { temporaryFolder } from './temporary-folder.ts';

describe('the install lock', () => {
  it('lets one work at a time, and the next as soon as it ends', async (t) => {
    const lock = join(temporaryFolder(t), 'lock');
    const events: string[] = [];
    const first = Promise.withResolvers<void>();
    const waiting = Promise.withResolvers<void>();
    const one = withInstallLock(lock, async () => {
      events.push('one begins');
      await first.promise;
      events.push('one ends');
    });
    const onWait = (owner: number) => {
      assert.equal(owner, process.pid);
      waiting.resolve();
    };
    const two = withInstallLock(lock, async () => void events.push('two'), { everyMs: 1, onWait });
    await waiting.promise;
    first.resolve();
    await Promise.all([one, two]);
    assert.deepEqual(events, ['one begins', 'one ends', 'two']);
    assert.ok(!existsSync(lock));
  });

  it('is given back when the work fails', async (t) => {
    const lock = join(temporaryFolder(t), 'lock');
    await assert.rejects(
      withInstallLock(lock, async () => {
        assert.equal(readFileSync(lock, 'utf8'), String(process.pid));
        throw new Error('no network');
      }),
      /no network/,
    );
    assert.ok(!existsSync(lock));
  });

  it('is taken over from a process that has died', async (t) => {
    const lock = join(temporaryFolder(t), 'lock');
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    writeFileSync(lock, String(pid));
    assert.equal(await withInstallLock(lock, async () => 'ran', { everyMs: 1 }), 'ran');
  });
});

import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { withUsers } from '../../../src/store/embedded/embedded.ts';
import { commandLine, processStart } from '../../../src/store/embedded/server.ts';
import { removeFolder, temporaryFolder } from '../temporary-folder.ts';

const folder = await temporaryFolder();
after(() => removeFolder(folder));
const file = (name: string): string => join(folder, `${name}.sqlite`);

test('users: one at a time, and what one wrote the next one reads', async () => {
  const order: string[] = [];
  const work = (name: string) =>
    withUsers(file('a'), async (users) => {
      order.push(`${name} begins with ${users.count()}`);
      await new Promise((resolve) => setImmediate(resolve));
      order.push(`${name} ends`);
      return users.add();
    });
  const entries = await Promise.all([work('one'), work('two')]);
  assert.equal(order[0]?.slice(3), ' begins with 0');
  assert.equal(order[1], `${order[0]?.slice(0, 3)} ends`);
  assert.equal(order[2]?.slice(3), ' begins with 1');
  await withUsers(file('a'), async (users) => {
    users.remove(entries[0]);
    assert.equal(users.count(), 1);
  });
});

test('users: work that fails leaves nothing behind, and the lock is free', async () => {
  const failing = withUsers(file('b'), async (users) => {
    users.add();
    throw new Error('no');
  });
  await assert.rejects(failing, /no/);
  assert.equal(await withUsers(file('b'), async (users) => users.count()), 0);
});

test('users: the lock of a killed process is free at once, and its entry does not count', async () => {
  const child = fork(join(import.meta.dirname, 'users-process.ts'), [file('c')]);
  await once(child, 'message');
  assert.equal(await withUsers(file('c'), async (users) => users.count()), 1);
  child.send('hold');
  await once(child, 'message');
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.equal(await withUsers(file('c'), async (users) => users.count()), 0);
});

test('process start: the same for the same process, none for one that is gone', async () => {
  const own = processStart(process.pid);
  assert.ok(own);
  assert.equal(processStart(process.pid), own);
  assert.ok(commandLine(process.pid).includes('node'));
  assert.notEqual(processStart(process.ppid), own);
  const child = fork(join(import.meta.dirname, 'users-process.ts'), [file('d')]);
  await once(child, 'message');
  assert.ok(child.pid && processStart(child.pid));
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.equal(processStart(child.pid), undefined);
  assert.equal(commandLine(child.pid), '');
});

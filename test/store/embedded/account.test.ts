import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Ran } from '../../../src/store/embedded/cluster.ts';
import { lookUp, make } from '../../../src/store/embedded/embedded.ts';

/** A machine that knows some programs; those that make the account do. */
function machine(programs: readonly string[], maker?: string) {
  let exists = false;
  const ran: string[] = [];
  const exec = async (program: string, args: readonly string[]): Promise<Ran> => {
    ran.push([program, ...args].join(' '));
    if (program === 'id')
      return exists ? { ok: true, output: args[0] === '-u' ? '70' : '71' } : { ok: false, output: 'no such user' };
    if (!programs.includes(program)) return { ok: false, output: `spawn ${program} ENOENT` };
    exists ||= program === maker;
    return { ok: true, output: '' };
  };
  return { exec, ran };
}

test('account: none is found where there is none', async () => {
  assert.equal(await lookUp(machine([]).exec), undefined);
});

test('account: made with useradd, without a home or a shell', async () => {
  const { exec, ran } = machine(['groupadd', 'useradd'], 'useradd');
  assert.deepEqual(await make(exec), { uid: 70, gid: 71 });
  assert.deepEqual(ran.slice(0, 2), [
    'groupadd --system postgres',
    'useradd --system --gid postgres --no-create-home --shell /bin/false postgres',
  ]);
  assert.ok(!ran.some((command) => command.startsWith('adduser')));
});

test('account: made with the tools of BusyBox', async () => {
  const { exec } = machine(['addgroup', 'adduser'], 'adduser');
  assert.deepEqual(await make(exec), { uid: 70, gid: 71 });
});

test('account: where it cannot be made the reason is given, with what to do', async () => {
  await assert.rejects(make(machine([]).exec), /spawn useradd ENOENT.*DATABASE_URL/);
});

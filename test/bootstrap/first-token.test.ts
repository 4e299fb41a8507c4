import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstToken } from '../../src/bootstrap/http-server.ts';
import { authenticator } from '../../src/http/access/authenticator.ts';
import { memoryDatabase } from '../support/memory-store.ts';
import { virtualClock } from '../support/virtual-clock.ts';

test('the first token lets an admin in, and of several processes that ask at once one makes it', async () => {
  const clock = virtualClock();
  const database = memoryDatabase(clock);
  const ask = () => firstToken(database.connect(), clock);
  const [text, ...more] = (await Promise.all([ask(), ask(), ask()])).filter((one) => one !== undefined);
  assert.deepEqual(more, []);
  const { tokens } = database.connect();
  const caller = await authenticator({ machines: { tokens, clock } })(`Bearer ${text}`);
  assert.deepEqual([caller?.person, caller?.grants], ['token first', [{ role: 'admin' }]]);
});

test('where a token was made before, though it ended, there is no first one', async () => {
  const clock = virtualClock();
  const store = memoryDatabase(clock).connect();
  const maker = { person: 'kim', identities: [] };
  const { token } = await store.tokens.make({ name: 'a', grants: [{ role: 'viewer' }], expiresAt: clock.now(), maker });
  await store.tokens.revoke(token.id, 'kim');
  assert.equal(await firstToken(store, clock), undefined);
});

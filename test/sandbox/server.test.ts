import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSandbox } from '../../sandbox/index.ts';

const connectionOf = async (options: Parameters<typeof startSandbox>[0]): Promise<string | null> => {
  const sandbox = await startSandbox(options);
  try {
    return (await fetch(`${sandbox.url}/_sandbox/clock`)).headers.get('connection');
  } finally {
    await sandbox.close();
  }
};

test('behind something else every answer ends its connection: it may outlive this sandbox', async () => {
  assert.equal(await connectionOf({ publicUrl: 'http://127.0.0.1:1' }), 'close');
  assert.equal(await connectionOf({}), 'keep-alive');
});

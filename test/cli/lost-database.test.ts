import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cliDependencies } from '../../src/bootstrap/cli-dependencies.ts';
import { runCli } from '../../src/cli/program.ts';
import type { Clock } from '../../src/ports/clock-and-log.ts';
import { Declined } from '../../src/ports/queries.ts';
import type { Store } from '../../src/ports/store.ts';
import { memoryDatabase } from '../support/memory-store.ts';
import { fakeTerminal } from './support/fake-terminal.ts';

const away = (): Declined => new Declined('away', 'Setpoint cannot reach its database (ECONNREFUSED).');

/** The command line beside a database that is away for the first `lost` times that it is asked for, or read. */
async function runWhile(lost: number, at: 'opening' | 'reading', args: readonly string[]) {
  const waits: number[] = [];
  const clock: Clock = { now: Date.now, sleep: async (ms) => void waits.push(ms) };
  const database = memoryDatabase(clock);
  let asked = 0;
  const isAway = (): boolean => {
    asked += 1;
    return asked <= lost;
  };
  const reading = (store: Store): Store => ({
    ...store,
    estates: { ...store.estates, list: async () => (isAway() ? Promise.reject(away()) : store.estates.list()) },
    inventory: {
      ...store.inventory,
      latest: async (...of) => (isAway() ? Promise.reject(away()) : store.inventory.latest(...of)),
    },
  });
  const openStore = async (): Promise<Store> => {
    if (at === 'opening' && isAway()) throw away();
    return at === 'reading' ? reading(database.connect()) : database.connect();
  };
  const terminal = fakeTerminal();
  const signal = new AbortController().signal;
  const code = await runCli(
    args,
    { terminal, dependencies: { ...cliDependencies(clock), openStore }, clock, signal },
    '0.0.0-test',
  );
  return { code, waits: waits.filter((ms) => ms === 2000).length, stderr: terminal.stderr() };
}

const reads = ['inventory', 'specs'] as const;

test('a database that is away for a moment is asked again, and the verb goes on', async () => {
  for (const at of ['opening', 'reading'] as const) {
    const { code, waits, stderr } = await runWhile(3, at, reads);
    assert.deepEqual([at, code, waits], [at, 0, 3], stderr);
    assert.match(stderr, /is unreachable\. Retrying in 2 s \(1 of 3\)/);
  }
});

test('one that stays away is told with the next step', async () => {
  const { code, waits, stderr } = await runWhile(Number.POSITIVE_INFINITY, 'opening', reads);
  assert.deepEqual([code, waits], [1, 3]);
  assert.match(
    stderr,
    /error: Setpoint cannot reach its database[\s\S]*next: {2}Run it again once the database answers; `setpoint doctor`/,
  );
  assert.doesNotMatch(stderr, /SETPOINT_DEBUG/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connected, poolsOf } from '../../src/queue/connection.ts';
import { ownStore } from '../store/own-store.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const { admin } = await ownStore(virtualClock());

type Made = ReturnType<Parameters<typeof connected>[0]>;

/** Workers of which the first ones lose their first connection: for ever, as BullMQ's do. */
function workers(lost: number) {
  const made: { readonly n: number; closed: boolean }[] = [];
  const make = (): Made => {
    const worker = {
      ...{ n: made.length, closed: false, lockManager: { close: async () => {} } },
      on: () => worker,
      waitUntilReady: async () => {
        if (worker.n < lost) throw new Error('terminating connection');
      },
      close: async () => {
        worker.closed = true;
      },
    };
    made.push(worker);
    return worker as unknown as Made; // why: of a worker only these are asked
  };
  return { made, make };
}

test('a worker that loses its first connection is closed, and another takes its place', async () => {
  const { made, make } = workers(2);
  const worker: unknown = await connected(make, 0);
  assert.equal(worker, made[2]);
  assert.deepEqual(
    made.map(({ closed }) => closed),
    [true, true, false],
  );
});

test('a server that nobody gets through to is told of in the end', async () => {
  const { made, make } = workers(99);
  await assert.rejects(connected(make, 0), /terminating connection/);
  assert.deepEqual([made.length, made.every(({ closed }) => closed)], [5, true]);
});

test('a connection that is lost while nobody asks anything of it does not end the process', async () => {
  const { host, port, user, password, database } = admin;
  const pools = poolsOf({ host, port, user, password: String(password), database });
  const client = await pools.one().connect();
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid, current_setting($1) AS path', ['search_path']);
  assert.equal(rows[0].path, '"bullmq"');
  const ended = new Promise<void>((resolve) => client.once('end', resolve));
  await admin.query('SELECT pg_terminate_backend($1)', [rows[0].pid]);
  await ended;
  client.release(true);
  await pools.end();
});

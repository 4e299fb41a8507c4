import assert from 'node:assert/strict';
import { test } from 'node:test';
import { denied, draftOf, settlementOf, workerOf } from '../store/fixtures.ts';
import { commandLine } from './support/in-process.ts';
import { sandboxed } from './support/sandboxed.ts';
import { workerOn } from './support/worker.ts';

const allow = '--allow-endpoint';
const because = ['--reason', 'the image is broken'];
const where = { estate: 'acme', scope: 'aws/111122223333/eu-west-1' };

/** The example estate, approved and not yet made. */
async function approved() {
  const { specs, sandbox } = await sandboxed();
  const run = commandLine();
  const { code, stderr } = await run(['approve', specs, allow, '--reason', 'seen', '--yes']);
  assert.equal(code, 0, stderr);
  const store = run.database.connect();
  const [approval] = await store.fleet.approvals.active(where);
  return {
    ...{ specs, run, store, seq: approval?.seq ?? -1, worker: workerOn(run.database) },
    writes: () => sandbox.control.log.entries({ mutating: true }).length,
  };
}

test('a withdrawn approval lets nothing pass, and the answer says how many calls are still on the way', async () => {
  const { specs, run, store, seq, worker, writes } = await approved();
  const one = await workerOf(store, 'acme');
  const [sent] = await store.ledger.intend(one.reconcile, [draftOf('create', 'core')]);
  const { code, stdout, stderr } = await run(['withdraw', String(seq), specs, ...because]);
  assert.equal(code, 0, stderr);
  assert.match(
    stdout,
    new RegExp(
      `^Withdrawn: the approval of 13 changes of ${where.scope} by \\S+ \\(ledger entry ${seq}\\)\\n {2}1 call is still in flight, without an answer yet\\. Setpoint sends no more\\.\\n$`,
    ),
  );
  assert.deepEqual(await store.fleet.approvals.active(where), []);
  assert.match(
    (await store.fleet.requests.pendingState(where)).reason ?? '',
    /withdrew an approval: the image is broken$/,
  );
  assert.match((await run(['ledger'])).stdout, /the image is broken\n/);
  // else the worker would wait five minutes for a network that was perhaps made
  await store.ledger.settle(one.reconcile, [settlementOf(sent, denied)]);
  await one.lease.release();
  await worker(where);
  assert.equal(writes(), 0);
});

test('withdraw prints one JSON object', async () => {
  const { specs, run, seq } = await approved();
  const { stdout } = await run(['withdraw', String(seq), specs, ...because, '--json']);
  const { approvals, inFlight } = JSON.parse(stdout);
  assert.deepEqual([approvals.length, approvals[0].seq, approvals[0].scope, inFlight], [1, seq, where.scope, 0]);
});

test('status prints the line that withdraws it', async () => {
  const { specs, run, seq } = await approved();
  assert.match((await run(['status', specs])).stdout, new RegExp(`\\n +setpoint withdraw ${seq} --reason "…"\\n`));
});

const refused: readonly (readonly [args: readonly string[], says: RegExp])[] = [
  [['withdraw', '1'], /required option '--reason <text>' not specified/],
  [['withdraw', ...because], /missing required argument 'entry'/],
  [['withdraw', 'x', ...because], /Write the number of its entry in the ledger/],
  [['withdraw', '0', ...because], /Ledger entry 0 is not an active approval of acme[\s\S]*setpoint status/],
];
for (const [args, says] of refused)
  test(`refused: ${args.join(' ')}`, async () => {
    const { specs, run, store } = await approved();
    const { code, stdout, stderr } = await run(args.length > 3 ? [...args, specs] : args);
    assert.deepEqual([code, stdout], [1, ''], stderr);
    assert.match(stderr, says);
    assert.equal((await store.fleet.approvals.active(where)).length, 1);
  });

test('an approval is withdrawn once', async () => {
  const { specs, run, seq } = await approved();
  assert.equal((await run(['withdraw', String(seq), specs, ...because])).code, 0);
  const again = await run(['withdraw', String(seq), specs, ...because]);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /is not an active approval of acme/);
});

import assert from 'node:assert/strict';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ownStore } from '../store/own-store.ts';
import { replicaOf } from '../store/replica.ts';
import { type MemoryDatabase, memoryDatabase } from '../support/memory-store.ts';
import { commandLine, realClock } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';

const allow = '--allow-endpoint';

/** `replica`: a copy of the database now; its result restores that state. */
interface Database {
  readonly database: MemoryDatabase;
  replica(): Promise<() => Promise<void>>;
}

const databases: Readonly<Record<string, () => Promise<Database>>> = {
  'in memory': async () => {
    const database = memoryDatabase(realClock);
    const replica = async () => {
      const failOver = database.replica();
      return async () => failOver();
    };
    return { database, replica };
  },
  PostgreSQL: async () => {
    const { store, admin } = await ownStore(realClock);
    const connect = () => ({ ...store, close: async () => {}, stall: () => {} });
    return { database: { connect }, replica: () => replicaOf(admin) };
  },
};

test('after a failover that lost an update nothing is deleted before a person accepts the loss', async () => {
  const { specs } = await sandboxed();
  edit(specs, 'instances.yaml', 'replicas: 3', 'replicas: 3\n  minReady: 0');
  const { store, admin, folder } = await ownStore(realClock);
  const run = commandLine({ database: { connect: () => ({ ...store, close: async () => {}, stall: () => {} }) } });
  assert.equal((await run(['apply', specs, allow, '--yes'])).code, 0);
  const failOver = await replicaOf(admin);
  edit(specs, 'instances.yaml', 'labels: { tier: web } }', 'labels: { tier: web, lost: "yes" } }');
  const lost = await run(['apply', specs, allow, '--yes']);
  assert.equal(lost.code, 0, lost.stderr);
  await failOver();
  // why: the store here stays open all along, and a command finds a loss as it opens its own
  assert.equal((await store.audit.lost()).length, 1);

  edit(specs, 'instances.yaml', 'replicas: 3', 'replicas: 2');
  const plan = await run(['plan', specs, allow]);
  assert.match(
    plan.stdout,
    /instance web-2 withheld {2}this store lost its newest commits: .*ledger accept-loss --reason/,
  );
  const held = await run(['apply', specs, allow, '--yes']);
  assert.match(held.stdout, /^Applied: 0 added, .* 0 deleted/);
  const broken = await run(['ledger', 'verify']);
  assert.deepEqual([broken.code, /TAMPERED/.test(broken.stdout)], [1, true], broken.stdout);

  const none = await run(['ledger', 'accept-loss']);
  assert.equal(none.code, 1);
  assert.match(none.stderr, /--reason/);
  const checkpoints = join(folder, '.setpoint/checkpoints.jsonl');
  await rename(checkpoints, `${checkpoints}.away`);
  const elsewhere = await run(['ledger', 'accept-loss', '--reason', 'from another folder']);
  assert.equal(elsewhere.code, 1);
  assert.match(elsewhere.stderr, /has no checkpoint of \w+ after \d/);
  await rename(`${checkpoints}.away`, checkpoints);
  assert.doesNotMatch((await run(['ledger'])).stdout, /from another folder/, 'a refusal leaves no word in the ledger');
  const accepted = await run(['ledger', 'accept-loss', '--reason', 'a failover']);
  assert.equal(accepted.code, 0, accepted.stderr);
  assert.match(accepted.stdout, /^Ledger: checkpoints? \d.* given up with the entries/);
  const whole = await run(['ledger', 'verify']);
  assert.equal(whole.code, 0, whole.stdout);
  assert.match(whole.stdout, /^Lost: the entries that checkpoints \d+ to \d+ signed; a person accepted that on /m);
  assert.match((await run(['ledger'])).stdout, /a failover/);
  assert.match((await run(['ledger', 'accept-loss', '--reason', 'again'])).stdout, /\w+ has lost nothing/);
  const done = await run(['apply', specs, allow, '--yes']);
  assert.match(done.stdout, /^Applied: .* 1 deleted/, done.stderr);
});

for (const [name, open] of Object.entries(databases)) {
  test(`${name}: after a failover that lost a launch nothing is made twice, and takeover of its id converges`, async () => {
    const { specs, sandbox } = await sandboxed();
    edit(specs, 'instances.yaml', 'replicas: 3', 'replicas: 3\n  minReady: 0');
    const { database, replica } = await open();
    const run = commandLine({ database });
    const launched = async (): Promise<readonly string[]> => {
      const { stdout } = await run(['inventory', specs, allow, '--refresh', '--json']);
      return [...stdout.matchAll(/"id": ?"(i-\w+)"/g)].map(([, id]) => id ?? '');
    };
    const first = await run(['apply', specs, allow, '--yes']);
    assert.equal(first.code, 0, first.stderr);
    const before = new Set(await launched());
    const failOver = await replica();
    edit(specs, 'instances.yaml', 'replicas: 3', 'replicas: 4');
    assert.equal((await run(['apply', specs, allow, '--yes'])).code, 0);
    await failOver();

    const [id = '', ...others] = (await launched()).filter((one) => !before.has(one));
    assert.deepEqual([id.slice(0, 2), others], ['i-', []]);
    sandbox.control.log.clear();
    const plan = await run(['plan', specs, allow]);
    assert.match(plan.stdout, /^Plan: 0 to add, 0 to change, 0 to replace, 0 to delete/);
    assert.match(
      plan.stdout,
      new RegExp(`instance web-3 blocked  ${id} carries this store's mark[^\\n]*takeover --id ${id} `),
    );
    assert.equal((await run(['apply', specs, allow, '--yes'])).code, 3);

    const listed = await run(['takeover', specs, allow, '--reason', 'a failover', '--yes']);
    assert.deepEqual([listed.code, listed.stdout], [3, 'Taken over: 0 objects · 1 not accepted\n']);
    assert.match(listed.stderr, new RegExp(`If they are yours: --id ${id}\n`));
    const wrong = await run(['takeover', specs, allow, '--id', 'i-0', '--reason', 'a failover', '--yes']);
    assert.equal(wrong.code, 3);
    assert.match(wrong.stderr, /Cannot take over: i-0/);
    const taken = await run(['takeover', specs, allow, '--id', id, '--reason', 'a failover', '--yes']);
    assert.deepEqual([taken.code, taken.stdout], [0, 'Taken over: 1 object\n'], taken.stderr);
    assert.equal((await run(['apply', specs, allow, '--yes'])).code, 0);
    const after = JSON.parse((await run(['plan', specs, allow, '--json'])).stdout);
    assert.deepEqual([after.actions, after.summary.blocked, after.summary.withheld], [[], 0, 0]);
    assert.deepEqual(sandbox.control.log.entries({ mutating: true }), [], 'no cloud was asked to change anything');
  });
}

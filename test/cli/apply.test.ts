import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Action } from '../../src/core/action.ts';
import { until } from '../support/until.ts';
import { commandLine, type Run } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';

const go = ['--allow-endpoint', '--yes'];
const scope = 'aws/111122223333/eu-west-1';

/** The example estate, applied. */
async function standing() {
  const place = await sandboxed();
  const run = commandLine();
  const { code, stderr } = await run(['apply', place.specs, ...go]);
  assert.equal(code, 0, stderr);
  place.sandbox.control.log.clear();
  return {
    ...place,
    run,
    writes: () => place.sandbox.control.log.entries({ mutating: true }).map(({ action }) => action),
  };
}

const planned = async (run: Run, specs: string): Promise<readonly Action[]> =>
  JSON.parse((await run(['plan', specs, '--allow-endpoint', '--json'])).stdout).actions;

test('apply, then a plan with nothing to do, then an apply that makes no call', async () => {
  const { specs, sandbox } = await sandboxed();
  const run = commandLine();
  const first = await run(['apply', specs, ...go]);
  const verdict = /^Applied: 13 added, 0 changed, 0 replaced, 0 deleted · generation 1 · \d+ calls\n$/;
  assert.match(first.stdout, verdict, first.stderr);
  assert.equal(first.code, 0);
  const second = await run(['plan', specs, '--allow-endpoint', '--json', '--detailed-exitcode']);
  assert.deepEqual([second.code, JSON.parse(second.stdout).actions], [0, []]);
  assert.ok(JSON.parse(second.stdout).serial > 13, 'the newest entry of the ledger');
  sandbox.control.log.clear();
  const third = await run(['apply', specs, '--allow-endpoint']);
  assert.match(third.stdout, /^Applied: 0 added/);
  assert.deepEqual([third.code, sandbox.control.log.entries({ mutating: true })], [0, []]);
});

test('it shows the plan on stderr and asks; only yes is a yes', async () => {
  const { specs, sandbox } = await sandboxed();
  const run = commandLine();
  const refused = await run(['apply', specs, '--allow-endpoint'], 'y\n');
  assert.deepEqual([refused.code, refused.stdout], [3, '']);
  assert.match(refused.stderr, /Plan: 13 to add[\s\S]*Apply these changes to acme\?[\s\S]*Nothing was applied/);
  assert.deepEqual(sandbox.control.log.entries({ mutating: true }), []);
  assert.equal((await run(['apply', specs, '--allow-endpoint'], 'yes\n')).code, 0);
});

test('without a terminal it names the flag, and changes nothing', async () => {
  const { specs, sandbox } = await sandboxed();
  const { code, stdout, stderr } = await commandLine()(['apply', specs, '--allow-endpoint']);
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /it has no terminal[\s\S]*--yes/);
  assert.deepEqual(sandbox.control.log.entries({ mutating: true }), []);
});

test('a kept plan is for its owner only, and applies although other things have changed', async () => {
  const { specs, run } = await standing();
  edit(specs, 'instances.yaml', 'tier: db', 'tier: data');
  const kept = join(specs, 'kept.plan');
  assert.equal((await run(['plan', specs, '--allow-endpoint', '--out', kept])).code, 0);
  assert.equal(statSync(kept).mode & 0o777, 0o600);
  edit(specs, 'network.yaml', 'description: public site', 'description: our site');
  const { code, stdout } = await run(['apply', specs, '--allow-endpoint', '--plan', kept]);
  assert.match(stdout, /^Applied: 0 added, 1 changed/);
  assert.equal(code, 0);
  assert.deepEqual(
    (await planned(run, specs)).map(({ kind }) => kind),
    ['firewall-rule'],
    'the rest still waits',
  );
});

test('an action whose object moved on is refused by name, the rest goes on', async () => {
  const { specs, run } = await standing();
  edit(specs, 'instances.yaml', 'tier: db', 'tier: data');
  edit(specs, 'network.yaml', 'description: public site', 'description: our site');
  const kept = join(specs, 'kept.plan');
  await run(['plan', specs, '--allow-endpoint', '--out', kept]);
  edit(specs, 'instances.yaml', 'tier: data', 'tier: archive');
  const { code, stdout } = await run(['apply', specs, '--allow-endpoint', '--plan', kept]);
  assert.match(stdout, /^Applied: 0 added, 1 changed, 0 replaced, 0 deleted · 1 refused/);
  assert.match(stdout, new RegExp(`refused {3}update ${scope}/instance/db-0: what it would update has changed`));
  assert.equal(code, 3);
});

test('a file that is no plan, or of another estate, is refused', async () => {
  const { specs, run } = await standing();
  const file = join(specs, 'x.plan');
  writeFileSync(file, '{}');
  assert.match(
    (await run(['apply', specs, '--allow-endpoint', '--plan', file])).stderr,
    /is not a valid plan file[\s\S]*plan --out/,
  );
  await run(['plan', specs, '--allow-endpoint', '--out', file]);
  writeFileSync(file, readFileSync(file, 'utf8').replace('"estate": "acme"', '"estate": "other"'));
  const { code, stderr } = await run(['apply', specs, '--allow-endpoint', '--plan', file]);
  assert.equal(code, 3);
  assert.match(stderr, /of the estate other/);
});

test('mode observe: apply is refused, and says so for each change', async () => {
  const { specs, sandbox } = await sandboxed();
  edit(specs, 'estate.yaml', 'mode: plan', 'mode: observe');
  const { code, stdout } = await commandLine()(['apply', specs, ...go]);
  assert.equal(code, 3);
  assert.match(stdout, /^Not applied: 0 added[^\n]* refused/);
  assert.match(stdout, /its mode is observe/);
  assert.deepEqual(sandbox.control.log.entries({ mutating: true }), []);
});

test('over a limit nothing is deleted, and --allow-deletes lets it pass', async () => {
  const { specs, run, writes } = await standing();
  edit(specs, 'estate.yaml', 'deletes: 5', 'deletes: 1');
  await run(['apply', specs, ...go]);
  edit(specs, 'instances.yaml', 'replicas: 3', 'replicas: 1');
  const refused = await run(['apply', specs, ...go]);
  assert.equal(refused.code, 3);
  assert.match(refused.stdout, /2 refused[\s\S]*2 deletes, the limit is 1[\s\S]*--allow-deletes 2/);
  assert.deepEqual(writes(), []);
  const passed = await run(['apply', specs, ...go, '--allow-deletes', '2']);
  assert.match(passed.stdout, /^Applied: 0 added, 0 changed, 0 replaced, 2 deleted/);
  assert.deepEqual(writes(), ['TerminateInstances']);
});

test('a lease that somebody holds: who, since when, and exit 3', async () => {
  const { specs, sandbox } = await sandboxed();
  const run = commandLine();
  const other = run.database.connect();
  const held = await other.leases.acquire('acme', scope, 'kim@laptop (process 7)');
  assert.ok(held.ok);
  const { code, stderr } = await run(['apply', specs, ...go]);
  assert.equal(code, 3);
  assert.match(stderr, /kim@laptop \(process 7\) holds its lease since \d{4}-/);
  assert.deepEqual(sandbox.control.log.entries({ mutating: true }), []);
  const waiting = run(['apply', specs, ...go, '--lock-timeout', '30s']);
  setTimeout(() => void held.lease.release(), 100);
  assert.equal((await waiting).code, 0);
});

test('a cloud that refuses some: what failed and what was done, exit 4', async () => {
  const { specs } = await sandboxed();
  edit(specs, 'instances.yaml', 'ami-0abcdef1234567890', 'ami-0123456789abcdef0');
  const { code, stdout } = await commandLine()(['apply', specs, ...go]);
  assert.equal(code, 4);
  assert.match(stdout, /^Applied: \d+ added[^\n]*3 failed/);
  assert.match(stdout, /failed {4}create aws\/\S+\/instance\/web-0: InvalidAMIID\.NotFound: .* \(request [\w-]+\)/);
  assert.match(stdout, /done {6}\+ aws\/\S+\/network\/core/);
});

test('a cloud that does not answer is no cloud without changes', async () => {
  const { specs, sandbox } = await sandboxed();
  sandbox.control.faults.add({ match: { action: 'DescribeVpcs' }, effect: { kind: 'access-denied' } });
  const run = commandLine();
  assert.equal((await run(['plan', specs, '--allow-endpoint', '--detailed-exitcode'])).code, 1);
  const { code, stdout } = await run(['apply', specs, ...go]);
  assert.equal(code, 1);
  assert.match(stdout, /^Not applied/);
});

test('stopped while it works: it says what was done, and the next run goes on from there', async () => {
  const stop = new AbortController();
  const { specs, sandbox } = await sandboxed();
  const run = commandLine({ stop: stop.signal });
  sandbox.control.faults.add({ match: { action: 'CreateSubnet' }, effect: { kind: 'throttle' } });
  const working = run(['apply', specs, ...go]);
  await until('a subnet is asked for', () => sandbox.control.log.entries({ action: 'CreateSubnet' }).length > 0);
  stop.abort(new Error('interrupted'));
  const { code, stdout } = await working;
  assert.equal(code, 4);
  assert.match(stdout, /^Applied: \d added[^\n]* not done · stopped/);
  sandbox.control.faults.clear();
  const again = await commandLine({ database: run.database })(['apply', specs, ...go]);
  assert.match(again.stdout, /^Applied: \d+ added/, again.stderr);
  assert.equal(again.code, 0, again.stdout);
  assert.equal(sandbox.control.log.entries({ action: 'CreateVpc' }).length, 1);
});

test('a generation that somebody accepts while the plan is made is not overruled', async () => {
  const { specs, run, writes } = await standing();
  edit(specs, 'instances.yaml', 'tier: web', 'tier: shop');
  const store = run.database.connect();
  const guards = (await store.generations.current('acme'))?.guards ?? assert.fail();
  // why: it comes while the clouds are looked at
  const record: typeof store.inventory.record = async (...seen) => {
    await store.generations.accept('acme', 'folder:theirs', guards);
    return store.inventory.record(...seen);
  };
  const database = { connect: () => ({ ...store, inventory: { ...store.inventory, record } }) };
  const { code, stderr } = await commandLine({ database })(['apply', specs, ...go]);
  assert.equal(code, 3, stderr);
  assert.match(stderr, /Nothing was applied: generation 2 was accepted in the meantime/);
  assert.equal((await store.generations.current('acme'))?.revision, 'folder:theirs');
  assert.deepEqual(writes(), []);
});

test('specs of an estate that owns nothing where another one owns resources need --allow-shared-scopes', async () => {
  const { specs, run, writes } = await standing();
  edit(specs, 'estate.yaml', 'name: acme', 'name: lab');
  const warning = /acme owns 13 resources in aws\/111122223333\/eu-west-1, and lab owns none there/;
  const plan = await run(['plan', specs, '--allow-endpoint']);
  assert.equal(plan.code, 0);
  assert.match(plan.stderr, warning);
  assert.match(plan.stderr, /! .* `apply` and `approve` need --allow-shared-scopes\n/);
  const refused = await run(['apply', specs, ...go]);
  assert.equal(refused.code, 3);
  assert.match(refused.stderr, warning);
  assert.doesNotMatch(refused.stderr, /Plan:/, 'before any plan and question');
  assert.match(refused.stderr, /restore it: `metadata\.name`.*run this again with --allow-shared-scopes\./);
  const approval = await run(['approve', specs, ...go, '--reason', 'looks good']);
  assert.match(approval.stderr, warning);
  assert.equal(await run.database.connect().generations.current('lab'), undefined);
  assert.deepEqual(writes(), []);
  const begun = await run(['apply', specs, ...go, '--allow-shared-scopes']);
  assert.doesNotMatch(begun.stderr, warning);
  assert.equal((await run.database.connect().generations.current('lab'))?.number, 1);
  edit(specs, 'estate.yaml', 'name: lab', 'name: acme');
  assert.doesNotMatch(
    (await run(['plan', specs, '--allow-endpoint'])).stderr,
    /shared-scopes/,
    'acme owns resources there',
  );
});

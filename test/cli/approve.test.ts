import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandLine } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';
import { workerOn } from './support/worker.ts';

const allow = '--allow-endpoint';
const because = ['--reason', 'seen in 812'];
const scope = 'aws/111122223333/eu-west-1';
const where = { estate: 'acme', scope };

async function place() {
  const { specs, sandbox } = await sandboxed();
  const run = commandLine();
  const store = run.database.connect();
  return {
    specs,
    sandbox,
    store,
    run,
    approve: (args: readonly string[] = [], says?: string) => run(['approve', specs, allow, ...because, ...args], says),
    worker: workerOn(run.database),
    writes: () => sandbox.control.log.entries({ mutating: true }).map(({ action }) => action),
    given: () => store.fleet.approvals.active(where),
  };
}

/** The same, made by hand. */
async function standing() {
  const all = await place();
  const { code, stderr } = await all.run(['apply', all.specs, allow, '--yes']);
  assert.equal(code, 0, stderr);
  all.sandbox.control.log.clear();
  return all;
}

test('specs that were never applied: shown, asked, accepted and approved; a worker then does it all', async () => {
  const { approve, store, worker, given, run, specs } = await place();
  const { code, stdout, stderr } = await approve([], 'yes\n');
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^Plan: 13 to add[\s\S]*\+ network core[\s\S]*Digest: \w{12}\n/m);
  assert.match(
    stderr,
    /These specs are not active\. They become generation 1 of acme\.\nAllow workers to make these 13 changes until \d{4}-/,
  );
  const verdict = /^Approved: 13 changes of acme · generation 1 · until \S+ \S+ UTC \(24 h\) · digest (\w{12})\n/;
  assert.match(stdout, verdict);
  assert.match(stdout, /ledger entry \d+\n {2}To see the result: setpoint status, and setpoint ledger\n$/);
  const [approval] = await given();
  assert.deepEqual([approval?.generation, approval?.actions.length, approval?.destroys], [1, 13, 0]);
  assert.ok(approval?.digest.startsWith(verdict.exec(stdout)?.[1] ?? 'none'));
  assert.equal(approval?.by.reason, 'seen in 812');
  assert.match((await run(['ledger'])).stdout, /note +approval by \S+: seen in 812\n/);
  assert.match((await store.fleet.requests.pendingState(where)).reason ?? '', /approved: seen in 812/);
  assert.equal(await worker(where), 'done');
  assert.deepEqual(JSON.parse((await run(['plan', specs, allow, '--json'])).stdout).actions, []);
  assert.equal(await store.fleet.rollouts.standing(where), 1);
});

test('a no, a missing terminal or a missing reason changes nothing', async () => {
  const { approve, store, run, specs } = await place();
  const no = await approve([], 'y\n');
  assert.deepEqual([no.code, no.stdout], [3, '']);
  assert.match(no.stderr, /Nothing was approved/);
  const alone = await approve();
  assert.equal(alone.code, 1);
  assert.match(alone.stderr, /it has no terminal[\s\S]*--yes/);
  const silent = await run(['approve', specs, allow]);
  assert.equal(silent.code, 1);
  assert.match(silent.stderr, /required option '--reason <text>' not specified/);
  for (const [args, says] of [
    [['--expires', '0'], /would have expired already/],
    [['--digest', 'abc'], /Write at least 12 digits of the digest/],
    [['--target', 'nope'], /There is no target nope/],
  ] as const) {
    const wrong = await approve([...args, '--yes']);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, says);
  }
  const elsewhere = await run(['approve', specs, ...because, '--yes']);
  assert.match(elsewhere.stderr, /has its own endpoint/);
  assert.equal(await store.generations.current('acme'), undefined);
});

test('bound to a digest: the same reconciles, another is refused with exit 3', async () => {
  const { approve, given, specs } = await standing();
  edit(specs, 'instances.yaml', 'tier: web', 'tier: shop');
  const shown = /Digest: (\w{12})/.exec((await approve()).stderr)?.[1] ?? assert.fail();
  edit(specs, 'instances.yaml', 'tier: shop', 'tier: store');
  const other = await approve(['--digest', shown, '--yes']);
  assert.deepEqual([other.code, other.stdout], [3, '']);
  assert.match(
    other.stderr,
    new RegExp(`have changed since that digest[\\s\\S]*not ${shown}[\\s\\S]*--digest \\w{12}\n`),
  );
  assert.deepEqual(await given(), []);
  edit(specs, 'instances.yaml', 'tier: store', 'tier: shop');
  const same = await approve(['--digest', shown, '--yes', '--expires', '2h', '--json']);
  const [approval] = JSON.parse(same.stdout).approvals;
  assert.deepEqual(
    [same.code, approval.reason, approval.actions.length, approval.generation],
    [0, 'seen in 812', 3, 2],
  );
  assert.ok(Math.abs(approval.until - Date.now() - 2 * 3_600_000) < 60_000);
});

/** Everything is carried out by itself but machines, and of destroying two things a generation. */
async function enforced() {
  const all = await place();
  const { specs, run, sandbox } = all;
  edit(specs, 'estate.yaml', 'mode: plan', 'mode: enforce');
  edit(specs, 'estate.yaml', 'deletes: 5', 'deletes: 2');
  edit(specs, 'estate.yaml', 'mode: enforce', 'mode: enforce\n  deletionGracePeriod: { instance: 0s }');
  edit(specs, 'instances.yaml', 'publicIp: true', 'publicIp: true\n  deletionPolicy: delete\n  mode: plan');
  edit(specs, 'instances.yaml', '  size: t3.medium\n', '  size: t3.medium\n  mode: plan\n');
  const { code, stderr } = await run(['apply', specs, allow, '--yes']);
  assert.equal(code, 0, stderr);
  sandbox.control.log.clear();
  return all;
}

test('an approval lifts modes and limits, also limits that only it exceeds; pauses and protect hold', async () => {
  const { approve, specs, worker, writes, given, run } = await enforced();
  edit(specs, 'instances.yaml', 'replicas: 3', 'replicas: 1');
  edit(specs, 'instances.yaml', '  size: t3.medium\n', '  size: t3.medium\n  userData: { file: web.sh }\n');
  const rules = join(specs, 'network.yaml');
  const documents = readFileSync(rules, 'utf8').split('\n---\n');
  writeFileSync(rules, documents.filter((text) => !text.includes('name: office-ssh')).join('\n---\n'));
  const pause = () => run(['pause', specs, '--owner', 'team-web', ...because]);
  const resume = () => run(['resume', specs, '--owner', 'team-web', ...because]);
  await pause();
  const held = await approve();
  assert.match(held.stderr, /· instance web-1 and 1 more withheld {2}paused for owner team-web by /);
  assert.match(held.stderr, /1 other change needs no approval and will be made at once\.\n.*these 2 changes/);
  await resume();
  const { code, stdout, stderr } = await approve([], 'yes\n');
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^Plan: 0 to add, 0 to change, 0 to replace, 3 to delete .* 1 withheld/m);
  assert.match(stderr, /· instance db-0 withheld {2}protected: no plan may replace it/);
  assert.match(stderr, /generation 2 of acme, after 1 \(folder \w{7}\), whose approvals end\./);
  assert.match(stderr, /these 3 changes until .* UTC\? 3 deletes or replaces among them\./);
  assert.match(stdout, /^Approved: 3 changes of acme · generation 2 · /);
  assert.deepEqual(
    (await given()).map(({ actions, destroys }) => [actions.length, destroys]),
    [[3, 3]],
  );
  await pause();
  assert.equal(await worker(where), 'partly');
  assert.deepEqual(writes(), ['RevokeSecurityGroupIngress'], 'the rule goes, the machines are held by the pause');
  await resume();
  assert.equal(await worker(where), 'partly');
  assert.deepEqual(writes(), ['RevokeSecurityGroupIngress', 'TerminateInstances']);
});

test('without waiting changes nothing is written; inactive specs are reported', async () => {
  const { approve, specs, store } = await enforced();
  const head = await store.audit.head('acme');
  const none = await approve();
  assert.deepEqual([none.code, none.stdout], [0, 'Approved: nothing; no action waits for approval\n']);
  edit(specs, 'network.yaml', 'description: public site', 'description: our site');
  const other = await approve();
  assert.match(
    other.stdout,
    /^Approved: nothing; no action waits for approval\n {2}These specs are not active: setpoint apply/,
  );
  assert.deepEqual(JSON.parse((await approve(['--json'])).stdout), { approvals: [], missing: [] });
  assert.equal(await store.audit.head('acme'), head);
  assert.equal((await store.generations.current('acme'))?.number, 1);
});

test('an approval in force is not asked for again; of a scope that was not wholly seen nothing is', async () => {
  const { approve, specs, run, sandbox, given } = await standing();
  edit(specs, 'instances.yaml', 'tier: web', 'tier: shop');
  assert.equal((await approve(['--yes'])).code, 0);
  assert.match((await approve(['--yes'])).stdout, /^Approved: nothing/);
  assert.equal((await given()).length, 1);
  assert.match((await run(['status', specs])).stdout, /1 approval\b[\s\S]*Approved\n.*3 changes until .*: seen in 812/);
  sandbox.control.faults.add({ match: { action: 'DescribeVpcs' }, effect: { kind: 'access-denied' } });
  const half = await approve(['--yes']);
  assert.deepEqual([half.code, half.stdout], [1, '']);
  assert.match(
    half.stderr,
    /Nothing was approved: the observation is incomplete\.\n.*network was not listed completely/,
  );
});

test('a generation that somebody accepts meanwhile is not overruled', async () => {
  const { run, specs, store } = await standing();
  edit(specs, 'instances.yaml', 'tier: web', 'tier: shop');
  const guards = (await store.generations.current('acme'))?.guards ?? assert.fail();
  // why: it comes while the clouds are looked at
  const connect = () => {
    const mine = run.database.connect();
    const record: typeof mine.inventory.record = async (...seen) => {
      await store.generations.accept('acme', 'folder:theirs', guards);
      return mine.inventory.record(...seen);
    };
    return { ...mine, inventory: { ...mine.inventory, record } };
  };
  const late = commandLine({ database: { connect } });
  const { code, stderr } = await late(['approve', specs, allow, ...because, '--yes']);
  assert.equal(code, 3, stderr);
  assert.match(stderr, /Nothing was approved: generation 2 was accepted in the meantime/);
  assert.equal((await store.generations.current('acme'))?.revision, 'folder:theirs');
});

test('a refusal is asked for, and the next one who approves sees it before the question', async () => {
  const { approve, given, specs, store, run } = await standing();
  edit(specs, 'instances.yaml', 'tier: web', 'tier: shop');
  const early = await approve(['--refuse', '--yes']);
  assert.deepEqual([early.code, early.stdout], [1, '']);
  assert.match(early.stderr, /Nothing was refused: these specs are not active\./);
  assert.equal((await store.generations.current('acme'))?.number, 1, 'a refusal activates nothing');
  const [first] = [await approve(['--yes'])];
  assert.equal(first.code, 0, first.stderr);
  const [approval] = await given();
  assert.equal((await run(['withdraw', String(approval?.seq), specs, ...because])).code, 0);
  const no = await approve(['--refuse'], 'no\n');
  assert.deepEqual([no.code, no.stdout], [3, '']);
  assert.match(no.stderr, /Refuse these 3 changes, for all to read\?[\s\S]*Nothing was refused/);
  assert.doesNotMatch((await run(['ledger'])).stdout, /refuseApproval/);
  const yes = await approve(['--refuse'], 'yes\n');
  assert.equal(yes.code, 0, yes.stderr);
  assert.match(
    yes.stdout,
    /^Refused: 3 changes of acme · generation 2 · digest \w{12}\n {2}\S+: ledger entry \d+\n {2}Others see it/,
  );
  const later = await approve([], 'no\n');
  assert.match(later.stderr, /\n {2}! refused by \S+: seen in 812\nDigest: \w{12}\n\nAllow workers/);
  const part = await approve(['--refuse', '--yes', '--json', '--address', 'web-0']);
  const [refusal] = JSON.parse(part.stdout).refusals;
  assert.deepEqual([refusal.actions.length, refusal.reason, refusal.scope], [1, 'seen in 812', scope]);
  assert.match((await approve([], 'no\n')).stderr, /refused by \S+: seen in 812 \(1 of 3 actions\)\n/);
  assert.match((await run(['ledger'])).stdout, /note +refuseApproval by \S+: seen in 812\n/);
  assert.equal((await approve(['--yes'])).code, 0);
  assert.equal((await approve(['--refuse', '--yes'])).stdout, 'Refused: nothing; no action waits for approval\n');
});

test('a refusal has no end, and is bound to its digest', async () => {
  const { approve } = await standing();
  for (const more of [
    ['--expires', '2h'],
    ['--history', '1234567'],
  ])
    assert.match((await approve(['--refuse', ...more])).stderr, /cannot be used with option/);
  const other = await approve(['--refuse', '--yes', '--digest', 'a'.repeat(12)]);
  assert.equal(other.code, 3);
  assert.match(other.stderr, /have changed since that digest/);
});

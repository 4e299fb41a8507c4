import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { memoryDatabase } from '../support/memory-store.ts';
import { commandLine, realClock } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';

const allow = '--allow-endpoint';
const web = 'aws/111122223333/eu-west-1/instance/web-0';

async function standing() {
  const place = await sandboxed();
  const run = commandLine();
  const { code, stderr } = await run(['apply', place.specs, allow, '--yes']);
  assert.equal(code, 0, stderr);
  return { ...place, run };
}

/** Takes the documents of the web servers out of the specs. */
function withoutWeb(specs: string): void {
  const path = join(specs, 'instances.yaml');
  writeFileSync(path, readFileSync(path, 'utf8').split('\n---\n').slice(1).join('\n---\n'));
}

test('what no document wants any more is an orphan: listed, and deleted only when chosen', async () => {
  const { specs, run, sandbox } = await standing();
  withoutWeb(specs);
  const orphans = [0, 1, 2].map((n) => `aws/111122223333/eu-west-1/instance/web-${n}`);
  const listed = JSON.parse((await run(['prune', '--specs', specs, allow, '--json'])).stdout);
  assert.deepEqual(listed.orphans.map(({ address }: { address: string }) => address).sort(), orphans);
  sandbox.control.log.clear();
  const wrong = await run(['prune', 'nope', '--specs', specs, allow, '--yes']);
  assert.equal(wrong.code, 3);
  assert.match(wrong.stderr, /nope is not an orphan[\s\S]*setpoint prune/);
  const asked = await run(['prune', web, '--specs', specs, allow], 'no\n');
  assert.deepEqual([asked.code, sandbox.control.log.entries({ mutating: true })], [3, []]);
  const done = await run(['prune', web, '--specs', specs, allow, '--yes']);
  assert.match(done.stdout, /^Applied: 0 added, 0 changed, 0 replaced, 1 deleted/, done.stderr);
  const left = JSON.parse((await run(['prune', '--specs', specs, allow, '--json'])).stdout);
  assert.deepEqual(left.orphans.map(({ address }: { address: string }) => address).sort(), orphans.slice(1));
  const status = (await run(['status', specs])).stdout;
  assert.match(status, /^Status: .* · 2 orphans/);
  assert.match(status, /\nOrphans\n {2}2 resources that Setpoint owns and no document wants\n/);
});

test('prune names what it did not delete although it was chosen, and why', async () => {
  const { specs, run, sandbox } = await standing();
  for (const file of ['network.yaml', 'instances.yaml']) writeFileSync(join(specs, file), '');
  const core = 'aws/111122223333/eu-west-1/network/core';
  sandbox.control.log.clear();
  const none = await run(['prune', core, '--specs', specs, allow, '--yes']);
  assert.equal(none.code, 3, none.stderr);
  assert.match(none.stdout, /^Not applied: .* 0 deleted · 1 refused/);
  assert.match(none.stdout, new RegExp(`refused +delete ${core}: .* still needs it`));
  assert.deepEqual(sandbox.control.log.entries({ mutating: true }), []);
  const some = await run(['prune', core, web, '--specs', specs, allow, '--yes', '--json']);
  const { exitCode, done, refused } = JSON.parse(some.stdout);
  assert.deepEqual([some.code, exitCode], [4, 4], some.stderr);
  assert.deepEqual(done, [{ verb: 'delete', kind: 'instance', address: web }]);
  assert.deepEqual(
    refused.map(({ address }: { address: string }) => address),
    [core],
  );
});

test('a plan without documents says first how to restore the orphans, and whether prune refuses one', async () => {
  const { specs, run } = await standing();
  for (const file of ['network.yaml', 'instances.yaml']) writeFileSync(join(specs, file), '');
  const { stdout, stderr } = await run(['plan', specs, allow]);
  const wayBack = 'To keep it, restore its document: git revert, or setpoint restore --as-of TIME\\.';
  assert.match(stdout, new RegExp(`web-0 is an orphan: .* ${wayBack} To delete it: setpoint prune ${web}\\n`));
  assert.match(
    stdout,
    new RegExp(`db-0 is an orphan: .* ${wayBack} Its last document had protect: true, so .* refuses it`),
  );
  assert.match(stderr, /^No document of these specs is left, and Setpoint owns \d+ objects of these targets\.$/m);
  assert.match(stderr, /^If that is a mistake, restore the documents: git revert, or setpoint restore --as-of TIME$/m);
  assert.doesNotMatch(stderr, /import --all/);
  assert.equal((await run(['apply', specs, allow, '--yes'])).code, 0);
  edit(specs, 'estate.yaml', 'deletes: 5', 'deletes: 6');
  await run(['apply', specs, allow, '--yes']);
  const db = web.replace('web-0', 'db-0');
  const refused = await run(['prune', db, '--specs', specs, allow, '--yes']);
  assert.match(refused.stdout, new RegExp(`refused +delete ${db}: protected: no plan may delete it`));
});

test('forget lets go without a call to the cloud; the object is ours no more, and nothing is made beside it', async () => {
  const { specs, run, sandbox } = await standing();
  withoutWeb(specs);
  sandbox.control.log.clear();
  const { code, stdout } = await run(['forget', 'web-0', '--specs', specs, allow, '--yes']);
  assert.equal(code, 0);
  assert.match(stdout, new RegExp(`^Forgotten: ${web} \\(i-\\w+\\)`));
  assert.deepEqual(sandbox.control.log.entries(), []);
  const plan = await run(['plan', specs, allow]);
  assert.match(plan.stdout, /\? instance i-\w+ \(web-0\) {2}carries a copy of the mark/);
  assert.match(plan.stdout, /^Plan: 0 to add/);
  assert.match((await run(['ledger', 'verify'])).stdout, /whole/);
});

test('forget of what a document still wants is refused, and nothing changes', async () => {
  const { specs, run, sandbox } = await standing();
  sandbox.control.log.clear();
  const { code, stdout, stderr } = await run(['forget', 'web-0', '--specs', specs, '--yes']);
  assert.deepEqual([code, stdout], [3, '']);
  assert.match(stderr, new RegExp(`A document still wants ${web}[\\s\\S]*where: ${specs}/instances.yaml:\\d+\n`));
  assert.match(stderr, /why: +Without a claim on i-\w+ the next apply would create another one/);
  assert.match(stderr, /next: +Remove it from the specs[\s\S]*--although-wanted/);
  assert.deepEqual(sandbox.control.log.entries(), []);
  assert.match((await run(['plan', specs, allow])).stdout, /^Plan: 0 to add/);
});

test('forget of what a document wants by a new name is refused too', async () => {
  const { specs, run } = await standing();
  edit(specs, 'instances.yaml', 'name: web', 'name: shop, was: [web]');
  const { code, stderr } = await run(['forget', 'web-0', '--specs', specs, '--yes']);
  assert.equal(code, 3, stderr);
});

test('forget although it is wanted: the next plan makes another', async () => {
  const { specs, run } = await standing();
  const { code, stdout } = await run(['forget', 'web-0', '--specs', specs, '--although-wanted', '--yes']);
  assert.equal(code, 0);
  assert.match(stdout, new RegExp(`^Forgotten: ${web}`));
  assert.match((await run(['plan', specs, allow])).stdout, /^Plan: 1 to add/);
});

test('a store that was taken over writes nothing any more, and makes nothing beside what was its own', async () => {
  const { specs, run, sandbox } = await standing();
  const heir = commandLine({ database: memoryDatabase(realClock, 'ffffffff-0000-4000-8000-000000000000') });
  assert.equal((await heir(['takeover', specs, allow, '--reason', 'moved', '--yes'])).code, 0);
  assert.equal((await heir(['apply', specs, allow, '--yes'])).code, 0);
  edit(specs, 'instances.yaml', 'replicas: 3', 'replicas: 4');
  sandbox.control.log.clear();
  const late = await run(['apply', specs, allow, '--yes']);
  assert.equal(late.code, 3);
  assert.match(late.stdout, /setpoint takeover/);
  assert.deepEqual(sandbox.control.log.entries({ mutating: true }), []);
});

test('protection that came after the machines outlives its document', async () => {
  const { specs, run, sandbox } = await standing();
  edit(specs, 'instances.yaml', 'publicIp: true', 'publicIp: true\n  deletionPolicy: delete');
  assert.equal((await run(['apply', specs, allow, '--yes'])).code, 0);
  edit(specs, 'instances.yaml', 'publicIp: true', 'publicIp: true\n  protect: true');
  sandbox.control.log.clear();
  assert.match((await run(['apply', specs, allow, '--yes'])).stdout, /^Applied: 0 added, 3 changed/);
  withoutWeb(specs);
  await run(['apply', specs, allow, '--yes']);
  edit(specs, 'network.yaml', 'rules: authoritative', 'rules: additive');
  const later = await run(['apply', specs, allow, '--yes']);
  assert.match(later.stdout, /refused +delete .*web-0: protected/);
  assert.deepEqual(sandbox.control.log.entries({ mutating: true }), [], 'no cloud is asked to remember it');
});

test('a lost store: nothing is written until takeover, and then nothing is made or deleted', async () => {
  const { specs, sandbox } = await standing();
  sandbox.control.log.clear();
  const foreign = commandLine({ database: memoryDatabase(realClock, 'ffffffff-0000-4000-8000-000000000000') });
  const before = await foreign(['apply', specs, allow, '--yes']);
  assert.equal(before.code, 3);
  assert.match(before.stdout, /setpoint takeover/);
  assert.deepEqual(sandbox.control.log.entries({ mutating: true }), []);
  const taken = await foreign(['takeover', specs, allow, '--reason', 'the disk died', '--yes']);
  assert.match(taken.stdout, /^Taken over: 10 objects/, taken.stderr);
  assert.equal(taken.code, 0);
  const after = JSON.parse((await foreign(['plan', specs, allow, '--json'])).stdout);
  assert.deepEqual([after.summary.create, after.summary.delete], [0, 0]);
  assert.match((await foreign(['apply', specs, allow, '--yes'])).stdout, /^Applied: 0 added, 10 changed, 0 rep/);
  assert.deepEqual(JSON.parse((await foreign(['plan', specs, allow, '--json'])).stdout).actions, []);
});

test('takeover without a reason is refused', async () => {
  const { code, stderr } = await commandLine()(['takeover']);
  assert.equal(code, 1);
  assert.match(stderr, /--reason <text>' not specified/);
});

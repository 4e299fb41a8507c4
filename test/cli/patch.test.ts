import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';
import { temporaryFolder } from './support/temporary-folder.ts';
import { inGit } from './support/work-tree.ts';

const allow = '--allow-endpoint';
const { specs, sandbox } = await sandboxed();
const run = commandLine();
assert.equal((await run(['apply', specs, allow, '--yes'])).code, 0);
const writes = () => sandbox.control.log.entries({ mutating: true }).map(({ action }) => action);
test.beforeEach(() => sandbox.control.log.clear());
const rule = 'firewall-rule/core.web-https';

test('it shows the plan and the effect on traffic, and asks, before anything is recorded', async () => {
  const refused = await run(['patch', rule, 'ports=[443,22]', '--for', '4h', '--reason', '#4711'], 'no\n');
  assert.equal(refused.code, 3);
  assert.match(refused.stderr, /ports: \[443\] → \[443, 22\]/);
  assert.match(refused.stderr, /opens 22\/tcp to core\.web .* from 0\.0\.0\.0\/0/);
  assert.match(refused.stderr, /At its end, \S+ \S+ UTC, workers go back to the specs\./);
  assert.match((await run(['patch', 'list'])).stdout, /^Patches of acme: none\n/);
});

test('it holds beside a folder, in plans and applies, and status and explain name it', async () => {
  const begun = await run(['patch', rule, 'ports=[443,22]', '--for', '4h', '--reason', '#4711', '--yes']);
  assert.equal(begun.code, 0, begun.stderr);
  assert.match(begun.stdout, /^Patched: #1 FirewallRule web-https until \S+ \S+ UTC \(4 h\) · generation 2\n/);
  assert.deepEqual(writes(), []);
  const planned = await run(['plan', specs, allow]);
  assert.match(
    planned.stderr,
    /Beside these specs: patch #1 of FirewallRule web-https \(ports\) by \S+ until .*: #4711/,
  );
  assert.match(planned.stdout, /^Plan: 1 to add, 0 to change.* folder \w+, patched/);
  const applied = await run(['apply', specs, allow, '--yes']);
  assert.match(applied.stdout, /^Applied: 1 added.*generation 2/);
  assert.deepEqual(writes(), ['AuthorizeSecurityGroupIngress']);
  const { stdout } = await run(['status', specs]);
  assert.match(stdout, /^Status: acme · generation 2 \(folder \w+, patched\) · 1 patch\n/);
  assert.match(
    stdout,
    /\nPatches\n {2}#1 FirewallRule web-https until .*in 4 h, by \S+: #4711\n {4}ports: .*\n {4}setpoint patch end 1 --reason "…"/,
  );
  assert.doesNotMatch(stdout, /are not active/);
  const explained = await run(['explain', rule, '--specs', specs, allow]);
  assert.match(explained.stdout, /ports +22, 443 +patch #1 *\n/);
  assert.match(explained.stdout, /patch #1: patched by \S+ until \S+ \S+ UTC: #4711/);
});

test('a change of another field keeps it, and one of the same field ends it and says so', async () => {
  edit(specs, 'network.yaml', 'description: public site', 'description: our site');
  assert.match((await run(['apply', specs, allow, '--yes'])).stdout, /generation 3/);
  assert.match((await run(['patch', 'list'])).stdout, /^Patches of acme: 1\n/);
  edit(specs, 'network.yaml', 'ports: [443]', 'ports: [443, 8443]');
  const applied = await run(['apply', specs, allow, '--yes']);
  assert.match(applied.stderr, /These specs end patch #1 of .*because the specs changed `ports`/);
  assert.equal(applied.code, 0, applied.stdout);
  const { patches, ended } = JSON.parse((await run(['patch', 'list', '--json'])).stdout);
  assert.deepEqual([patches, ended[0].end.type], [[], 'commit']);
  assert.match((await run(['status', specs])).stdout, /\nPatches that ended\n {2}#1 FirewallRule web-https \(ports\)/);
});

test('it ends by its number, and apply goes back to the specs', async () => {
  assert.equal(
    (await run(['patch', rule, 'ports=[443,8443,22]', '--for', '1h', '--reason', 'x', '--yes', '--json'])).code,
    0,
  );
  await run(['apply', specs, allow, '--yes']);
  sandbox.control.log.clear();
  const unknown = await run(['patch', 'end', '9', '--reason', 'x']);
  assert.match(
    unknown.stderr,
    /^error: No patch was ended\.\n {2}why: {3}No active patch has this number\. Active: #2\n/,
  );
  const { stdout, stderr } = await run(['patch', 'end', '#2', '--reason', 'normal again']);
  assert.equal(stderr, '');
  assert.match(stdout, /^Ended: patch #2 of FirewallRule web-https \(ports\) · generation \d+\n/);
  await run(['apply', '--active', allow, '--yes']);
  assert.deepEqual(writes(), ['RevokeSecurityGroupIngress']);
});

test('each mistake has one line', async () => {
  for (const [args, why] of [
    [[rule, 'ports=[443'], /is no field with a value/],
    [[rule, 'ports'], /is no field with a value/],
    [['nowhere', 'ports=[1]', '--for', '1h'], /No document that a patch can change has this address/],
    [[rule, 'ports=[1]'], /A patch needs an end/],
    [[rule, 'portz=[1]', '--for', '1h'], /did you mean: ports/],
  ] as const) {
    const { code, stderr } = await run(['patch', ...args, '--reason', 'x']);
    assert.notEqual(code, 0);
    assert.match(stderr, why);
  }
});

test('--then propose pushes a branch with the values, and its merge ends the patch without a change', async () => {
  const here = await sandboxed();
  const cli = commandLine();
  assert.equal((await cli(['apply', here.specs, allow, '--yes'])).code, 0);
  const where = ['--specs', here.specs, '--remote', 'upstream'];
  const first = ['patch', rule, 'ports=[443,8443]', '--for', '4h', '--reason', '#4711', '--then', 'propose', ...where];
  const elsewhere = await cli([...first, '--yes', '--specs', temporaryFolder()]);
  assert.equal(elsewhere.code, 3, elsewhere.stderr);
  assert.match((await cli(['patch', 'list'])).stdout, /: none\n/);
  const without = await cli([...first, '--yes']);
  assert.equal(without.code, 1);
  assert.match(without.stdout, /^Patched: #1 /);
  assert.match(
    without.stderr,
    /Patch #1 began, and its branch was not pushed\.[\s\S]*no work tree of git[\s\S]*Mend the cause, then: setpoint patch propose 1/,
  );
  const { git, remote } = inGit(here.specs);
  assert.match(
    (await cli(['patch', 'propose', '1', ...where, '--json'])).stderr,
    /With --json this command cannot ask/,
  );
  const dry = await cli(['patch', 'propose', '1', ...where, '--dry-run']);
  assert.match(dry.stdout, /-\s+ports: \[443\]\n\+\s+ports: \[443, 8443\]\n[\s\S]*Nothing was pushed\.\n$/);
  assert.equal((await cli(['patch', 'propose', '1', ...where], 'no\n')).code, 3);
  const { code, stdout, stderr } = await cli(['patch', 'propose', '1', ...where, '--yes']);
  assert.equal(code, 0, stderr);
  const branch = /pushed (setpoint\/patch-[0-9a-f]{12}) \(commit /.exec(stdout)?.[1] ?? '';
  assert.match(stdout, /Its merge ends the patch, and the values stay\./);
  assert.equal(git('status', '--porcelain'), '');
  assert.match(
    git('--git-dir', remote, 'log', '-1', '--format=%B', branch),
    /^feat: keep patch #1 of FirewallRule web-https\n\n- ports: \[443,8443\]\n\nPatched by \S+: #4711\n/,
  );
  assert.equal((await cli(['apply', here.specs, allow, '--yes'])).code, 0);
  here.sandbox.control.log.clear();
  git('checkout', '--quiet', branch);
  const merged = await cli(['apply', here.specs, allow, '--yes']);
  assert.match(merged.stderr, /These specs end patch #1 of .*because the specs changed `ports`/);
  assert.deepEqual(here.sandbox.control.log.entries({ mutating: true }), []);
  edit(here.specs, 'network.yaml', 'ports: [443, 8443]', 'ports: [443, 9443]');
  const moved = await cli(['patch', 'propose', '1', ...where, '--yes']);
  assert.equal(moved.code, 3);
  assert.match(moved.stderr, /`ports` is not in these specs as it was when the patch began[\s\S]*--overlay/);
  edit(here.specs, 'network.yaml', 'ports: [443, 9443]', 'ports: [443, 8443]');
  const after = await cli(['patch', 'propose', '1', ...where, '--yes']);
  assert.equal(after.code, 3);
  assert.match(after.stderr, /state these values already/);
  assert.match((await cli(['patch', 'propose', '9', ...where])).stderr, /There is no patch #9/);
});

test('a push that fails leaves the patch, and --json tells both; options of a proposal need one', async () => {
  const here = await sandboxed();
  const cli = commandLine();
  assert.equal((await cli(['apply', here.specs, allow, '--yes'])).code, 0);
  const asked = ['patch', rule, 'ports=[443,8443]', '--for', '4h', '--reason', '#4711'];
  const begun = await cli([...asked, '--then', 'propose', '--specs', here.specs, '--yes', '--json']);
  assert.equal(begun.code, 1);
  const { patch, notProposed } = JSON.parse(begun.stdout);
  assert.deepEqual([patch.id, patch.expired], [1, false]);
  assert.match(notProposed, /no work tree of git/);
  const alone = await cli([...asked, '--remote', 'upstream', '--yes']);
  assert.match(alone.stderr, /--remote needs --then propose\./);
  const asks = await cli([...asked, '--then', 'propose', '--specs', here.specs, '--json']);
  assert.match(asks.stderr, /With --json this command cannot ask\./);
});

test('a proposal is made of the folder, also where --active-of names the estate', async () => {
  const here = await sandboxed();
  const cli = commandLine();
  assert.equal((await cli(['apply', here.specs, allow, '--yes'])).code, 0);
  assert.equal((await cli(['patch', rule, 'ports=[443,8443]', '--for', '4h', '--reason', 'x', '--yes'])).code, 0);
  const dry = await cli(['patch', 'propose', '1', '--specs', here.specs, '--dry-run', '--active-of', 'acme']);
  assert.equal(dry.code, 0, dry.stderr);
  assert.match(dry.stdout, /\n\+\s+ports: \[443, 8443\]\n/);
  const past = await cli(['patch', 'end', '1', '--reason', 'over']);
  assert.equal(past.code, 0, past.stderr);
  const ended = await cli(['patch', 'propose', '1', '--specs', here.specs, '--dry-run', '--json']);
  assert.equal(JSON.parse(ended.stdout).patch.end.type, 'person');
});

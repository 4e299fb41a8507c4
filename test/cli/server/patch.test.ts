import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorshipOf } from '../../../src/queries/authorship.ts';
import { commandLine, movableClock, type Said } from '../support/in-process.ts';
import { edit, sandboxed } from '../support/sandboxed.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { inGit } from '../support/work-tree.ts';
import { served } from './support/served.ts';

const place = await sandboxed();
const clock = movableClock();
const here = commandLine({ clock });
const there = await served(here.database);
const store = here.database.connect();
const allow = '--allow-endpoint';
const applied = await here(['apply', place.specs, allow, '--yes']);
assert.equal(applied.code, 0, applied.stderr);

const asked = (args: readonly string[], who = 'operator', says?: string): Promise<Said> =>
  there.ask(here, who)(args, says);
const rule = 'firewall-rule/core.web-https';
const patch = (value: string, ...more: readonly string[]) => [
  'patch',
  rule,
  value,
  '--for',
  '4h',
  '--reason',
  '#4711',
  ...more,
];

test('a server shows the plan and the effect before it asks, and begins nothing at a no', async () => {
  const { code, stderr } = await asked(patch('ports=[443,22]'), 'operator', 'no\n');
  assert.equal(code, 3, stderr);
  assert.match(stderr, /ports: \[443\] → \[443, 22\]/);
  assert.match(stderr, /\+ firewall-rule core\.web-https/);
  assert.match(stderr, / · folder \w+, patched · /);
  assert.match(stderr, /opens 22\/tcp to core\.web/);
  assert.deepEqual(await store.fleet.patches.active('acme'), []);
});

test('an operator begins one, whose author does not approve it', async () => {
  const { code, stdout, stderr } = await asked(patch('ports=[443,22]', '--yes'));
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^Patched: #1 FirewallRule web-https until \S+ \S+ UTC \(4 h\) · generation 2\n/);
  const [begun] = await store.fleet.patches.active('acme');
  assert.deepEqual([begun?.person, begun?.fields[0]?.path], ['operator of acme', ['spec', 'ports']]);
  const waiting = { estate: 'acme', generation: 2, plans: [] };
  const by = (who: string) => ({ person: `${who} of acme`, caller: who, names: [`${who}@acme.example`] });
  assert.match((await authorshipOf(waiting, by('operator'), store)).refused ?? '', /You are an author/);
  assert.equal((await authorshipOf(waiting, by('admin'), store)).refused, undefined);
});

test('posted specs are planned with the patch that holds beside them', async () => {
  const { stdout, stderr } = await asked(['plan', place.specs]);
  assert.match(stdout, /^Plan: 1 to add, 0 to change.*, patched/, stderr);
});

test('viewers list it, and do not patch; a viewer of one owner sees only that owner’s', async () => {
  const listed = await asked(['patch', 'list'], 'viewer');
  assert.match(
    listed.stdout,
    /^Patches of acme: 1\n#1 FirewallRule web-https until .* by operator of acme: #4711\n {2}ports: \[443\] → \[443, 22\]\n/,
  );
  assert.match((await asked(['patch', 'list'], 'web')).stdout, /^Patches of acme: 1\n/);
  for (const who of ['viewer', 'planner', 'approver', 'web'])
    assert.match((await asked(patch('ports=[443,23]', '--yes'), who)).stderr, /operate/, who);
  assert.equal((await store.fleet.patches.active('acme')).length, 1);
});

test('a refusal comes with its reason, and so does an unknown number', async () => {
  const refused = await asked(patch('protect=true', '--yes'));
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /A patch cannot set `protect`: it is a guard/);
  assert.match((await asked(['patch', 'end', '9', '--reason', 'x'])).stderr, /no such resource, or you may not see it/);
});

test('it ends by its number, and stays in the list of those that ended', async () => {
  const { code, stdout, stderr } = await asked(['patch', 'end', '1', '--reason', 'normal again']);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^Ended: patch #1 of FirewallRule web-https \(ports\) · generation 3\n/);
  const { patches, ended } = JSON.parse((await asked(['patch', 'list', '--json'])).stdout);
  assert.deepEqual([patches, ended[0].end.type, ended[0].end.actor], [[], 'person', 'operator of acme']);
});

test('a server shows exactly the preview of here: plan, effect, held changes and violations of policies', async () => {
  edit(
    place.specs,
    'estate.yaml',
    '---\n',
    '---\napiVersion: setpoint.dev/v1\nkind: Policy\nmetadata: { name: ports }\nspec:\n  kinds: [firewall-rule]\n  rules:\n    - { name: no-ssh, warn: resource.opens(22), message: use the bastion }\n---\n',
  );
  const again = await here(['apply', place.specs, allow, '--yes']);
  assert.equal(again.code, 0, again.stderr);
  await here(['pause', place.specs, '--reason', 'freeze', '--address', rule]);
  const until = new Date(Date.now() + 3_600_000).toISOString().replace(/:\d\d\.\d+Z$/, 'Z');
  const args = ['patch', rule, 'ports=[443,22]', '--until', until, '--reason', '#4711'];
  const [local, remote] = [await here(args, 'no\n'), await asked(args, 'operator', 'no\n')];
  assert.match(remote.stderr, /withheld {2}paused/, remote.stderr);
  assert.match(remote.stderr, /use the bastion/);
  assert.equal(remote.stderr, local.stderr);
  await here(['resume', place.specs, '--reason', 'over', '--address', rule]);
});

test('a patch that is over and that no worker has ended is listed as over, as from here', async () => {
  assert.equal((await asked(patch('ports=[443,8443]', '--yes'))).code, 0);
  clock.forward(5 * 3_600_000);
  const { stdout } = await asked(['patch', 'list']);
  assert.match(stdout, /FirewallRule web-https until \S+ \S+ UTC, over, by operator of acme: #4711\n/);
  assert.equal(stdout, (await here(['patch', 'list'])).stdout);
  const [listed] = JSON.parse((await asked(['patch', 'list', '--json'])).stdout).patches;
  assert.equal(listed.expired, true);
});

test('its calls are those of its document, also while other changes wait', async () => {
  edit(place.specs, 'instances.yaml', 'replicas: 3', 'replicas: 4');
  const approved = await here(['approve', place.specs, allow, '--yes', '--reason', 'one more']);
  assert.equal(approved.code, 0, approved.stderr);
  const { stderr } = await asked(
    ['patch', 'db', 'labels.tier=front', '--for', '1h', '--reason', 'x'],
    'operator',
    'no\n',
  );
  assert.match(stderr, /Plan: 0 to add, 1 to change, .* · 1 call\n/);
});

const ofLabel = (address: string, field: string, ...more: readonly string[]) => [
  'patch',
  address,
  field,
  '--for',
  '1h',
  '--reason',
  '#4711',
  '--yes',
  ...more,
];

test('an operator of one owner patches documents of that owner only, and changes no reach of them', async () => {
  const as = (who: string, ...args: readonly string[]) => asked(args, who);
  const before = await store.fleet.patches.active('acme');
  const others = await as('web-operator', ...ofLabel('instance/db', 'labels.tier=front'));
  assert.notEqual(others.code, 0);
  assert.match(others.stderr, /You need the permission operate for the whole document\./);
  const reach = await as('web-operator', ...ofLabel(rule, 'peers.cidrs=[198.51.100.0/24]'));
  assert.match(reach.stderr, /decides which machines FirewallRule web-https reaches, and they may have any owner\./);
  assert.deepEqual(await store.fleet.patches.active('acme'), before);

  const own = await as('web-operator', ...ofLabel('instance/web', 'labels.shift=night'));
  assert.equal(own.code, 0, own.stderr);
  assert.equal((await as('operator', ...ofLabel('instance/db', 'labels.tier=front'))).code, 0);
  const begun = (await store.fleet.patches.active('acme')).slice(before.length);
  assert.deepEqual(
    begun.map(({ name, person }) => [name, person]),
    [
      ['web', 'web-operator of acme'],
      ['db', 'operator of acme'],
    ],
  );
  const [ofWeb, ofDb] = begun.map(({ id }) => ['patch', 'end', `${id}`, '--reason', 'x']);
  assert.ok(ofWeb && ofDb);
  assert.match((await as('web-operator', ...ofDb)).stderr, /You need the permission operate for the whole document\./);
  assert.equal((await as('web-operator', ...ofWeb)).code, 0);
  assert.equal((await as('operator', ...ofDb)).code, 0);
});

test('--then propose begins the patch on the server, and pushes a branch of the folder here', async () => {
  const { git, remote } = inGit(place.specs);
  const propose = ['--then', 'propose', '--remote', 'upstream', '--specs'];
  const before = await store.fleet.patches.active('acme');
  const elsewhere = await asked(ofLabel('web', 'labels.tier=front', ...propose, temporaryFolder()));
  assert.notEqual(elsewhere.code, 0);
  assert.deepEqual(await store.fleet.patches.active('acme'), before, 'a folder that cannot state the values');

  const { code, stdout, stderr } = await asked(ofLabel('web', 'labels.tier=front', ...propose, place.specs));
  assert.equal(code, 0, stderr);
  assert.match(stderr, /\n- *metadata: .* tier: web .*\n\+ *metadata: .* tier: front /);
  const [id, branch = ''] =
    /^Patched: #(\d+) [\s\S]*\npushed (setpoint\/patch-[0-9a-f]{12}) /.exec(stdout)?.slice(1) ?? [];
  const begun = (await store.fleet.patches.active('acme')).slice(before.length);
  assert.deepEqual(
    begun.map((one) => [`${one.id}`, one.name]),
    [[id, 'web']],
  );
  const message = git('--git-dir', remote, 'log', '-1', '--format=%B', branch);
  assert.match(
    message,
    /^feat: keep patch #\d+ of Instance web\n\n- labels\.tier: "front"\n\nPatched by operator of acme: #4711\n/,
  );
  assert.equal(git('status', '--porcelain'), '', 'the folder stays');
});

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { gitCheckout } from '../support/git-checkout.ts';
import { commandLine } from './support/in-process.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const head = 'apiVersion: setpoint.dev/v1\n';
const whole = (size: string): string =>
  [
    `${head}kind: Estate\nmetadata: { name: acme }\nspec: {}\n`,
    `${head}kind: Target\nmetadata: { name: here }\nspec: { provider: memory, account: a, region: r }\n`,
    `${head}kind: Network\nmetadata: { name: core }\nspec: { targets: [here], cidr: 10.0.0.0/16, subnets: [{ name: app, cidr: 10.0.0.0/24 }] }\n`,
    `${head}kind: Instance\nmetadata: { name: web }\nspec: { targets: [here], network: core, subnet: app, image: i, size: ${size} }\n`,
  ].join('---\n');

const checkout = gitCheckout();
checkout.commit({
  'specs/all.yaml': whole('small'),
  'specs/overlays/test/here.yaml': 'kind: Target\nmetadata: { name: here }\nspec: { account: b }\n',
  'specs/overlays/prod/web.yaml': 'kind: Instance\nmetadata: { name: web }\nspec: { replicas: 2 }\n',
});
checkout.git('tag', 'v1');
checkout.commit({ 'specs/all.yaml': whole('medium') });
checkout.git('branch', 'same');
checkout.commit({ 'specs/all.yaml': 'kind: Nothing\n' });
checkout.git('tag', 'broken');
checkout.git('reset', '--quiet', '--hard', 'same');
checkout.write({ 'specs/all.yaml': whole('large') });

const specs = join(checkout.dir, 'specs');
const run = commandLine();
const diff = (...args: readonly string[]) => run(['diff', specs, ...args]);

test('between two commits: counts in the first line, then what a plan would say', async () => {
  const { code, stdout, stderr } = await diff('--from', 'v1', '--to', 'HEAD');
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(
    stdout,
    /^Diff: 0 to add, 1 to change, 0 to replace, 0 to delete · commit [0-9a-f]{7} → commit [0-9a-f]{7}\n/,
  );
  assert.ok(stdout.includes(`\nmemory/a/r\n  ~ instance web-0  stops the machine  ${specs}/all.yaml:16\n`), stdout);
  assert.match(stdout, /~ machine\.size {2}small → medium/);
});

test('a side that is left out is the folder as it is', async () => {
  const { stdout } = await diff('--from', 'HEAD');
  assert.match(stdout, /· commit [0-9a-f]{7} → folder [0-9a-f]{7}\n[\s\S]*medium → large/);
  assert.match((await diff('--to', 'HEAD')).stdout, /large → medium/);
});

test('a folder may stand for a commit', async () => {
  const other = temporaryFolder({ 'all.yaml': whole('tiny') });
  assert.match((await diff('--from', other)).stdout, /^Diff:.* folder [0-9a-f]{7} → folder[\s\S]*tiny → large/);
});

test('an overlay lies over both serverSupport', async () => {
  const { stdout } = await diff('--from', 'v1', '--to', 'HEAD', '--overlay', 'prod');
  assert.match(stdout, /^Diff: 0 to add, 2 to change.* \(overlay prod\) → .* \(overlay prod\)\n/);
});

test('two environments are compared at the place of the second', async () => {
  const { stdout } = await diff('--from-overlay', 'test', '--to-overlay', 'prod');
  assert.match(stdout, /^Diff: 1 to add, 0 to change, 0 to replace, 0 to delete · /);
  assert.match(stdout, /\n {2}\+ instance web-1 /);
  assert.match(stdout, /\ntarget here: memory\/b\/r in the first, compared as if it were at memory\/a\/r\n$/);
});

test('within one environment a target that moves is another place', async () => {
  checkout.write({ 'specs/overlays/test/here.yaml': 'kind: Target\nmetadata: { name: here }\nspec: { account: c }\n' });
  const { stdout } = await diff('--from', 'HEAD', '--overlay', 'test');
  assert.match(stdout, /^Diff: 4 to add/);
  assert.match(
    stdout,
    /\nmemory\/b\/r: no target lies there any more; the resources of its 2 documents stay as they are\n$/,
  );
});

const codes: readonly (readonly [name: string, args: readonly string[], code: number])[] = [
  ['changes', ['--from', 'v1', '--to', 'HEAD'], 2],
  ['two names of one commit', ['--from', 'same', '--to', 'HEAD'], 0],
  ['one name twice', ['--from', 'HEAD', '--to', 'HEAD'], 0],
];

for (const [name, args, code] of codes)
  test(`--detailed-exitcode with ${name}: ${code}`, async () =>
    assert.equal((await diff(...args, '--detailed-exitcode')).code, code));

test('--json is one object: revisions, counts, and each change with what was and what will be', async () => {
  const { stdout } = await diff('--from', 'v1', '--to', 'HEAD', '--json');
  const { from, to, summary, changes, findings, left, moved } = JSON.parse(stdout);
  assert.match(`${from.revision} ${to.revision}`, /^git:[0-9a-f]{40} git:[0-9a-f]{40}$/);
  const counts = { create: 0, update: 1, replace: 0, delete: 0, adopt: 0, orphan: 0, blocked: 0, withheld: 0 };
  assert.deepEqual([summary, findings, left, moved], [counts, [], [], []]);
  const [{ was, will, ...change }] = changes;
  assert.deepEqual(change, {
    scope: 'memory/a/r',
    verb: 'update',
    kind: 'instance',
    address: 'memory/a/r/instance/web-0',
    documents: [{ address: 'memory/a/r/instance/web', file: join(specs, 'all.yaml'), line: 16 }],
    effect: 'stops',
    changes: [{ field: 'machine.size', from: 'small', to: 'medium' }],
  });
  assert.deepEqual([was.machine.size, will.machine.size], ['small', 'medium']);
});

const refusals: readonly (readonly [name: string, args: readonly string[], says: RegExp])[] = [
  ['nothing to compare', [], /Nothing to compare[\s\S]*next: +Name two/],
  ['a commit that is not there', ['--from', 'nope'], /specs of nope cannot be read\.\s+why: .*has no commit nope/],
  ['specs that were not sound', ['--from', 'broken'], /specs in broken have \d errors?, so nothing/],
  ['an overlay that is not there', ['--from', 'v1', '--overlay', 'life'], /there is no overlay "life"/],
];

for (const [name, args, says] of refusals)
  test(`${name}: exit 1, with what to do`, async () => {
    const { code, stdout, stderr } = await diff(...args);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, says);
  });

test('the effect on traffic and the guards that become looser come last', async () => {
  const rule = (cidr: string): string =>
    `---\n${head}kind: FirewallRule\nmetadata: { name: ssh }\nspec: { network: core, protocol: tcp, ports: [22], peers: { cidrs: [${cidr}] } }\n`;
  const limited = (deletes: number): string =>
    whole('small').replace('spec: {}', `spec: { limits: { deletes: ${deletes} } }`);
  const from = temporaryFolder({ 'all.yaml': `${limited(2)}${rule('10.9.0.0/16')}` });
  const to = temporaryFolder({ 'all.yaml': `${limited(9)}${rule('0.0.0.0/0')}` });
  const { stdout } = await run(['diff', to, '--from', from]);
  assert.match(stdout, /\nEffect on traffic:\n {2}\S.*22\/tcp.* from 0\.0\.0\.0\/0/);
  assert.match(stdout, /This counts the specs alone/);
  assert.match(stdout, /^Diff: .* · 1 looser guard · [\s\S]*\nLooser guards: limits\.deletes 2 → 9\.\n$/);
  const json = JSON.parse((await run(['diff', to, '--from', from, '--json'])).stdout);
  assert.deepEqual(json.looserGuards, ['limits.deletes 2 → 9']);
  assert.ok(json.effect.opens.length + json.effect.unknown.length > 0);
  const looser = temporaryFolder({ 'all.yaml': `${limited(9)}${rule('10.9.0.0/16')}` });
  assert.equal((await run(['diff', looser, '--from', from, '--detailed-exitcode'])).code, 2, 'guards alone count');
  const same = JSON.parse((await run(['diff', from, '--from', to, '--json'])).stdout);
  assert.deepEqual(same.looserGuards, []);
});

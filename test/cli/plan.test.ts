import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandLine } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const { specs, sandbox } = await sandboxed();

test('without a store: all is to add, told as text, and nothing is changed', async () => {
  const { code, stdout, stderr } = await commandLine()(['plan', specs, '--allow-endpoint']);
  assert.equal(code, 0);
  assert.match(
    stdout,
    /^Plan: 13 to add, 0 to change, 0 to replace, 0 to delete · 0 drifted · 0 unmanaged · folder \w{7} · \d+ calls\n/,
  );
  assert.ok(stdout.includes(`+ network core  ${join(specs, 'network.yaml')}:4`), 'documents by their path from here');
  assert.match(stderr, /There is no store/);
  assert.deepEqual(sandbox.control.log.entries({ mutating: true }), []);
});

test('--json is one object, with a digest an action; --detailed-exitcode is 2', async () => {
  const { code, stdout } = await commandLine()(['plan', specs, '--allow-endpoint', '--json', '--detailed-exitcode']);
  const plan = JSON.parse(stdout);
  assert.equal(code, 2);
  assert.deepEqual([plan.estate, plan.summary.create, plan.actions.length], ['acme', 13, 13]);
  assert.ok(plan.actions.every(({ digest }: { digest: string }) => /^[0-9a-f]{64}$/.test(digest)));
  assert.equal('serial' in plan, false);
});

const refused: readonly (readonly [name: string, args: readonly string[], says: RegExp])[] = [
  ['an endpoint that nobody allowed', [], /its own endpoint[\s\S]*--allow-endpoint/],
  ['a target that is not there', ['--allow-endpoint', '--target', 'nope'], /no target nope[\s\S]*--target aws-prod/],
  ['keeping a plan without a store', ['--allow-endpoint', '--out', '/nowhere/x'], /Saving a plan needs a store/],
];

for (const [name, args, says] of refused)
  test(`${name} is refused, with what to do`, async () => {
    const { code, stdout, stderr } = await commandLine()(['plan', specs, ...args]);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, says);
  });

test('the effect on traffic is a section and a part of the data; an apply shows it before it asks; a saved plan has none', async () => {
  const world = await sandboxed();
  const run = commandLine();
  const home = ['--dir', temporaryFolder()];
  const here = [world.specs, '--allow-endpoint', ...home];
  assert.equal((await run(['apply', ...here, '--yes'])).code, 0);
  edit(world.specs, 'network.yaml', '203.0.113.0/24', '0.0.0.0/0');
  const { stdout } = await run(['plan', ...here]);
  assert.match(
    stdout,
    /\n\nEffect on traffic:\n {2}! opens 22\/tcp to all \d+ instances of core from 0\.0\.0\.0\/0 {2}\d of them exposed {2}firewall-rule core\.office-ssh\n/,
  );
  const { effect } = JSON.parse((await run(['plan', ...here, '--json'])).stdout);
  assert.deepEqual(
    [effect.opens[0].from, effect.opens[0].services, effect.cuts],
    [{ cidr: '0.0.0.0/0', anyone: true }, [{ protocol: 'tcp', ports: '22' }], []],
  );
  const declined = await run(['apply', ...here], 'no\n');
  assert.match(declined.stderr, /\n\nEffect on traffic:\n {2}! opens 22\/tcp/);
  const file = join(temporaryFolder(), 'next.plan');
  await run(['plan', ...here, '--out', file]);
  assert.equal('effect' in JSON.parse(readFileSync(file, 'utf8')), false);
});

test('explain tells the effect of the changes of one resource alone, and none where nothing changes', async () => {
  const world = await sandboxed();
  const run = commandLine();
  const here = ['--allow-endpoint', '--dir', temporaryFolder()];
  assert.equal((await run(['apply', world.specs, ...here, '--yes'])).code, 0);
  edit(world.specs, 'network.yaml', '203.0.113.0/24', '198.51.100.0/24');
  edit(world.specs, 'network.yaml', 'ports: [443]', 'ports: [8443]');
  const explain = (of: string, ...more: readonly string[]) =>
    run(['explain', of, '--specs', world.specs, ...here, ...more]);
  const { stdout } = await explain('office-ssh');
  assert.match(
    stdout,
    /\n\nEffect on traffic\n {2}! opens 22\/tcp to all \d+ instances of core from 198\.51\.100\.0\/24 .*\n {2}- cuts .* on 22\/tcp .*\n$/,
  );
  const effectOf = async (of: string) => JSON.parse((await explain(of, '--json')).stdout).effect;
  const effect = await effectOf('office-ssh');
  assert.deepEqual([effect.opens.length, effect.opens[0].services], [1, [{ protocol: 'tcp', ports: '22' }]]);
  assert.equal(await effectOf('core.app'), undefined);
  const all = JSON.parse((await run(['plan', world.specs, ...here, '--json'])).stdout).effect;
  assert.deepEqual(
    all.opens.filter(({ services: [one] }: (typeof effect.opens)[0]) => one.ports === '22'),
    effect.opens,
  );
  assert.ok(all.opens.length > 1);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';

const { specs } = await sandboxed();
const run = commandLine();
const explained = async () => (await run(['explain', 'web-0', '--specs', specs, '--allow-endpoint'])).stdout;

test('explain says that a looser mode counts from the next generation on, and what lets it pass before', async () => {
  assert.equal((await run(['apply', specs, '--allow-endpoint', '--yes'])).code, 0);
  assert.doesNotMatch(await explained(), /until the next generation/);
  edit(specs, 'estate.yaml', 'mode: plan', 'mode: enforce');
  assert.match(
    await explained(),
    /\nMode\n {2}enforce: Estate acme says so at \S+estate\.yaml:8\n {2}plan until the next generation, as in the previous one\. To allow it now: setpoint approve --reason "…" \S+ --allow-endpoint\n/,
  );
});

test('status says that a generation is applied once an apply left nothing', async () => {
  const { stdout } = await run(['status', specs]);
  assert.match(stdout, / {2}generation 1\b/);
  assert.doesNotMatch(stdout, /not fully applied|no generation yet/);
});

test('status names the command that shows the remaining work of a generation', async () => {
  edit(specs, 'estate.yaml', 'mode: enforce', 'mode: observe');
  edit(specs, 'network.yaml', 'ports: [443]', 'ports: [444]');
  assert.equal((await run(['apply', specs, '--allow-endpoint', '--yes'])).code, 3);
  const { stdout } = await run(['status', specs]);
  assert.match(
    stdout,
    /generation 1, 2 is not fully applied\n {2}To see the rest: setpoint plan .*--allow-endpoint\n {2}To see .*setpoint approve --reason "…" .*--allow-endpoint\n/,
  );
});

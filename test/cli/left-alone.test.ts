import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';

const allow = '--allow-endpoint';
const dropped = 'aws/111122223333/eu-west-1';

test('what stands where no target is any more is told, left alone, and can be let go', async () => {
  const { specs, sandbox } = await sandboxed();
  const run = commandLine();
  assert.equal((await run(['apply', specs, allow, '--yes'])).code, 0);
  const whole = await run(['status', specs]);
  assert.ok(!whole.stdout.includes('unmanaged'), whole.stdout);

  edit(specs, 'estate.yaml', 'region: eu-west-1', 'region: eu-west-2');
  const [held] = await run.database.connect().estates.holdings('acme');
  const said = `${dropped} is unmanaged: no target in the specs names it, and its ${held?.resources} resources there stay unchanged`;
  const { stdout } = await run(['status', specs]);
  assert.match(stdout.split('\n')[0] ?? '', / · 1 unmanaged scope$/);
  assert.ok(
    stdout.includes(`\nUnmanaged scopes\n  ${said}\n    restore the target, or release each with: setpoint forget`),
    stdout,
  );
  const json = JSON.parse((await run(['status', specs, '--json'])).stdout);
  assert.deepEqual(json.unmanagedScopes, [{ scope: dropped, resources: held?.resources }]);
  assert.ok((await run(['plan', specs, allow])).stderr.includes(`! ${said}: restore the target`));

  sandbox.control.log.clear();
  const forgotten = await run(['forget', `${dropped}/instance/web-0`, '--specs', specs, '--yes']);
  assert.equal(forgotten.code, 0, forgotten.stderr);
  assert.deepEqual(sandbox.control.log.entries({ mutating: true }), []);
  const after = JSON.parse((await run(['status', specs, '--json'])).stdout);
  assert.deepEqual(after.unmanagedScopes, [{ scope: dropped, resources: (held?.resources ?? 0) - 1 }]);
});

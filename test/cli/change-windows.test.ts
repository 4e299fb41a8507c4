import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLine } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';

const allow = '--allow-endpoint';
const place = await sandboxed();
const { specs, sandbox } = place;
const run = commandLine();
assert.equal((await run(['apply', specs, allow, '--yes'])).code, 0);
const writes = () => sandbox.control.log.entries({ mutating: true }).map(({ action }) => action);
test.beforeEach(() => sandbox.control.log.clear());

edit(specs, 'network.yaml', 'description: public site', 'description: our site');
const freeze = (to: string) =>
  `\n  freezes:\n    - { name: sale, from: 2020-01-01T00:00, to: ${to}, timeZone: Europe/Berlin, reason: the sale }\n`;
const spec = 'spec:';
edit(specs, 'estate.yaml', spec, `${spec}${freeze('2100-01-01T00:00')}`);

test('plan shows what a freeze holds, and until when, with a store and without one', async () => {
  for (const how of [[], ['--dir', '/nowhere']]) {
    const { code, stdout } = await run(['plan', specs, allow, ...how]);
    assert.equal(code, 0);
    assert.match(
      stdout,
      /· firewall-rule \S+ withheld {2}frozen by sale: the sale\. It opens Fri 2100-01-01 00:00 Europe\/Berlin\./,
    );
  }
});

test('apply changes nothing within a freeze, says so, and exits 3', async () => {
  const { code, stdout } = await run(['apply', specs, allow, '--yes']);
  assert.equal(code, 3, stdout);
  assert.match(stdout, /refused +update \S+\/firewall-rule\/\S+: frozen by sale: the sale/);
  assert.deepEqual(writes(), []);
});

test('a freeze that is removed holds until the next commit', async () => {
  edit(specs, 'estate.yaml', freeze('2100-01-01T00:00'), '');
  const { code, stdout } = await run(['apply', specs, allow, '--yes']);
  assert.equal(code, 3, stdout);
  assert.match(stdout, /That is so in the generation before; that it is looser counts from the next one on\./);
  assert.deepEqual(writes(), []);
  edit(specs, 'network.yaml', 'description: our site', 'description: the site');
  assert.equal((await run(['apply', specs, allow, '--yes'])).code, 0);
  assert.notDeepEqual(writes(), []);
});

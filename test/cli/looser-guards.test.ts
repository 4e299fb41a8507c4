import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandLine } from './support/in-process.ts';
import { edit, sandboxed } from './support/sandboxed.ts';

const allow = '--allow-endpoint';

const policy = (name: string): string => `apiVersion: setpoint.dev/v1
kind: Policy
metadata: { name: ${name}, owner: team-security }
spec:
  kinds: [firewall-rule]
  mode: enforce
  rules:
    - name: no-telnet
      deny: resource.opens(23)
      message: Use ssh.
`;

test('plan, apply and status list the guards that these specs have looser, until the next generation', async () => {
  const { specs } = await sandboxed();
  const run = commandLine();
  const policies = join(specs, 'policies.yaml');
  writeFileSync(policies, `${policy('no-telnet')}---\n${policy('no-open-ports')}`);
  const first = await run(['plan', specs, allow]);
  assert.doesNotMatch(first.stdout, /Looser guards/);
  assert.equal((await run(['apply', specs, allow, '--yes'])).code, 0);
  assert.doesNotMatch((await run(['plan', specs, allow])).stdout, /Looser guards/);

  rmSync(policies);
  edit(specs, 'estate.yaml', 'replaces: 5', 'replaces: 50');
  const looser = ['limits.replaces 5 → 50', 'policies no-telnet, no-open-ports (go)'];
  const said =
    /Looser guards: limits\.replaces 5 → 50; policies no-telnet, no-open-ports \(go\)\.\n {2}They still hold in this generation; the next change of the specs is made without them\./;
  assert.match((await run(['plan', specs, allow])).stdout, said);
  assert.deepEqual(JSON.parse((await run(['plan', specs, allow, '--json'])).stdout).looserGuards, looser);

  const applied = await run(['apply', specs, allow, '--yes', '--json']);
  assert.match(applied.stderr, said);
  assert.deepEqual(JSON.parse(applied.stdout).looserGuards, looser);
  const status = (await run(['status', specs])).stdout;
  assert.match(status.split('\n')[0] ?? '', / · LOOSER GUARDS/);
  assert.match(
    status,
    /\nLooser guards\n {2}limits\.replaces 5 → 50\n {2}policies no-telnet, no-open-ports \(go\)\n {2}They still hold/,
  );
  assert.deepEqual(JSON.parse((await run(['status', specs, '--json'])).stdout).looserGuards, looser);

  edit(specs, 'estate.yaml', 'replaces: 50', 'replaces: 49');
  assert.match((await run(['plan', specs, allow])).stdout, /^(?!.*Looser guards)/s);
});

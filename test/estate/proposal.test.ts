import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CompiledScope } from '../../src/core/compile/compile.ts';
import type { SecretRef } from '../../src/core/documents/secret-ref.ts';
import { secretsToLook, withActiveTargets } from '../../src/estate/proposal.ts';
import { parseStored } from '../../src/source/stored-tree.ts';

const text = (target: string): string => `apiVersion: setpoint.dev/v1
kind: Estate
metadata: { name: acme }
spec: { hooks: [{ name: h, from: hmac, secret: { env: SETPOINT_SECRET_HOOK } }] }
---
apiVersion: setpoint.dev/v1
kind: Target
metadata: { name: ${target} }
spec:
  provider: azure
  account: 00000000-0000-0000-0000-000000000001
  region: westeurope
  resourceGroup: acme
  credentials: { env: SETPOINT_SECRET_A }
---
apiVersion: setpoint.dev/v1
kind: Network
metadata: { name: core }
spec: { targets: [${target}], cidr: 10.0.0.0/16, subnets: [{ name: app, cidr: 10.0.1.0/24 }] }
---
apiVersion: setpoint.dev/v1
kind: Instance
metadata: { name: jump }
spec:
  { targets: [${target}], network: core, subnet: app, image: "a:b:c:latest", size: Standard_B2s,
    access: { user: ops, password: { env: SETPOINT_SECRET_LOGIN } } }
`;
const active = parseStored({ specs: [{ path: 'a.yaml', text: text('azure') }], userData: [] }, 'git:x', '2027-01-31');
assert.deepEqual(active.problems, []);

const rows: readonly { name: string; ref: SecretRef; read: boolean }[] = [
  { name: 'the credentials of a target in force', ref: { env: 'SETPOINT_SECRET_A' }, read: true },
  { name: 'another variable', ref: { env: 'SETPOINT_SECRET_B' }, read: false },
  { name: 'a file by the name of the variable', ref: { file: 'SETPOINT_SECRET_A' }, read: false },
  { name: 'the password of a machine in force', ref: { env: 'SETPOINT_SECRET_LOGIN' }, read: false },
  { name: 'the secret of a hook in force', ref: { env: 'SETPOINT_SECRET_HOOK' }, read: false },
];

for (const { name, ref, read } of rows)
  test(`to look at the clouds ${name} is ${read ? 'read' : 'not read'}`, async () => {
    const asked: SecretRef[] = [];
    const all = {
      resolve: async (wanted: SecretRef) => {
        asked.push(wanted);
        return { ok: true, value: 'hunter2' } as const;
      },
    };
    const held = await secretsToLook(active, all).resolve(ref, { signal: new AbortController().signal });
    assert.deepEqual([held.ok, asked], [read, read ? [ref] : []]);
  });

function scope(name: string, region: string): CompiledScope {
  const part = { scope: name, targets: [{ spec: { region } }] };
  return part as unknown as CompiledScope; // why: only these two fields matter to where and as whom it is looked at
}

test('a scope is looked at where the specs in force say, whatever the proposal says of it', () => {
  const seen = withActiveTargets([scope('a', 'theirs')], [scope('b', 'other'), scope('a', 'ours')]);
  assert.deepEqual(seen, [scope('a', 'ours')]);
});

test('a scope that is not active is never observed', () => {
  assert.throws(() => withActiveTargets([scope('c', 'theirs')], [scope('a', 'ours')]), /c is not active/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LaunchRef } from '../../src/core/compile/compile.ts';
import type { Result } from '../../src/core/failure.ts';
import { launchOf, type Resolve } from '../../src/estate/boot-data.ts';
import { SecretUnread } from '../../src/ports/secrets.ts';
import type { SpecTree } from '../../src/ports/sources.ts';
import { canary } from '../support/canary.ts';

const tree: SpecTree = {
  estate: undefined,
  documents: [],
  problems: [],
  revision: 'folder x',
  files: [],
  userData: new Map(),
};
const sshKeys = ['ssh-ed25519 AAAA'];
const launch = (access: LaunchRef['spec']['access']): LaunchRef => ({
  namedIn: 'a.yaml',
  spec: { userData: undefined, access },
});

/** Records its arguments. */
function resolving(answer: Result<string>): Resolve & { readonly asked: unknown[] } {
  const asked: unknown[] = [];
  return Object.assign(
    async (ref: unknown) => {
      asked.push(ref);
      return answer;
    },
    { asked },
  );
}

test('a password is what its reference names', async () => {
  const resolve = resolving({ ok: true, value: canary });
  const boot = await launchOf(tree, launch({ user: 'ops', password: { env: 'SETPOINT_SECRET_OPS' } }), resolve);
  assert.deepEqual(boot, { access: { user: 'ops', sshKeys: [], password: canary } });
  assert.deepEqual(resolve.asked, [{ env: 'SETPOINT_SECRET_OPS' }]);
});

test('without one no secret is asked for', async () => {
  const resolve = resolving({ ok: true, value: canary });
  assert.deepEqual(await launchOf(tree, launch({ user: 'ops', sshKeys }), resolve), {
    access: { user: 'ops', sshKeys },
  });
  assert.deepEqual(resolve.asked, []);
});

test('a machine is not launched without the password that it was to have', async () => {
  const failure = { kind: 'not-found', code: 'secret-missing', message: 'there is none' } as const;
  const boot = launchOf(tree, launch({ user: 'ops', password: { file: 'ops' } }), resolving({ ok: false, failure }));
  await assert.rejects(boot, (error) => error instanceof SecretUnread && error.failure === failure);
});

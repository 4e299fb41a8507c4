import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { secretStores } from '../../../providers/secrets/index.ts';
import { type Sandbox, startSandbox } from '../../../sandbox/index.ts';
import type { SecretUri } from '../../../src/core/documents/secret-ref.ts';
import type { Result } from '../../../src/core/failure.ts';
import { secretsBy } from '../../../src/secrets/resolver.ts';
import { assertHidden, canary } from '../../support/canary.ts';

interface Store {
  readonly cloud: SecretUri['cloud'];
  /** The cloud's word for it. */
  readonly name: string;
  readonly uri: string;
  readonly missing: string;
  readonly action: string;
}

const stores: readonly Store[] = [
  {
    cloud: 'aws',
    name: 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:prod/setpoint-a1b2c3',
    uri: 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:prod/setpoint-a1b2c3',
    missing: 'arn:aws:secretsmanager:eu-west-1:999900001111:secret:prod/setpoint-a1b2c3',
    action: 'GetSecretValue',
  },
  {
    cloud: 'gcp',
    name: 'projects/acme/secrets/setpoint',
    uri: 'gcpsecretmanager://projects/acme/secrets/setpoint/versions/latest',
    missing: 'gcpsecretmanager://projects/acme/secrets/setpoint/versions/9',
    action: 'AccessSecretVersion',
  },
  {
    cloud: 'azure',
    name: 'https://acme.vault.azure.net/secrets/setpoint',
    uri: 'https://acme.vault.azure.net/secrets/setpoint',
    missing: 'https://other.vault.azure.net/secrets/setpoint',
    action: 'GetSecret',
  },
];

let sandbox: Sandbox;
before(async () => {
  process.env['AWS_ACCESS_KEY_ID'] ??= 'AKIDEXAMPLE';
  process.env['AWS_SECRET_ACCESS_KEY'] ??= 'not-a-secret';
  sandbox = await startSandbox({ budgets: false });
});
after(() => sandbox.close());
beforeEach(() => {
  sandbox.control.faults.clear();
  sandbox.control.log.clear();
});

const resolve = (uri: string, signal = new AbortController().signal): Promise<Result<string>> =>
  secretsBy({ environment: {}, folder: undefined, stores: secretStores }).resolve(
    { uri },
    { signal, endpoint: sandbox.url },
  );

for (const { cloud, name, uri, missing, action } of stores)
  describe(`the store of ${cloud}, asked by its own library`, () => {
    test('gives the newest version', async () => {
      sandbox.control.secrets.put(name, 'before');
      sandbox.control.secrets.put(name, `${canary}\n`);
      assert.deepEqual(await resolve(uri), { ok: true, value: canary });
      assert.ok(sandbox.control.log.entries({ action }).length >= 1);
    });

    test('gives bytes as it gives text', async () => {
      sandbox.control.secrets.put(name, Buffer.from(`ä${canary}`));
      assert.deepEqual(await resolve(uri), { ok: true, value: `ä${canary}` });
    });

    test('has no such secret', async () => {
      const held = await resolve(missing);
      assert.equal(held.ok ? 'read' : held.failure.kind, 'not-found');
      assert.match(held.ok ? '' : held.failure.message, /: there is no such secret or version in its store/);
      assertHidden(held);
    });

    const faults = [
      { name: 'refuses', effect: { kind: 'access-denied' }, want: ['terminal', 'secret-refused'] },
      { name: 'throttles', effect: { kind: 'throttle' }, want: ['retryable', 'secret-store-away'] },
      { name: 'breaks off', effect: { kind: 'reset-before' }, want: ['retryable', 'secret-store-away'] },
      {
        name: 'fails, and says a secret in its code and words',
        effect: { kind: 'error', code: canary, status: 418, message: canary },
        want: ['terminal', 'secret-malformed'],
      },
      {
        name: 'is out of order, and says a secret',
        effect: { kind: 'error', code: 'Oops', status: 503, message: canary },
        want: ['retryable', 'secret-store-away'],
      },
    ] as const;
    for (const { name: what, effect, want } of faults)
      test(`${what}: ${want.join(', ')}`, async () => {
        sandbox.control.faults.add({ match: { action }, effect });
        const held = await resolve(uri);
        assert.deepEqual(held.ok ? 'read' : [held.failure.kind, held.failure.code], want);
        assertHidden(held);
      });

    test('stumbles once, and the library asks again', async () => {
      sandbox.control.faults.add({ match: { action, times: 1 }, effect: { kind: 'error', code: 'Oops', status: 503 } });
      assert.equal((await resolve(uri)).ok, true);
    });

    test('is not waited for once the reconcile is stopped', async () => {
      sandbox.control.faults.add({ match: { action }, effect: { kind: 'delay', ms: 60_000 } });
      const stop = new AbortController();
      const asked = resolve(uri, stop.signal);
      setTimeout(() => stop.abort(new Error('shutdown')), 100);
      const began = performance.now();
      await assert.rejects(asked, /shutdown/);
      assert.ok(performance.now() - began < 10_000, 'its own time to answer is 15 s');
    });

    test('no longer gives what was disabled', async () => {
      sandbox.control.secrets.disable(name);
      const held = await resolve(uri);
      assert.equal(held.ok ? 'read' : held.failure.code, 'secret-refused');
      assert.match(held.ok ? '' : held.failure.message, /disabled, deleted or cannot be decrypted/);
      sandbox.control.secrets.put(name, canary);
    });

    test('is told in the log by name only', () => {
      assertHidden(sandbox.control.log.entries());
    });
  });

test('Azure gives the version that is named', async () => {
  const version = sandbox.control.secrets.put('https://acme.vault.azure.net/secrets/versioned', 'old');
  sandbox.control.secrets.put('https://acme.vault.azure.net/secrets/versioned', 'new');
  const held = await resolve(`https://acme.vault.azure.net/secrets/versioned/${version.id}`);
  assert.deepEqual(held, { ok: true, value: 'old' });
});

test('Azure is first asked without a token, and then with one for its vault', async () => {
  sandbox.control.secrets.put('https://acme.vault.azure.cn/secrets/s', 'x');
  assert.equal((await resolve('https://acme.vault.azure.cn/secrets/s')).ok, true);
  assert.deepEqual(
    sandbox.control.log.entries({ action: 'GetSecret' }).map(({ status }) => status),
    [401, 200],
  );
});

test('Google gives the version that is named', async () => {
  sandbox.control.secrets.put('projects/acme/secrets/versioned', 'one');
  sandbox.control.secrets.put('projects/acme/secrets/versioned', 'two');
  const held = await resolve('gcpsecretmanager://projects/acme/secrets/versioned/versions/1');
  assert.deepEqual(held, { ok: true, value: 'one' });
});

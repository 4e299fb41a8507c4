import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';

const LIBRARIES = [
  '@aws-sdk/client-secrets-manager',
  'google-auth-library',
  '@azure/keyvault-secrets',
  '@azure/identity',
];

/** A process of its own that resolves one reference, without credentials for any cloud, and reports its loaded modules. */
function resolveAlone(ref: object): {
  readonly loaded: readonly string[];
  readonly code: string;
  readonly message: string;
} {
  const program = `
    import { registerHooks } from 'node:module';
    const loaded = new Set();
    registerHooks({ resolve: (specifier, context, next) => {
      if (${JSON.stringify(LIBRARIES)}.includes(specifier)) loaded.add(specifier);
      return next(specifier, context);
    } });
    const { secretStores } = await import('./providers/secrets/index.ts');
    const { secretsBy } = await import('./src/secrets/resolver.ts');
    const secrets = secretsBy({ environment: process.env, folder: undefined, stores: secretStores, deadlineMs: 60_000 });
    const held = await secrets.resolve(${JSON.stringify(ref)}, { signal: new AbortController().signal });
    const { code, message } = held.ok ? { code: 'read', message: '' } : held.failure;
    console.log(JSON.stringify({ loaded: [...loaded], code, message }));
    process.exit(0);`;
  const env = {
    // why: nothing of the machine's own, no metadata service to ask for long, and nobody outside is reached
    PATH: '/nowhere',
    HOME: '/nowhere',
    SETPOINT_SECRET_A: 'x',
    AWS_EC2_METADATA_DISABLED: 'true',
    METADATA_SERVER_DETECTION: 'none',
    AZURE_TOKEN_CREDENTIALS: 'EnvironmentCredential',
    HTTPS_PROXY: 'http://127.0.0.1:9',
    NO_PROXY: 'metadata.google.internal',
  };
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', program], { env, encoding: 'utf8' });
  return JSON.parse(said);
}

describe('resolving in a process without credentials', () => {
  test('a variable loads no library', () => {
    assert.deepEqual(resolveAlone({ env: 'SETPOINT_SECRET_A' }), { loaded: [], code: 'read', message: '' });
  });

  for (const [uri, loaded] of [
    ['arn:aws:secretsmanager:eu-west-1:111122223333:secret:x', ['@aws-sdk/client-secrets-manager']],
    ['gcpsecretmanager://projects/acme/secrets/s/versions/1', ['google-auth-library']],
  ] as const)
    test(`${uri} loads its own library, and says that credentials are missing`, () => {
      const told = resolveAlone({ uri });
      assert.deepEqual(told.loaded, loaded);
      assert.equal(told.code, 'secret-refused');
      assert.match(told.message, /no usable credentials for its store/);
    });

  test('a vault loads its own library, and the one for credentials', () => {
    const told = resolveAlone({ uri: 'https://acme.vault.azure.net/secrets/s' });
    assert.deepEqual(told.loaded.toSorted(), ['@azure/identity', '@azure/keyvault-secrets']);
    assert.equal(told.code, 'secret-store-away');
  });
});

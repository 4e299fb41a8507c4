import type { SecretStores } from '../../src/ports/secrets.ts';

/** The registry: one line a store. A library costs 30 to 290 ms to load, so each waits for the first secret of its cloud. */
export const secretStores: SecretStores = {
  aws: async (uri, asking) => (await import('./aws-secrets-manager.ts')).awsSecretsManager(uri, asking),
  gcp: async (uri, asking) => (await import('./google-secret-manager.ts')).googleSecretManager(uri, asking),
  azure: async (uri, asking) => (await import('./azure-key-vault.ts')).azureKeyVault(uri, asking),
};

import type { TokenCredential } from '@azure/core-auth';
import { credentialFor } from '../../src/core/cloud-credential.ts';
import type { Access } from '../../src/ports/provider.ts';

/**
 * Our identity: from the target's secret, else from the SDK's own chain. A sandbox or emulator takes anybody, so none is looked for there
 * unless the target names one. Resolves late, as `@azure/identity` is slow to load.
 */
export async function credentialOf({ endpoint, credentials }: Access): Promise<TokenCredential | undefined> {
  const principal = credentialFor('azure', credentials?.secret);
  if (principal === undefined && endpoint !== undefined) return undefined;
  const identity = await import('@azure/identity');
  if (principal === undefined) return new identity.DefaultAzureCredential();
  const { tenantId, clientId, clientSecret } = principal;
  return new identity.ClientSecretCredential(tenantId, clientId, clientSecret);
}

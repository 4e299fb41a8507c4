import type { TokenCredential } from '@azure/core-auth';
import { createDefaultHttpClient, type HttpClient } from '@azure/core-rest-pipeline';
import { SecretClient } from '@azure/keyvault-secrets';
import type { Result } from '../../src/core/failure.ts';
import type { SecretStore } from '../../src/ports/secrets.ts';
import { isTrip, type Meanings, refusal, strange } from './refusal.ts';
import { numberAt, textAt } from './value-at.ts';

/** One version, or the newest, by the default chain of `@azure/identity`. */
export const azureKeyVault: SecretStore<'azure'> = async ({ vault, name, version }, { signal, endpoint }) => {
  try {
    const client = new SecretClient(vault, await credentialFor(vault, endpoint), {
      retryOptions: { maxRetries: 2, maxRetryDelayInMs: 2_000 },
      redirectOptions: { maxRetries: 0 },
      ...(endpoint === undefined ? {} : { httpClient: loopback(endpoint) }),
    });
    const options = { abortSignal: signal, requestOptions: { timeout: 5_000 }, ...(version && { version }) };
    const { value } = await client.getSecret(name, options);
    return value === undefined ? strange : { ok: true, value };
  } catch (error) {
    return refused(error);
  }
};

/** An emulator on loopback gets a token that is worth nothing: a token is all that a cloud asks for. */
async function credentialFor(vault: string, endpoint: string | undefined): Promise<TokenCredential> {
  if (endpoint !== undefined)
    return { getToken: async () => ({ token: 'loopback', expiresOnTimestamp: Date.now() + 3_600_000 }) };
  const { AzureAuthorityHosts, DefaultAzureCredential } = await import('@azure/identity');
  // Token authorities for a cloud's vaults: https://learn.microsoft.com/entra/identity-platform/authentication-national-cloud
  if (vault.endsWith('.azure.cn')) return new DefaultAzureCredential({ authorityHost: AzureAuthorityHosts.AzureChina });
  if (vault.endsWith('.usgovcloudapi.net'))
    return new DefaultAzureCredential({ authorityHost: AzureAuthorityHosts.AzureGovernment });
  return new DefaultAzureCredential();
}

/**
 * Sends to an endpoint on this machine what is meant for a vault, whose name stands before the path there. The library
 * itself keeps talking to the vault's own address: it holds the challenge against it, and gives no token over plain HTTP.
 */
function loopback(endpoint: string): HttpClient {
  const http = createDefaultHttpClient();
  return {
    sendRequest: (request) => {
      const { host, pathname, search } = new URL(request.url);
      const url = `${endpoint.replace(/\/$/, '')}/${host}${pathname}${search}`;
      return http.sendRequest({ ...request, url, allowInsecureConnection: true });
    },
  };
}

/** https://learn.microsoft.com/azure/key-vault/general/rest-error-codes; the others are errors of the libraries. */
const meanings: Meanings = {
  SecretNotFound: 'missing',
  SecretDisabled: 'disabled',
  CredentialUnavailableError: 'anonymous',
  AuthenticationRequiredError: 'anonymous',
  AuthenticationError: 'refused',
  AggregateAuthenticationError: 'anonymous',
};

function refused(error: unknown): Result<never> {
  if (isTrip(error)) return strange;
  const name = textAt(error, 'name');
  const own = textAt(error, 'details', 'error', 'innerError', 'code') ?? textAt(error, 'details', 'error', 'code');
  const code = name === 'RestError' ? (own ?? textAt(error, 'code')) : name;
  return refusal({ status: numberAt(error, 'statusCode'), code }, meanings);
}

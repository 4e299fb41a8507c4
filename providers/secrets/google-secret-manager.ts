import { GoogleAuth, OAuth2Client } from 'google-auth-library';
import type { Result } from '../../src/core/failure.ts';
import type { SecretStore } from '../../src/ports/secrets.ts';
import { type Meanings, refusal, strange } from './refusal.ts';
import { numberAt, textAt } from './value-at.ts';

/**
 * One version, by Application Default Credentials:
 * https://cloud.google.com/secret-manager/docs/reference/rest/v1/projects.secrets.versions/access
 */
export const googleSecretManager: SecretStore<'gcp'> = async ({ version }, { signal, endpoint }) => {
  const base = endpoint?.replace(/\/$/, '') ?? 'https://secretmanager.googleapis.com';
  const requester = await requesterAt(endpoint).catch(() => undefined);
  if (requester === undefined) return refusal({ code: 'NoDefaultCredentials' }, meanings);
  try {
    const { data } = await requester.request<unknown>({
      url: `${base}/v1/${version}:access`,
      signal,
      responseType: 'json',
      timeout: 5_000,
      maxContentLength: mostAnswered,
      maxRedirects: 0,
      redirect: 'error',
      retry: true,
      retryConfig: {
        retry: 2,
        statusCodesToRetry: [
          [429, 429],
          [500, 599],
        ],
      },
    });
    const payload = textAt(data, 'payload', 'data');
    return payload === undefined ? strange : { ok: true, value: Buffer.from(payload, 'base64') };
  } catch (error) {
    return refused(error);
  }
};

/** 64 KiB in base64 and what stands around it: https://cloud.google.com/secret-manager/quotas */
const mostAnswered = 128 * 1024;

/** An emulator on loopback gets a token that is worth nothing: a token is all that a cloud asks for. */
async function requesterAt(endpoint: string | undefined): Promise<Pick<OAuth2Client, 'request'>> {
  if (endpoint === undefined)
    return new GoogleAuth({ scopes: 'https://www.googleapis.com/auth/cloud-platform' }).getClient();
  const client = new OAuth2Client();
  client.setCredentials({ access_token: 'loopback', expiry_date: Date.now() + 3_600_000 });
  return client;
}

/** https://cloud.google.com/apis/design/errors#handling_errors: the status of HTTP tells, but for an unusable version. */
const meanings: Meanings = { FAILED_PRECONDITION: 'disabled', NoDefaultCredentials: 'anonymous' };

function refused(error: unknown): Result<never> {
  const status = numberAt(error, 'response', 'status');
  return refusal({ status, code: textAt(error, 'response', 'data', 'error', 'status') }, meanings);
}
